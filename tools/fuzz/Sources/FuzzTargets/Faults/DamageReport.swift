internal import Synchronization

/// Report of the messages that did not arrive as they were sent, in their place.
final class DamageReport: Sendable {
    /// Sender of a message.
    enum Sender: Hashable, Sendable {
        case client
        /// The one that has read the QR code.
        case authenticator
        /// The one that the tunnel service has woken.
        case linkedAuthenticator
    }

    private let numbers = Mutex<[Sender: Set<Int>]>([:])

    func note(_ sender: Sender, _ number: Int) { numbers.withLock { _ = $0[sender, default: []].insert(number) } }

    /// True if one of the first `count` messages of a sender is among them.
    func concerns(_ sender: Sender, first count: Int) -> Bool {
        numbers.withLock { $0[sender, default: []].contains { $0 < count } }
    }
}
