/// A passkey that was handed over to another vault, of which it is not known yet whether it has arrived.
///
/// It answers no request. It is gone when the other vault is known to have it, and in use again when that is known not
/// to have it.
public struct CredentialInTransit: Sendable {
    /// The vault that it was handed over to.
    public struct Receiver: Sendable, Hashable {
        /// The vault's own number: 16 bytes.
        public let id: [UInt8]
        /// Its name, as it gave it: text of a peer's.
        public let name: String

        /// Names a receiver.
        public init(id: [UInt8], name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The passkey.
    public let credential: Credential
    /// The vault that it was handed over to.
    public let receiver: Receiver
    /// Time of the hand-over, in seconds since 1970.
    public let since: Int64

    /// Notes that a passkey is in transit.
    package init(_ credential: Credential, to receiver: Receiver, since: Int64) {
        self.credential = credential
        self.receiver = receiver
        self.since = since
    }
}
