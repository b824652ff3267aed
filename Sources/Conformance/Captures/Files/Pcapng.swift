/// The format of Wireshark: blocks, of which those of sections, interfaces and packets are read here.
///
/// Source: draft-ietf-opsawg-pcapng.
struct Pcapng: CaptureFormat {
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    let name = "pcapng"
    private var order: ByteOrder?
    private var interfaces: [Interface] = []
    /// The number of interfaces of the sections before.
    private var earlierInterfaceCount = 0

    private struct Interface {
        let linkType: LinkType
        let longestPacket: Int
        var unitsPerSecond: UInt64 = 1_000_000
        var offset: Int64 = 0
    }

    private enum Block {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    private enum Option {
        static let end: UInt16 = 0
        static let packetFlags: UInt16 = 2
        static let resolution: UInt16 = 9
        static let offset: UInt16 = 14
    }

    private static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    /// Type, length before and length behind the body.
    private static let frameByteCount = 12
    private static let longestBlock = CaptureReader.longestPacket * 2
    private static let maxInterfaces = 4_096

    var hasBegun: Bool { order != nil }

    mutating func step(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> CaptureStep {
        var reader = ByteReader(bytes)
        guard bytes.count >= Self.frameByteCount else { return .incomplete }
        if bytes.starts(with: Self.magic) { order = try Self.order(bytes) }
        guard let order, let type = reader.number(UInt32.self, order), let length = reader.number(UInt32.self, order)
        else { throw CaptureFault(reason: "no section begins the file") }
        let byteCount = Int(length)
        guard byteCount >= Self.frameByteCount, byteCount.isMultiple(of: 4) else {
            throw CaptureFault(reason: "a block of \(byteCount) bytes")
        }
        let isKnown = [
            Block.section, Block.interface, Block.packet, Block.simplePacket, Block.enhancedPacket,
        ].contains(type)
        guard isKnown else { return .skip(byteCount) }
        guard byteCount <= Self.longestBlock else {
            throw CaptureFault(reason: "a block of \(byteCount) bytes, and \(Self.longestBlock) are the most")
        }
        guard let body = reader.take(byteCount - Self.frameByteCount), let end = reader.number(UInt32.self, order)
        else { return .incomplete }
        guard end == length else { throw CaptureFault(reason: "a block with two lengths: \(length) and \(end)") }
        let packet = try read(type, ByteReader(body), order)
        return packet.map { .packet($0, byteCount) } ?? .passed(byteCount)
    }

    private static func order(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> ByteOrder {
        for order in [ByteOrder.big, .little] {
            var reader = ByteReader(bytes.dropFirst(8))
            if reader.number(UInt32.self, order) == byteOrderMagic { return order }
        }
        throw CaptureFault(reason: "a section without its byte order")
    }

    private mutating func read(
        _ type: UInt32, _ body: ByteReader, _ order: ByteOrder
    ) throws(CaptureFault) -> CapturedPacket? {
        var body = body
        switch type {
        case Block.section:
            guard body.take(4) != nil, let major = body.number(UInt16.self, order), major == 1 else {
                throw CaptureFault(reason: "a section of another version than 1")
            }
            earlierInterfaceCount += interfaces.count
            interfaces = []
        case Block.interface: try addInterface(&body, order)
        case Block.simplePacket:
            guard let original = body.number(UInt32.self, order), let interface = interfaces.first else {
                throw CaptureFault(reason: "a packet of no interface")
            }
            let count = min(Int(original), interface.longestPacket, body.count)
            let data = body.take(count) ?? []
            return CapturedPacket(
                time: nil, linkType: interface.linkType, interface: earlierInterfaceCount, bytes: data,
                missingByteCount: Int(original) - count)
        case Block.packet:
            let index = body.number(UInt16.self, order)
            guard body.take(2) != nil else { throw CaptureFault(reason: "a packet block that is too short") }
            return try packet(&body, of: index.map(Int.init), order)
        case Block.enhancedPacket:
            let index = body.number(UInt32.self, order)
            return try packet(&body, of: index.map(Int.init), order)
        default: break
        }
        return nil
    }

    private mutating func addInterface(_ body: inout ByteReader, _ order: ByteOrder) throws(CaptureFault) {
        guard let number = body.number(UInt16.self, order), body.take(2) != nil,
            let snap = body.number(UInt32.self, order)
        else { throw CaptureFault(reason: "an interface block that is too short") }
        guard interfaces.count < Self.maxInterfaces else {
            throw CaptureFault(reason: "more than \(Self.maxInterfaces) interfaces")
        }
        var interface = Interface(
            linkType: LinkType(rawValue: UInt32(number)), longestPacket: snap == 0 ? .max : Int(snap))
        try Self.options(&body, order) { (code, value) throws(CaptureFault) in
            var value = ByteReader(value)
            if code == Option.resolution, let resolution = value.byte() {
                interface.unitsPerSecond = try Self.unitsPerSecond(resolution)
            } else if code == Option.offset, let offset = value.number(UInt64.self, order) {
                interface.offset = Int64(bitPattern: offset)
            }
        }
        interfaces.append(interface)
    }

    /// The meaning of the option if_tsresol: a power of 2 with the upper bit, otherwise of 10.
    private static func unitsPerSecond(_ resolution: UInt8) throws(CaptureFault) -> UInt64 {
        let exponent = Int(resolution & 0x7F)
        let isBinary = resolution & 0x80 != 0
        guard exponent <= (isBinary ? 63 : 19) else {
            throw CaptureFault(reason: "times of 64 bits cannot have a resolution of \(isBinary ? 2 : 10)^-\(exponent)")
        }
        return isBinary ? 1 << UInt64(exponent) : (0..<exponent).reduce(1) { value, _ in value * 10 }
    }

    private func packet(
        _ body: inout ByteReader, of index: Int?, _ order: ByteOrder
    ) throws(CaptureFault) -> CapturedPacket {
        guard let high = body.number(UInt32.self, order), let low = body.number(UInt32.self, order),
            let included = body.number(UInt32.self, order), let original = body.number(UInt32.self, order),
            let index
        else { throw CaptureFault(reason: "a packet block that is too short") }
        guard interfaces.indices.contains(index) else {
            throw CaptureFault(reason: "a packet of the interface \(index), of \(interfaces.count)")
        }
        let (count, missing) = try checkLength(included, of: original)
        guard let data = body.take(count), body.take((4 - count % 4) % 4) != nil else {
            throw CaptureFault(reason: "a packet of \(count) bytes that is longer than its block")
        }
        var direction: CapturedPacket.Direction?
        try Self.options(&body, order) { (code, value) throws(CaptureFault) in
            var value = ByteReader(value)
            guard code == Option.packetFlags, let flags = value.number(UInt32.self, order) else { return }
            direction = flags & 3 == 1 ? .received : flags & 3 == 2 ? .sent : nil
        }
        return CapturedPacket(
            time: Self.time(UInt64(high) << 32 | UInt64(low), interfaces[index]), linkType: interfaces[index].linkType,
            interface: earlierInterfaceCount + index, direction: direction, bytes: data, missingByteCount: missing)
    }

    private static func options(
        _ body: inout ByteReader, _ order: ByteOrder,
        _ take: (UInt16, ArraySlice<UInt8>) throws(CaptureFault) -> Void
    ) throws(CaptureFault) {
        while let code = body.number(UInt16.self, order), let length = body.number(UInt16.self, order) {
            guard code != Option.end else { return }
            guard let value = body.take(Int(length)), body.take((4 - Int(length) % 4) % 4) != nil else {
                throw CaptureFault(reason: "an option that is longer than its block")
            }
            try take(code, value)
        }
    }

    private static func time(_ stamp: UInt64, _ interface: Interface) -> Int64? {
        let (seconds, fraction) = stamp.quotientAndRemainder(dividingBy: interface.unitsPerSecond)
        // The fraction is less than a second, so that the quotient fits.
        let nanos = interface.unitsPerSecond.dividingFullWidth(fraction.multipliedFullWidth(by: 1_000_000_000)).quotient
        guard let seconds = Int64(exactly: seconds) else { return nil }
        let (shifted, isOut) = seconds.addingReportingOverflow(interface.offset)
        let (product, isTooMany) = shifted.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLate) = product.addingReportingOverflow(Int64(truncatingIfNeeded: nanos))
        return isOut || isTooMany || isTooLate ? nil : sum
    }
}
