/// The adapters of a host: the adverts that they have heard and sent, and their connections.
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
    /// The most bytes of incomplete data: 32 MiB. When there are more, all of it is dropped.
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

    /// Drops incomplete data if there may be too much: the bytes held were counted up, and are now measured.
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

/// An advert as a controller reports it.
struct AdvertisingReport {
    let address: DeviceAddress
    let isExtended: Bool
    let rssi: Int?
    let data: ArraySlice<UInt8>
    /// The set of an extended advert, of which more will come; nil if the report is whole.
    let continuedSet: UInt8?
    let set: UInt8
}

/// Reads the reports of events, and joins those that come in parts.
///
/// Source: Core Specification volume 4 part E sections 7.7.65.2 and 7.7.65.13. Several reports of a legacy event stand
/// one behind the other, as controllers send them and Linux reads them.
struct AdvertisingReports {
    static let legacySubevent: UInt8 = 0x02
    static let extendedSubevent: UInt8 = 0x0D

    private static let longestData = 1_650
    private static let maxPartials = 256
    private static let unknownRSSI = 127

    private struct Source: Hashable {
        let adapter: Int
        let address: DeviceAddress
        let set: UInt8
    }

    private var partials: [Source: [UInt8]] = [:]

    /// The reports of an event, behind its subevent.
    mutating func read(_ subevent: UInt8, _ parameters: ArraySlice<UInt8>, adapter: Int) -> [AdvertisingReport] {
        var reader = ByteReader(parameters)
        guard let count = reader.byte() else { return [] }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            let report = subevent == Self.legacySubevent ? Self.legacy(&reader) : Self.extended(&reader)
            guard let report else { break }
            if let whole = join(report, adapter) { reports.append(whole) }
        }
        return reports
    }

    private mutating func join(_ report: AdvertisingReport, _ adapter: Int) -> AdvertisingReport? {
        let source = Source(adapter: adapter, address: report.address, set: report.set)
        guard report.continuedSet != nil || partials[source] != nil else { return report }
        let data = (partials.removeValue(forKey: source) ?? []) + report.data
        guard report.continuedSet == nil else {
            if partials.count >= Self.maxPartials { partials = [:] }
            partials[source] = Array(data.prefix(Self.longestData))
            return nil
        }
        return AdvertisingReport(
            address: report.address, isExtended: report.isExtended, rssi: report.rssi, data: data[...],
            continuedSet: nil, set: report.set)
    }

    private static func legacy(_ reader: inout ByteReader) -> AdvertisingReport? {
        guard reader.byte() != nil, let type = reader.byte(), let address = reader.take(6), let length = reader.byte(),
            let data = reader.take(Int(length)), let rssi = reader.byte()
        else { return nil }
        return AdvertisingReport(
            address: DeviceAddress(littleEndian: address, type: type), isExtended: false, rssi: strength(rssi),
            data: data, continuedSet: nil, set: 0)
    }

    private static func extended(_ reader: inout ByteReader) -> AdvertisingReport? {
        guard let type = reader.littleEndian(UInt16.self), let addressType = reader.byte(),
            let address = reader.take(6), reader.take(2) != nil, let set = reader.byte(), reader.byte() != nil,
            let rssi = reader.byte(), reader.take(9) != nil, let length = reader.byte(),
            let data = reader.take(Int(length))
        else { return nil }
        // Bits 5 and 6 say if there is more to come; bit 4, that it is a legacy advert.
        return AdvertisingReport(
            address: DeviceAddress(littleEndian: address, type: addressType), isExtended: type & 0x10 == 0,
            rssi: strength(rssi), data: data, continuedSet: type >> 5 & 3 == 1 ? set : nil, set: set)
    }

    private static func strength(_ byte: UInt8) -> Int? {
        let value = Int(Int8(bitPattern: byte))
        return value == unknownRSSI ? nil : value
    }
}
