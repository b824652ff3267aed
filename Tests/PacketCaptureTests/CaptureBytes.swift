/// Capture files, made by hand.
enum CaptureBytes {
    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    static func number<Number: FixedWidthInteger>(_ number: Number, isBig: Bool) -> [UInt8] {
        isBig ? big(number) : little(number)
    }

    /// The bytes of several parts.
    static func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

    /// 2026-11-23 12:00:00.000001 UTC, as btsnoop counts.
    static let btsnoopTime: UInt64 = 0x00E0_3AB4_4A67_6000 + 848_750_400_000_001

    static func btsnoop(_ packets: [[UInt8]], linkType: UInt32 = 1002, flags: UInt32 = 0) -> [UInt8] {
        var file = join(Array("btsnoop\0".utf8), big(UInt32(1)), big(linkType))
        for packet in packets {
            let count = big(UInt32(packet.count))
            file += join(count, count, big(flags), big(UInt32(0)), big(btsnoopTime), packet)
        }
        return file
    }

    static func pcap(_ packets: [[UInt8]], isBig: Bool, isNano: Bool, linkType: UInt32 = 187) -> [UInt8] {
        let magic: UInt32 = isNano ? 0xA1B2_3C4D : 0xA1B2_C3D4
        var file = join(
            number(magic, isBig: isBig), number(UInt16(2), isBig: isBig), number(UInt16(4), isBig: isBig),
            number(UInt64(0), isBig: isBig), number(UInt32(65535), isBig: isBig), number(linkType, isBig: isBig))
        for packet in packets {
            file += join(
                number(UInt32(1_795_435_200), isBig: isBig), number(UInt32(7), isBig: isBig),
                number(UInt32(packet.count), isBig: isBig), number(UInt32(packet.count + 3), isBig: isBig), packet)
        }
        return file
    }

    static func block(_ type: UInt32, _ body: [UInt8], isBig: Bool) -> [UInt8] {
        let length = number(UInt32(body.count + 12), isBig: isBig)
        return join(number(type, isBig: isBig), length, body, length)
    }

    static func section(isBig: Bool) -> [UInt8] {
        let body = join(
            number(UInt32(0x1A2B_3C4D), isBig: isBig), number(UInt16(1), isBig: isBig),
            number(UInt16(0), isBig: isBig), number(UInt64.max, isBig: isBig))
        return block(0x0A0D_0D0A, body, isBig: isBig)
    }

    static func interface(_ linkType: UInt16, resolution: UInt8? = nil, isBig: Bool) -> [UInt8] {
        var body = join(
            number(linkType, isBig: isBig), number(UInt16(0), isBig: isBig), number(UInt32(0), isBig: isBig))
        if let resolution {
            body += join(number(UInt16(9), isBig: isBig), number(UInt16(1), isBig: isBig), [resolution, 0, 0, 0])
        }
        return block(1, body, isBig: isBig)
    }

    static func packet(
        _ bytes: [UInt8], interface: UInt32, stamp: UInt64, flags: UInt32? = nil, isBig: Bool
    ) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        let count = number(UInt32(bytes.count), isBig: isBig)
        var body = join(
            number(interface, isBig: isBig), number(UInt32(stamp >> 32), isBig: isBig),
            number(UInt32(truncatingIfNeeded: stamp), isBig: isBig), count, count, bytes, padding)
        if let flags {
            body += join(
                number(UInt16(2), isBig: isBig), number(UInt16(4), isBig: isBig), number(flags, isBig: isBig))
        }
        return block(6, body, isBig: isBig)
    }
}
