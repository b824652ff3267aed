import Captures
import Testing

/// The formats of captures: btsnoop, pcap, pcapng.
@Suite("A capture")
struct CaptureReaderTests {
    private static let packets: [[UInt8]] = [[4, 1, 0], [], [UInt8](repeating: 7, count: 1_000), [2, 1]]

    @Test("of btsnoop has its packets, times and directions")
    func btsnoop() throws {
        let (packets, isWhole) = try read(CaptureBytes.btsnoop(Self.packets, flags: 1))
        #expect(isWhole && packets.map { Array($0.bytes) } == Self.packets)
        #expect(packets.allSatisfy { $0.time == 1_795_435_200_000_001_000 && $0.direction == .received })
        #expect(packets.allSatisfy { $0.linkType == .btsnoopH4 && $0.missingByteCount == 0 })
    }

    @Test("of pcap is read in both byte orders and resolutions", arguments: [false, true], [false, true])
    func pcap(isBig: Bool, isNano: Bool) throws {
        let (packets, isWhole) = try read(CaptureBytes.pcap(Self.packets, isBig: isBig, isNano: isNano))
        #expect(isWhole && packets.map { Array($0.bytes) } == Self.packets)
        #expect(packets.allSatisfy { $0.time == 1_795_435_200_000_000_000 + (isNano ? 7 : 7_000) })
        #expect(packets.allSatisfy { $0.linkType == .bluetoothH4 && $0.missingByteCount == 3 })
    }

    @Test(
        "of pcapng has several interfaces, each with its resolution; unknown blocks are skipped",
        arguments: [false, true])
    func pcapng(isBig: Bool) throws {
        let unknown = CaptureBytes.block(0x0BAD, [UInt8](repeating: 1, count: 600_000), isBig: isBig)
        let simple: [UInt8] = CaptureBytes.join(CaptureBytes.number(UInt32(2), isBig: !isBig), [8, 8, 0, 0])
        let file = CaptureBytes.join(
            CaptureBytes.section(isBig: isBig), CaptureBytes.interface(187, isBig: isBig),
            CaptureBytes.interface(251, resolution: 9, isBig: isBig),
            CaptureBytes.interface(254, resolution: 0x80 | 10, isBig: isBig), unknown,
            CaptureBytes.packet([1], interface: 0, stamp: 5, flags: 1, isBig: isBig),
            CaptureBytes.packet([1, 2, 3, 4], interface: 1, stamp: 1_795_435_200_000_000_005, isBig: isBig),
            CaptureBytes.packet([1, 2], interface: 2, stamp: 2_048 + 512, flags: 2, isBig: isBig),
            // Another section begins its numbers anew.
            CaptureBytes.section(isBig: !isBig), CaptureBytes.interface(201, isBig: !isBig),
            CaptureBytes.packet([9], interface: 0, stamp: 1, isBig: !isBig),
            CaptureBytes.block(3, simple, isBig: !isBig))
        let (packets, isWhole) = try read(file)
        #expect(isWhole)
        #expect(packets.map { Array($0.bytes) } == [[1], [1, 2, 3, 4], [1, 2], [9], [8, 8]])
        #expect(packets.map(\.time) == [5_000, 1_795_435_200_000_000_005, 2_500_000_000, 1_000, nil])
        #expect(packets.map(\.linkType.rawValue) == [187, 251, 254, 201, 201])
        #expect(packets.map(\.interface) == [0, 1, 2, 3, 3])
        #expect(packets.map(\.direction) == [.received, nil, .sent, nil, nil])
    }

    @Test("that ends anywhere has the packets before, and says that it is cut")
    func cut() throws {
        let pcapng = CaptureBytes.join(
            CaptureBytes.section(isBig: false), CaptureBytes.interface(187, isBig: false),
            CaptureBytes.packet([1, 2, 3], interface: 0, stamp: 1, isBig: false),
            CaptureBytes.block(77, [1, 2, 3, 4], isBig: false))
        let files = [
            CaptureBytes.btsnoop([[1, 2, 3]]), CaptureBytes.pcap([[1, 2, 3]], isBig: true, isNano: false), pcapng,
        ]
        for file in files {
            for count in 8..<file.count {
                let (packets, isWhole) = try read(Array(file.prefix(count)))
                let ends = count == 16 || count == 24 || count == 28 || count == 48 || count == file.count - 16
                #expect(!isWhole || ends, "\(count) of \(file.count)")
                #expect(packets.count <= 1)
            }
            #expect(try read(file).packets.count == 1 && read(file).isWhole)
        }
    }

