internal import HybridProtocol

/// The connections to tunnel services in a capture of a network.
struct TunnelConnections {
    private struct ConnectionID: Hashable {
        let opener: TCPSegment.Endpoint
        let service: TCPSegment.Endpoint
    }

    private var connections: [ConnectionID: TunnelConnection] = [:]
    private var order: [ConnectionID] = []
    private var heldEstimate = 0

    /// The most connections that are followed.
    private static let maxConnections = 256
    /// The most bytes of incomplete data: 32 MiB. When there are more, the connections are not followed any further.
    private static let maxHeldByteCount = 1 << 25

    /// Takes a segment.
    mutating func take(_ segment: TCPSegment, at place: String, in analysis: CaptureAnalysis) {
        limitHeld(by: segment.payload.count, place, analysis)
        let outgoing = ConnectionID(opener: segment.source, service: segment.destination)
        let incoming = ConnectionID(opener: segment.destination, service: segment.source)
        if TunnelConnection.isRequest(segment.payload), connections[outgoing] == nil { add(outgoing, place, analysis) }
        let id = connections[outgoing] == nil ? incoming : outgoing
        guard let connection = connections[id] else { return }
        let messages = connection.take(segment)
        if connection.number == nil, connection.isOpen {
            connection.number = analysis.nextChannelNumber()
            analysis.tell(.tunnelOpened(CapturedTunnel(connection)), at: place)
        }
        for message in messages {
            analysis.take(
                message.bytes, isFromClient: message.isFromClient, of: connection.session,
                channel: connection.number ?? 0, at: place)
        }
        if segment.ends || connection.isLost { end(id, connection.isLost ? .crowdedOut : .closed, place, analysis) }
    }

    /// Tells of the connections that are still open.
    mutating func finish(at place: String, in analysis: CaptureAnalysis) {
        for id in order { end(id, .captureEnded, place, analysis) }
    }

    /// Measures the held bytes, which were only counted up.
    private mutating func limitHeld(by byteCount: Int, _ place: String, _ analysis: CaptureAnalysis) {
        heldEstimate += byteCount
        guard heldEstimate > Self.maxHeldByteCount else { return }
        heldEstimate = connections.values.reduce(0) { $0 + $1.heldByteCount }
        guard heldEstimate > Self.maxHeldByteCount / 2 else { return }
        for id in order { end(id, .crowdedOut, place, analysis) }
        heldEstimate = 0
    }

    private mutating func add(_ id: ConnectionID, _ place: String, _ analysis: CaptureAnalysis) {
        if order.count >= Self.maxConnections { end(order[0], .crowdedOut, place, analysis) }
        connections[id] = TunnelConnection(id.opener)
        order.append(id)
    }

    private mutating func end(
        _ id: ConnectionID, _ reason: ChannelEnding, _ place: String, _ analysis: CaptureAnalysis
    ) {
        order.removeAll { $0 == id }
        guard let connection = connections.removeValue(forKey: id), connection.number != nil else { return }
        analysis.tell(.tunnelClosed(CapturedTunnel(connection), reason), at: place)
    }
}

extension CapturedTunnel {
    fileprivate init(_ connection: TunnelConnection) {
        number = connection.number ?? 0
        path = connection.path
        byteCountFromOpener = connection.byteCounts.opener
        byteCountFromService = connection.byteCounts.service
    }
}

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

/// The WebSocket frames of one direction, joined to messages, their masks taken off (RFC 6455 section 5.2).
struct WebSocketFrames {
    private var buffer: [UInt8] = []
    private var joiner: FrameJoiner<[UInt8]>

    /// A frame that is not read any further.
    struct Violation: Error {}

    private static let maxFrameByteCount = 1 << 21

    init(of sender: FrameJoiner<[UInt8]>.Sender) {
        joiner = FrameJoiner(of: sender, maximumByteCount: Self.maxFrameByteCount)
    }

    /// The number of bytes that are held.
    var heldByteCount: Int { buffer.count + joiner.heldByteCount }

    /// Takes the next bytes.
    ///
    /// - Returns: the messages that they complete.
    /// - Throws: ``Violation`` for bytes that break the framing.
    mutating func take(_ bytes: [UInt8]) throws(Violation) -> [[UInt8]] {
        buffer += bytes
        var messages: [[UInt8]] = []
        var position = 0
        while let (frame, byteCount) = try Self.frame(buffer[position...]) {
            position += byteCount
            do throws(FramingViolation) {
                if case .message(let message) = try joiner.join(frame) { messages.append(message) }
            } catch { throw Violation() }
        }
        buffer.removeFirst(position)
        return messages
    }

    private static func frame(
        _ bytes: ArraySlice<UInt8>
    ) throws(Violation) -> (FrameJoiner<[UInt8]>.Frame, byteCount: Int)? {
        var reader = ByteReader(bytes)
        guard let first = reader.byte(), let second = reader.byte() else { return nil }
        let length: UInt64?
        switch second & 0x7F {
        case 126: length = reader.bigEndian(UInt16.self).map(UInt64.init)
        case 127: length = reader.bigEndian(UInt64.self)
        case let short: length = UInt64(short)
        }
        guard let length else { return nil }
        guard length <= UInt64(maxFrameByteCount) else { throw Violation() }
        let isMasked = second & 0x80 != 0
        guard let mask = reader.take(isMasked ? 4 : 0), let payload = reader.take(Int(length)) else { return nil }
        var contents = Array(payload)
        if isMasked {
            let mask = Array(mask)
            for index in contents.indices { contents[index] ^= mask[index % 4] }
        }
        return (
            FrameJoiner<[UInt8]>.Frame(
                opcode: first & 0x0F, isFinal: first & 0x80 != 0, isMasked: isMasked,
                usesReservedBits: first & 0x70 != 0,
                payload: contents), bytes.count - reader.count
        )
    }
}
