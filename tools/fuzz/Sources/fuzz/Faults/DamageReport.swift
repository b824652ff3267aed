internal import Synchronization

/// Which messages did not arrive as they were sent, in their place.
final class DamageReport: Sendable {
    /// Who sent a message.
    enum Sender: Hashable, Sendable {
        case client
        /// Which has read the QR code.
        case authenticator
        /// Which the tunnel service has woken.
        case linkedAuthenticator
    }

    private let numbers = Mutex<[Sender: Set<Int>]>([:])

    func note(_ sender: Sender, _ number: Int) { numbers.withLock { _ = $0[sender, default: []].insert(number) } }

    /// Whether one of the first `count` messages of a sender is among them.
    func concerns(_ sender: Sender, first count: Int) -> Bool {
        numbers.withLock { $0[sender, default: []].contains { $0 < count } }
    }
}