    @Test("that lies about a length is refused there")
    func lies() throws {
        var tooLong = CaptureBytes.btsnoop([[1]])
        tooLong.replaceSubrange(20..<24, with: CaptureBytes.big(UInt32.max))
        let section = CaptureBytes.section(isBig: true)
        // Of version 2.
        var newer = section
        newer[13] = 2
        let head = CaptureBytes.join(section, CaptureBytes.interface(187, isBig: true))
        var twoLengths = CaptureBytes.join(
            head, CaptureBytes.packet([1, 2, 3, 4], interface: 0, stamp: 1, isBig: true))
        twoLengths[twoLengths.count - 1] ^= 4
        let interfaces = [[UInt8]](repeating: CaptureBytes.interface(1, isBig: true), count: 4_097)
        let packetType = CaptureBytes.big(UInt32(6))
        let files: [[UInt8]] = [
            tooLong, twoLengths, newer,
            CaptureBytes.join(head, CaptureBytes.packet([1], interface: 1, stamp: 1, isBig: true)),
            CaptureBytes.join(head, packetType, CaptureBytes.big(UInt32(8)), [0, 0, 0, 0]),
            CaptureBytes.join(head, packetType, CaptureBytes.big(UInt32.max - 3), [0, 0, 0, 0]),
            CaptureBytes.join(head, CaptureBytes.block(6, [0, 0, 0, 0], isBig: true)),
            CaptureBytes.join(section, CaptureBytes.interface(1, resolution: 20, isBig: true)),
            CaptureBytes.join(section, CaptureBytes.interface(1, resolution: 0xFF, isBig: true)),
            CaptureBytes.join(section, Array(interfaces.joined())),
            CaptureBytes.join(Array("btsnoop\0".utf8), CaptureBytes.big(UInt32(2)), CaptureBytes.big(UInt32(1))),
        ]
        for (index, file) in files.enumerated() {
            #expect(throws: CaptureError.self, "file \(index)") { try read(file) }
        }
        #expect(CaptureReader(start: Array("%PDF-1.7".utf8)) == nil && CaptureReader(start: []) == nil)
    }

    @Test("is the same in whatever pieces it comes")
    func pieces() throws {
        let file = CaptureBytes.pcap(Self.packets, isBig: false, isNano: true)
        for size in [1, 2, 7, 64, 1_001] {
            #expect(try read(file, by: size).packets.map { Array($0.bytes) } == Self.packets)
        }
    }

    @Test("that we write is read again, with its times")
    func writing() throws {
        let times: [Int64] = [0, 1, 1_795_435_200_123_456_789, .max]
        var file = PcapngWriter.header(.upperPDU)
        for (packet, time) in zip(Self.packets, times) { file += PcapngWriter.packet(packet, time: time) }
        let (packets, isWhole) = try read(file)
        #expect(isWhole && packets.map { Array($0.bytes) } == Self.packets && packets.map(\.time) == times)
        #expect(packets.allSatisfy { $0.linkType == .upperPDU })
    }

    @Test("that we write has of a packet no more than Wireshark takes, and its length", arguments: [0, 1, 2, 70_001])
    func longPacket(excess: Int) throws {
        let packet = [UInt8](repeating: 3, count: CaptureReader.longestPacket + excess)
        let written = [PcapngWriter.packet(packet, time: 1), PcapngWriter.packet([9], time: 2)]
        let (packets, isWhole) = try read(PcapngWriter.header(.upperPDU) + written.joined())
        #expect(isWhole && packets.map(\.bytes.count) == [262_144, 1])
        #expect(packets.map(\.missingByteCount) == [excess, 0])
    }
}

private func read(_ file: [UInt8], by size: Int = 1 << 16) throws -> (packets: [CapturedPacket], isWhole: Bool) {
    guard var reader = CaptureReader(start: Array(file.prefix(8))) else { return ([], false) }
    var packets: [CapturedPacket] = []
    var position = 0
    while position < file.count {
        let end = min(file.count, position + size)
        reader.append(Array(file[position..<end]))
        position = end
        while let packet = try reader.next() { packets.append(packet) }
    }
    return (packets, reader.isBetweenRecords)
}
