@testable internal import Captures

extension FuzzTarget {
    static let captureFile = FuzzTarget(
        "capture-file", "files of captures, in pieces of any size, and what is told of them", maxByteCount: 24_576
    ) { input in
        let size = 1 + Int(input.byte())
        let keys = captureKeys(&input)
        let file = input.rest()
        let whole = CaptureReading(file, by: max(1, file.count))
        expect(CaptureReading(file, by: size) == whole, "in pieces of \(size) bytes a file is read otherwise")
        expect(whole.offset <= file.count, "more is read than there is")
        expect(whole.packets.allSatisfy { $0.bytes.count <= CaptureReader.longestPacket }, "a packet is too long")
        var written = PcapngWriter.header(.upperPDU)
        for packet in whole.packets { written += PcapngWriter.packet(Array(packet.bytes), time: packet.time ?? 0) }
        let again = CaptureReading(written, by: written.count)
        expect(again.packets.map(\.bytes) == whole.packets.map(\.bytes) && again.isWhole, "packets change when written")
        expect(again.packets.map(\.time) == whole.packets.map { max(0, $0.time ?? 0) }, "times change when written")
        CaptureWatch.watch(whole.packets, keys)
    }

    static let capture = FuzzTarget(
        "capture", "packets of Bluetooth hosts, the air and networks, and what is told of them", maxByteCount: 16_384
    ) { input in
        let keys = captureKeys(&input)
        var packets: [CapturedPacket] = []
        while !input.isEmpty {
            let linkType = input.one(of: captureLinkTypes)
            let (adapter, opcode) = (UInt32(input.byte()), UInt32(input.byte()))
            var bytes = input.counted(atMost: 2_047)
            if linkType == .bluetoothLowEnergy, bytes.count > 4 {
                // A checksum is not drawn right by chance.
                bytes += AirAdvert.checksum(bytes.dropFirst(4))
            }
            packets.append(
                CapturedPacket(
                    time: Int64(packets.count) * 1_000, linkType: linkType, interface: Int(adapter),
                    direction: opcode >> 7 == 0 ? nil : opcode & 1 == 0 ? .sent : .received,
                    flags: adapter << 16 | opcode & 0x7F, bytes: bytes[...]))
        }
        CaptureWatch.watch(packets, keys)
    }

    private static let captureLinkTypes: [LinkType] = [
        .btsnoopMonitor, .btsnoopHCI, .btsnoopH4, .bluetoothH4, .bluetoothH4WithDirection, .bluetoothLinuxMonitor,
        .bluetoothLowEnergy, .bluetoothLowEnergyWithHeader, .ethernet, .raw, .linuxCooked, .linuxCooked2,
    ]

    /// A QR code's secret, and a line of a key log.
    private static func captureKeys(_ input: inout FuzzInput) -> CaptureKeys {
        let keys = CaptureKeys()
        if input.bool() { try? keys.add(secret: input.bytes(16).span) }
        keys.add(line: String(decoding: input.counted(atMost: 255), as: UTF8.self))
        return keys
    }
}

/// Result of reading a file.
private struct CaptureReading: Equatable {
    struct Packet: Equatable {
        let packet: CapturedPacket

        static func == (one: Self, other: Self) -> Bool {
            let (one, other) = (one.packet, other.packet)
            return one.bytes == other.bytes && one.time == other.time && one.linkType == other.linkType
                && one.interface == other.interface && one.direction == other.direction && one.flags == other.flags
                && one.missingByteCount == other.missingByteCount
        }
    }

    private var read: [Packet] = []
    private(set) var error: CaptureError?
    private(set) var offset = 0
    private(set) var isWhole = false

    var packets: [CapturedPacket] { read.map(\.packet) }

    init(_ file: [UInt8], by size: Int) {
        guard var reader = CaptureReader(start: Array(file.prefix(CaptureReader.magicByteCount))) else { return }
        do throws(CaptureError) {
            for start in stride(from: 0, to: file.count, by: size) {
                reader.append(Array(file[start..<min(file.count, start + size)]))
                while let packet = try reader.next() { read.append(Packet(packet: packet)) }
            }
        } catch {
            self.error = error
        }
        offset = reader.offset
        isWhole = error == nil && reader.isBetweenRecords
    }
}

/// Watches the events of a capture: nothing ends that has not begun, and everything ends.
private final class CaptureWatch {
    private var openChannels: Set<Int> = []
    private var openAdverts: Set<Int> = []
    private var advertCount = 0
    private var readable: [Int: Bool] = [:]
    private var lost: Set<Int> = []

    static func watch(_ packets: [CapturedPacket], _ keys: CaptureKeys) {
        let watch = CaptureWatch()
        let analysis = CaptureAnalysis(keys) { watch.take($0, of: packets.count) }
        for packet in packets { analysis.take(packet) }
        analysis.finish()
        expect(analysis.counts.packets == packets.count, "not every packet is counted")
        expect(watch.openChannels.isEmpty, "channels \(watch.openChannels) do not end")
        expect(watch.openAdverts.isEmpty, "the times of adverts \(watch.openAdverts) are not told")
        expect(watch.readable.count == analysis.counts.sessions, "sessions are counted otherwise than told")
        let keyCount = watch.readable.values.count { $0 }
        expect(keyCount == analysis.counts.sessionsWithKeys, "keys are counted otherwise than told")
    }

    private func take(_ event: CaptureEvent, of packetCount: Int) {
        expect(0...packetCount ~= event.packet, "an event is of the packet \(event.packet), of \(packetCount)")
        switch event.kind {
        case .advert(let advert):
            advertCount += 1
            expect(advert.number == advertCount, "an advert has the number \(advert.number)")
            openAdverts.insert(advert.number)
        case .advertTimes(let advert, let times):
            expect(openAdverts.remove(advert.number) != nil, "the times of no advert are told")
            expect(times.count > 0, "an advert was seen \(times.count) times")
        case .channelOpened(let channel): open(channel.number)
        case .channelClosed(let channel, _): close(channel.number)
        case .tunnelOpened(let tunnel): open(tunnel.number)
        case .tunnelClosed(let tunnel, _): close(tunnel.number)
        case .channelRefused: break
        case .session(let session):
            expect(openChannels.contains(session.channel), "a session is on the channel \(session.channel)")
            expect(session.id.count == 32, "a session's name has \(session.id.count) bytes")
            let isKnown = readable[session.number] != nil
            expect(isKnown == session.isRepetition, "the session \(session.number) begins twice")
            if !isKnown { readable[session.number] = session.hasKeys }
        case .message(let message):
            guard let isReadable = readable[message.session] else { finding("a message is of no session") }
            expect(!lost.contains(message.session), "a message follows behind what cannot be followed")
            switch message.contents {
            case .handshake(let bytes): expect(bytes.count == 81, "a handshake message has \(bytes.count) bytes")
            case .first, .message: expect(isReadable, "a message is opened without keys")
            case .sealed(let count): expect(!isReadable && count > 0, "\(count) sealed bytes")
            }
        case .sessionLost(let number, _):
            expect(readable[number] != nil, "what is lost is not a session")
            expect(lost.insert(number).inserted, "a session is lost twice")
        }
    }

    private func open(_ number: Int) { expect(openChannels.insert(number).inserted, "two channels \(number)") }

    private func close(_ number: Int) {
        expect(openChannels.remove(number) != nil, "the channel \(number) is not open")
    }
}
