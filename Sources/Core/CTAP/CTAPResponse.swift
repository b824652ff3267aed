/// A response: the status, then the command's payload, not yet read. Source: CTAP 2.2 sections 6 and 8
/// (HT-CTAP-2).
public struct CTAPResponse: Sendable, Hashable {
    /// Success, or the kind of failure.
    public let status: CTAPStatus
    /// The bytes after the status: CBOR, or nothing.
    public let payload: [UInt8]

    /// Makes a response.
    public init(status: CTAPStatus, payload: [UInt8] = []) {
        self.status = status
        self.payload = payload
    }

    /// Takes a response apart.
    ///
    /// - Parameter message: the status byte, then the payload.
    /// - Throws: ``CTAPError`` `invalid-length` if the message is empty.
    public init(decoding message: Span<UInt8>) throws(CTAPError) {
        guard !message.isEmpty else { throw CTAPError(.invalidLength, reason: "an empty response") }
        status = CTAPStatus(rawValue: message[0])
        payload = message.extracting(droppingFirst: 1).withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// The response as it is sent.
    public func encoded() -> [UInt8] { [status.rawValue] + payload }
}
