public import Edges

extension TunnelClient: TunnelOpener {
    /// Opens a tunnel with the headers that its request needs; see ``open(_:headers:)``.
    public func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url, headers: contact?.fields ?? [])
    }
}

extension ContactHeaders {
    /// The header fields of the request (PROTOCOL.md 5.1). Hexadecimal digits are lower case: every service takes them.
    fileprivate var fields: [(name: String, value: String)] {
        let payload = (name: Self.clientPayloadHeader, value: clientPayload.map(Self.hexadecimal).joined())
        return asksForSignal ? [payload, (name: UpgradeAnswer.signalHeader, value: Self.signalIsAskedFor)] : [payload]
    }

    private static let clientPayloadHeader = "X-caBLE-Client-Payload"
    private static let signalIsAskedFor = "true"
    private static let hexadecimalBase = 16
    private static let digitsPerByte = 2

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: hexadecimalBase)
        return String(repeating: "0", count: digitsPerByte - digits.count) + digits
    }
}
