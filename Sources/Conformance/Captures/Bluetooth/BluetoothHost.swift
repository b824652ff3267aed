/// The adapters of a host: what they have heard and sent, and their connections.
struct BluetoothHost {
    private struct LinkID: Hashable {
        let adapter: Int
        let handle: UInt16
    }

    private var reports = AdvertisingReports()
    private var own = OwnAdvertising()
    private var links: [LinkID: LowEnergyLink] = [:]
    /// The links in the order in which they were met.
    private var order: [LinkID] = []
    private var heldEstimate = 0

    /// The most links that are followed.
    static let maxLinks = 256
    /// The most bytes of what is not whole: 32 MiB. When there are more, all of it is dropped.
    private static let maxHeldByteCount = 1 << 25

    private enum Event {
        static let disconnectionComplete: UInt8 = 0x05
        static let lowEnergy: UInt8 = 0x3E
        static let connectionComplete: UInt8 = 0x01
        static let enhancedConnectionComplete: UInt8 = 0x0A
        static let enhancedConnectionComplete2: UInt8 = 0x29
        static let advertisingSetTerminated: UInt8 = 0x12
    }

    /// Takes a packet.
    mutating func take(_ packet: HCIPacket, adapter: Int, time: Int64?, in analysis: CaptureAnalysis) {
        switch packet {
        case .command(let opcode, let parameters):
            Self.note(own.take(opcode, parameters, adapter: adapter), adapter, time, analysis)
        case .event(let code, let parameters): take(code, parameters, adapter, time, analysis)
        case .data(let fragment): take(fragment, adapter, time, analysis)
        }
    }

    /// Tells of the channels that are still open.
    mutating func finish(in analysis: CaptureAnalysis) {
        for id in order { end(id, .captureEnded, analysis) }
        order = []
    }

    private static func place(_ adapter: Int) -> String { "hci\(adapter)" }

    private static func note(
        _ changes: [OwnAdvertising.Change], _ adapter: Int, _ time: Int64?, _ analysis: CaptureAnalysis
    ) {
        for change in changes {
            let sighting = AdvertTable.Sighting(
                place: place(adapter), time: time, direction: .sent, address: change.address,
                isExtended: change.isExtended, rssi: nil)
            if change.isOn { analysis.note(change.data, sighting) } else { analysis.end(change.data, sighting) }
        }
    }

    private mutating func take(
        _ code: UInt8, _ parameters: ArraySlice<UInt8>, _ adapter: Int, _ time: Int64?, _ analysis: CaptureAnalysis
    ) {
        var reader = ByteReader(parameters)
        switch code {
        case Event.disconnectionComplete:
            guard reader.byte() == 0, let handle = reader.littleEndian(UInt16.self) else { return }
            let id = LinkID(adapter: adapter, handle: handle & 0x0FFF)
            end(id, .connectionLost, analysis)
            order.removeAll { $0 == id }
        case Event.lowEnergy:
            guard let subevent = reader.byte() else { return }
            switch subevent {
            case AdvertisingReports.legacySubevent, AdvertisingReports.extendedSubevent:
                for report in reports.read(subevent, reader.rest, adapter: adapter) {
                    analysis.note(
                        report.data,
                        AdvertTable.Sighting(
                            place: Self.place(adapter), time: time, direction: .received, address: report.address,
                            isExtended: report.isExtended, rssi: report.rssi))
                }
            case Event.connectionComplete, Event.enhancedConnectionComplete, Event.enhancedConnectionComplete2:
                guard reader.byte() == 0, let handle = reader.littleEndian(UInt16.self), reader.byte() != nil,
                    let type = reader.byte(), let address = reader.take(6)
                else { return }
                let id = LinkID(adapter: adapter, handle: handle & 0x0FFF)
                end(id, .connectionLost, analysis)
                add(id, DeviceAddress(littleEndian: address, type: type), analysis)
            case Event.advertisingSetTerminated:
                guard reader.byte() != nil, let handle = reader.byte() else { return }
                Self.note(own.terminated(handle, adapter: adapter), adapter, time, analysis)
            default: break
            }
        default: break
        }
    }

    private mutating func take(
        _ fragment: ACLFragment, _ adapter: Int, _ time: Int64?, _ analysis: CaptureAnalysis
    ) {
        let id = LinkID(adapter: adapter, handle: fragment.handle)
        let link = links[id] ?? add(id, nil, analysis)
        limitHeld(by: fragment.bytes.count)
        let place = Self.place(adapter)
        let outcomes = link.take(fragment, time: time) { info, direction in
            let numbered = CapturedChannel(analysis.nextChannelNumber(), info)
            return CapturedL2CAPChannel(numbered, initiatorDirection: direction, session: SessionReader(.l2cap))
        }
        for outcome in outcomes {
            switch outcome {
            case .opened(let channel): analysis.tell(.channelOpened(channel.info), at: place)
            case .refused(let psm, let result): analysis.tell(.channelRefused(psm: psm, result: result), at: place)
            case .closed(let channel): Self.end(channel, .closed, place, analysis)
            case .sdu(let sdu, let channel, let fromInitiator):
                analysis.take(
                    sdu, isFromClient: fromInitiator, of: channel.session, channel: channel.info.number, at: place)
            case .unknownChannel: analysis.countUnknownChannelFrame()
            }
        }
    }

    /// Drops what is not whole if there may be too much of it: what is held was counted up, and is now measured.
    private mutating func limitHeld(by byteCount: Int) {
        heldEstimate += byteCount
        guard heldEstimate > Self.maxHeldByteCount else { return }
        heldEstimate = links.values.reduce(0) { $0 + $1.heldByteCount }
        guard heldEstimate > Self.maxHeldByteCount / 2 else { return }
        for link in links.values { link.drop() }
        heldEstimate = 0
    }

    @discardableResult
    private mutating func add(
        _ id: LinkID, _ peer: DeviceAddress?, _ analysis: CaptureAnalysis
    ) -> LowEnergyLink {
        order.removeAll { $0 == id }
        if order.count >= Self.maxLinks { end(order.removeFirst(), .crowdedOut, analysis) }
        let link = LowEnergyLink(peer)
        links[id] = link
        order.append(id)
        return link
    }

    private mutating func end(_ id: LinkID, _ reason: ChannelEnding, _ analysis: CaptureAnalysis) {
        guard let link = links.removeValue(forKey: id) else { return }
        for channel in link.channels { Self.end(channel, reason, Self.place(id.adapter), analysis) }
    }

    private static func end(
        _ channel: CapturedL2CAPChannel, _ reason: ChannelEnding, _ place: String, _ analysis: CaptureAnalysis
    ) {
        channel.drop()
        analysis.tell(.channelClosed(channel.info, reason), at: place)
    }
}

extension CapturedChannel {
    fileprivate init(_ number: Int, _ info: CapturedChannel) {
        self.init(
            number: number, psm: info.psm, isOpenedByPeer: info.isOpenedByPeer, peer: info.peer,
            initiator: info.initiator, acceptor: info.acceptor, openedAt: info.openedAt)
    }
}
