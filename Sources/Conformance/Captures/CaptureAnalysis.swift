/// Reads the packets of a capture, one after the other, and tells the events of the hybrid transport in them.
///
/// Its memory is bounded, whatever the capture says: 4,096 adverts, 256 links, 32 MiB of incomplete data.
package final class CaptureAnalysis {
    /// Numbers of the whole capture.
    package struct Counts: Sendable {
        package var packets = 0
        /// Packets of link types that are not read, by type.
        package var unread: [LinkType: Int] = [:]
        /// Packets that were cut when they were captured.
        package var cut = 0
        /// Packets of the air with a wrong checksum.
        package var damaged = 0
        /// Frames of channels that were opened before the capture began.
        package var unknownChannelFrames = 0
        package var sessions = 0
        package var sessionsWithKeys = 0
        package var firstTime: Int64?
        package var lastTime: Int64?
    }

    package private(set) var counts = Counts()
    let tell: (CaptureEvent) -> Void
    private let keys: CaptureKeys
    private var adverts: AdvertTable
    private var bluetooth = BluetoothHost()
    private var air = AirAdverts()
    private var tunnels = TunnelConnections()
    private var time: Int64?
    /// The sessions that were met, and their numbers.
    private var claimed: [[UInt8]: Int] = [:]
    private var channelCount = 0

    private static let network = "net"
    /// The most sessions whose repetition on another adapter is noticed.
    private static let maxClaimed = 100_000

    /// Begins.
    ///
    /// - Parameters:
    ///   - keys: with which it is read.
    ///   - tell: gets each event as it happens.
    package init(_ keys: CaptureKeys, tell: @escaping (CaptureEvent) -> Void) {
        self.keys = keys
        self.tell = tell
        adverts = AdvertTable(keys)
    }

    /// Takes the next packet.
    package func take(_ packet: CapturedPacket) {
        counts.packets += 1
        time = packet.time
        if let time = packet.time {
            counts.firstTime = counts.firstTime ?? time
            counts.lastTime = time
        }
        if packet.missingByteCount > 0 { counts.cut += 1 }
        switch packet.linkType {
        case .btsnoopHCI, .btsnoopH4, .btsnoopMonitor, .bluetoothH4, .bluetoothH4WithDirection, .bluetoothLinuxMonitor:
            guard let (adapter, packet) = HCIPacket.read(packet) else { return }
            bluetooth.take(packet, adapter: adapter, time: time, in: self)
        case .bluetoothLowEnergy, .bluetoothLowEnergyWithHeader: takeAir(packet)
        case .ethernet, .raw, .linuxCooked, .linuxCooked2:
            guard let segment = TCPSegment(packet) else { return }
            tunnels.take(segment, at: Self.network, in: self)
        default: counts.unread[packet.linkType, default: 0] += 1
        }
    }

    private func takeAir(_ packet: CapturedPacket) {
        switch AirAdvert.read(packet) {
        case .other: break
        case .damaged: counts.damaged += 1
        case .advert(let advert):
            guard let (address, data) = air.take(advert) else { return }
            note(
                data,
                AdvertTable.Sighting(
                    place: "air", time: packet.time, direction: .received, address: address,
                    isExtended: advert.isExtended, rssi: advert.rssi))
        }
    }

    /// Tells of everything that is still open. To be called when there are no more packets.
    package func finish() {
        bluetooth.finish(in: self)
        tunnels.finish(at: Self.network, in: self)
        let last = counts.lastTime
        adverts.finish { kind, place in tell(CaptureEvent(time: last, packet: 0, place: place, kind: kind)) }
    }

    /// Notes the adverts in advertising data.
    func note(_ data: ArraySlice<UInt8>, _ sighting: AdvertTable.Sighting) {
        for (service, serviceData) in CapturedAdvertisingData.services(in: data) {
            adverts.note(service, serviceData, sighting) { tell($0, at: $1) }
        }
    }

    /// Notes that an advert of ours is over.
    func end(_ data: ArraySlice<UInt8>, _ sighting: AdvertTable.Sighting) {
        for (service, serviceData) in CapturedAdvertisingData.services(in: data) {
            adverts.end(service, serviceData, sighting)
        }
    }

    /// The number of the next channel or tunnel.
    func nextChannelNumber() -> Int {
        channelCount += 1
        return channelCount
    }

    func countUnknownChannelFrame() { counts.unknownChannelFrames += 1 }

    /// Tells of an event of the packet at hand.
    func tell(_ kind: CaptureEvent.Kind, at place: String) {
        tell(CaptureEvent(time: time, packet: counts.packets, place: place, kind: kind))
    }

    /// Gives a session one piece that came on its channel.
    func take(_ piece: [UInt8], isFromClient: Bool, of session: SessionReader, channel: Int, at place: String) {
        session.take(piece, isFromClient: isFromClient) { outcome in
            switch outcome {
            case .began(let id): begin(session, id, channel: channel, at: place)
            case .message(let isFromClient, let contents):
                guard let number = session.number else { return }
                tell(
                    .message(
                        CapturedMessage(
                            session: number, carrier: session.carrier, isFromClient: isFromClient, contents: contents)),
                    at: place)
            case .lost(let reason):
                guard let number = session.number else { return }
                tell(.sessionLost(number: number, reason: reason), at: place)
            }
        }
    }

    private func begin(_ session: SessionReader, _ id: [UInt8], channel: Int, at place: String) {
        let earlier = claimed[id]
        let isRepetition = earlier != nil
        let found = isRepetition ? nil : keys.session(id)
        if !isRepetition {
            counts.sessions += 1
            counts.sessionsWithKeys += found == nil ? 0 : 1
            if claimed.count < Self.maxClaimed { claimed[id] = counts.sessions }
        }
        let number = earlier ?? counts.sessions
        session.number = number
        session.take(found)
        if isRepetition { session.stop() }
        tell(
            .session(
                CapturedSession(
                    number: number, id: id, carrier: session.carrier, channel: channel, hasKeys: found != nil,
                    isRepetition: isRepetition)),
            at: place)
    }
}
