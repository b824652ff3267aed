/// Writes packets of one link type as a pcapng file, with times in nanoseconds.
///
/// Source: draft-ietf-opsawg-pcapng. Little-endian.
package enum PcapngWriter {
    private static let nanoseconds: UInt8 = 9

    /// The section and interface blocks at the beginning of a file.
    package static func header(_ linkType: LinkType) -> [UInt8] {
        let section = little(0x1A2B_3C4D as UInt32) + little(1 as UInt16) + little(0 as UInt16) + little(UInt64.max)
        let resolution = little(9 as UInt16) + little(1 as UInt16) + [nanoseconds, 0, 0, 0] + little(0 as UInt32)
        let interface =
            little(UInt16(truncatingIfNeeded: linkType.rawValue)) + little(0 as UInt16) + little(0 as UInt32)
            + resolution
        return block(0x0A0D_0D0A, section) + block(1, interface)
    }

    /// The block of a packet. Of a longer one than ``CaptureReader/longestPacket``, which Wireshark would not take, the
    /// beginning is written, and its length.
    ///
    /// - Parameters:
    ///   - bytes: less than 2^32.
    ///   - time: nanoseconds since 1970; earlier ones become 0.
    package static func packet(_ bytes: [UInt8], time: Int64) -> [UInt8] {
        let stamp = UInt64(max(0, time))
        let captured = bytes.prefix(CaptureReader.longestPacket)
        let head =
            little(0 as UInt32) + little(UInt32(truncatingIfNeeded: stamp >> 32))
            + little(UInt32(truncatingIfNeeded: stamp)) + little(UInt32(truncatingIfNeeded: captured.count))
            + little(UInt32(truncatingIfNeeded: bytes.count))
        return block(6, head + captured + [UInt8](repeating: 0, count: (4 - captured.count % 4) % 4))
    }

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let length = little(UInt32(truncatingIfNeeded: body.count + 12))
        return little(type) + length + body + length
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<MemoryLayout<Number>.size).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
    }
}
