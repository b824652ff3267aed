import HybridTransport
import Synchronization

/// Counts the resources that a ceremony holds, so that a test can see that nothing was left behind.
final class ResourceCounter: Sendable {
    struct Counts: Sendable, Equatable {
        var advertsOnAir = 0
        var scans = 0
        var openChannels = 0
    }

    private let state = Mutex(Counts())

    var now: Counts { state.withLock { $0 } }

    func change(_ change: @Sendable (inout Counts) -> Void) { state.withLock { change(&$0) } }
}
