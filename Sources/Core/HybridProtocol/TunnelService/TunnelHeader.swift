internal import Encodings

/// The paths of a tunnel service, under its host's name (HT-TUN-4, HT-TUN-5, HT-TUN-13).
public enum TunnelPath {
    /// An authenticator opens a tunnel; the tunnel ID follows in 32 hexadecimal digits.
    public static let newPrefix = "/cable/new/"
    /// A client, or an authenticator that was woken, joins a tunnel; the routing ID, a slash and the tunnel ID follow
    /// in hexadecimal digits.
    public static let connectPrefix = "/cable/connect/"
    /// A client asks for its linked authenticator; the contact ID follows in base64url without padding.
    public static let contactPrefix = "/cable/contact/"
    /// An authenticator waits to be woken (TS-CON-1). This project's own addition.
    public static let listen = "/cable/listen"
}

/// The HTTP header fields of a tunnel service's requests and answers, besides WebSocket's own
/// (HT-TUN-16, HT-TUN-39, HT-TUN-77).
public enum TunnelHeader {
    /// The field in which the service tells an authenticator the routing ID: 6 hexadecimal digits.
    public static let routingID = "X-caBLE-Routing-ID"
    /// The field in which a linked client names its link: ``ContactHeaders/clientPayload`` in hexadecimal digits.
    public static let clientPayload = "X-caBLE-Client-Payload"
    /// The field by which a linked client asks for the signal, and the service announces it.
    public static let signalConnection = "X-caBLE-Signal-Connection"
    /// The value of ``signalConnection`` in a request. In an answer any value means yes.
    public static let signalConnectionValue = "true"
}

/// The fields of a client's request for its linked authenticator, beside the contact ID (HT-TUN-16).
public struct ContactHeaders: Sendable, Equatable {
    /// The bytes that the service passes on to the authenticator that it wakes: link ID, nonce and hint, 1 to 256
    /// bytes.
    public let clientPayload: [UInt8]
    /// True if the service is asked to say when the authenticator has joined.
    public let asksForSignal: Bool

    /// Makes headers.
    public init(clientPayload: [UInt8], asksForSignal: Bool = true) {
        self.clientPayload = clientPayload
        self.asksForSignal = asksForSignal
    }

    /// Reads the header fields, for a service.
    ///
    /// - Parameters:
    ///   - clientPayloads: the values of ``TunnelHeader/clientPayload``.
    ///   - signals: the values of ``TunnelHeader/signalConnection``.
    /// - Returns: nil unless there is one payload, in hexadecimal digits of either case, of 1 to 256 bytes.
    package init?(clientPayloads: [String], signals: [String]) {
        guard clientPayloads.count == 1, let payload = clientPayloads.first.flatMap({ Hexadecimal.decode($0) }),
            ServiceMessage.clientPayloadByteCounts.contains(payload.count)
        else { return nil }
        clientPayload = payload
        asksForSignal = signals.map { $0.lowercased() } == [TunnelHeader.signalConnectionValue]
    }

    /// The header fields of the request, for a client. Hexadecimal digits are lower case: every service takes them.
    package var fields: [(name: String, value: String)] {
        let payload = (name: TunnelHeader.clientPayload, value: Hexadecimal.encode(clientPayload))
        let signal = (name: TunnelHeader.signalConnection, value: TunnelHeader.signalConnectionValue)
        return asksForSignal ? [payload, signal] : [payload]
    }
}
