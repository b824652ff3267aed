import Synchronization

/// The screen of a demonstration: the client draws a QR code on it, and once it is lit the authenticator can scan it.
final class Screen: Sendable {
    private let drawn = Mutex<String?>(nil)
    private let codes: AsyncStream<String>
    private let show: AsyncStream<String>.Continuation

    init() { (codes, show) = AsyncStream.makeStream() }

    /// Puts a code on the screen, which is still dark.
    func draw(_ url: String) { drawn.withLock { $0 = url } }

    /// Makes the drawn code visible.
    func light() {
        guard let url = drawn.withLock({ $0 }) else { return }
        show.yield(url)
        show.finish()
    }

    /// Waits for a code that can be seen; nil if the task is cancelled before.
    func scan() async -> String? { await codes.first { _ in true } }
}
