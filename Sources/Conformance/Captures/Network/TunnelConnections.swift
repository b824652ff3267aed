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
    /// The most bytes of what is not whole: 32 MiB. When there are more, the connections are not followed any further.
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
