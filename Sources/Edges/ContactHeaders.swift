/// What a client tells the tunnel service when it opens a tunnel by a contact ID, beside the ID itself.
///
/// Source: PROTOCOL.md 5.1.
public struct ContactHeaders: Sendable, Equatable {
    /// What the service passes on to the authenticator that it wakes: link ID, nonce and hint, 1 byte or more. The header
    /// `X-caBLE-Client-Payload` carries it in hexadecimal.
    public let clientPayload: [UInt8]
    /// Whether the service is asked to say when the authenticator has joined: the header `X-caBLE-Signal-Connection`.
    public let asksForSignal: Bool

    /// Makes headers.
    public init(clientPayload: [UInt8], asksForSignal: Bool = true) {
        self.clientPayload = clientPayload
        self.asksForSignal = asksForSignal
    }
}
