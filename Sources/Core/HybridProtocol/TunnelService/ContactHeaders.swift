internal import Encodings

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
