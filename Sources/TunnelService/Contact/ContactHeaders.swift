import ContactProtocol
import NIOHTTP1

/// What a client's request to `contact` says beside the contact ID (PROTOCOL.md 5.1).
struct ContactHeaders: Sendable, Equatable {
    /// What is passed on to the authenticator.
    let clientPayload: [UInt8]
    /// Whether the client wants to be told when the authenticator has joined.
    let asksForSignal: Bool

    /// The header by which the signal is asked for, and agreed to.
    static let signal = Refusal.Header(name: "X-caBLE-Signal-Connection", value: "true")

    private static let clientPayloadName = "X-caBLE-Client-Payload"

    /// Reads the headers.
    ///
    /// - Throws: ``Refusal`` with status 400 unless there is one payload, in hexadecimal digits of either case, of a length
    ///   that is allowed.
    init(_ headers: HTTPHeaders) throws(Refusal) {
        let payloads = headers[Self.clientPayloadName]
        guard payloads.count == 1, let payload = payloads.first,
            let bytes = Hexadecimal.bytes(payload[...], count: payload.utf8.count / Hexadecimal.digitsPerByte),
            ServiceMessage.clientPayloadByteCounts.contains(bytes.count)
        else {
            throw .badRequest(
                "one \(Self.clientPayloadName) of \(ServiceMessage.clientPayloadByteCounts.upperBound) bytes or less, in "
                    + "hexadecimal digits, is needed")
        }
        clientPayload = bytes
        asksForSignal = headers[Self.signal.name].map { $0.lowercased() } == [Self.signal.value]
    }
}
