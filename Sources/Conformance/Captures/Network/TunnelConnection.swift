internal import HybridProtocol

/// A connection to a tunnel service without TLS: the request, the answer, and then a session's messages.
final class TunnelConnection {
    /// The end that has opened the connection.
    let opener: TCPSegment.Endpoint
    var number: Int?
    let session = SessionReader(.tunnel)
    /// The bytes of messages that each end has sent.
    private(set) var byteCounts = (opener: 0, service: 0)
    private(set) var path = ""
    private(set) var status = ""
    private var order = (opener: TCPOrder(), service: TCPOrder())
    private var heads: (opener: [UInt8]?, service: [UInt8]?) = ([], [])
    private var frames = (opener: WebSocketFrames(of: .client), service: WebSocketFrames(of: .server))
    private var isClientOpener: Bool?
    private(set) var isLost = false

    private static let longestHead = 1 << 14
    private static let request = Array("GET /cable/".utf8)
    private static let endOfHead: [UInt8] = [13, 10, 13, 10]

    init(_ opener: TCPSegment.Endpoint) { self.opener = opener }

    /// True if bytes are the first of a request to a tunnel service.
    static func isRequest(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: request) }

    /// A message that the connection carries.
    struct Message {
        let bytes: [UInt8]
        let isFromClient: Bool
    }

    /// Takes a segment.
    ///
    /// - Returns: the messages that it completes.
    func take(_ segment: TCPSegment) -> [Message] {
        guard !isLost else { return [] }
        let isOpener = segment.source == opener
        let bytes = isOpener ? order.opener.take(segment) : order.service.take(segment)
        guard let bytes else {
            isLost = true
            return []
        }
        guard let rest = behindHead(bytes, isOpener), !rest.isEmpty else { return [] }
        // No message comes before the service has agreed, and something other than a WebSocket if it has not.
        guard isOpen else {
            isLost = true
            return []
        }
        do throws(WebSocketFrames.Violation) {
            let messages = isOpener ? try frames.opener.take(rest) : try frames.service.take(rest)
            return messages.map { message in
                if isOpener { byteCounts.opener += message.count } else { byteCounts.service += message.count }
                // The sender of the first handshake message is the client.
                if isClientOpener == nil, message.count == handshakeMessageByteCount { isClientOpener = isOpener }
                return Message(bytes: message, isFromClient: isOpener == (isClientOpener ?? true))
            }
        } catch {
            isLost = true
            return []
        }
    }

    /// The number of bytes that are held, but for the heads of requests and answers.
    var heldByteCount: Int {
        order.opener.heldByteCount + order.service.heldByteCount + frames.opener.heldByteCount
            + frames.service.heldByteCount
    }

    /// True once the service has agreed, and the connection was not told of.
    var isOpen: Bool { heads.opener == nil && heads.service == nil && status.hasPrefix("101") }

    /// Takes the head of the request or the answer off; nil while it is not whole.
    private func behindHead(_ bytes: [UInt8], _ isOpener: Bool) -> [UInt8]? {
        guard var head = isOpener ? heads.opener : heads.service else { return bytes }
        // The part that was looked at has no end, but may have its beginning.
        let searched = max(0, head.count - Self.endOfHead.count)
        head += bytes
        guard head.count <= Self.longestHead else {
            isLost = true
            return nil
        }
        let end = (searched..<head.count).first { head[$0...].starts(with: Self.endOfHead) }
        let rest = end.map { Array(head[($0 + Self.endOfHead.count)...]) }
        if isOpener { heads.opener = end == nil ? head : nil } else { heads.service = end == nil ? head : nil }
        guard let rest else { return nil }
        let words = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ", maxSplits: 2)
        if isOpener {
            path = words.count > 1 ? String(words[1]) : ""
        } else {
            status = words.dropFirst().joined(separator: " ")
        }
        return rest
    }
}
