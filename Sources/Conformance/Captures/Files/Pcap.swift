/// The format of libpcap: a header of 24 bytes, then packets with one of 16, in the byte order of the writer.
///
/// Source: draft-ietf-opsawg-pcap.
struct Pcap: CaptureFormat {
    let name = "pcap"
    private let order: ByteOrder
    /// The nanoseconds of a unit of the fraction: 1,000 or 1.
    private let unit: Int64
    private var linkType: LinkType?

    private static let headerByteCount = 24
    private static let recordHeaderByteCount = 16
    private static let microseconds: UInt32 = 0xA1B2_C3D4
    private static let nanoseconds: UInt32 = 0xA1B2_3C4D
    private static let majorVersion: UInt16 = 2
    /// The upper bits of the link type say something of checksums.
    private static let linkTypeMask: UInt32 = 0xFFFF

    /// Knows the format by its first 4 bytes; nil for another one.
    init?(magic: [UInt8]) {
        for order in [ByteOrder.big, .little] {
            var reader = ByteReader(magic[...])
            switch reader.number(UInt32.self, order) {
            case Self.microseconds: (self.order, unit) = (order, 1_000)
            case Self.nanoseconds: (self.order, unit) = (order, 1)
            default: continue
            }
            return
        }
        return nil
    }

    var hasBegun: Bool { linkType != nil }

    mutating func step(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> CaptureStep {
        var reader = ByteReader(bytes)
        guard let linkType else {
            guard reader.take(4) != nil, let major = reader.number(UInt16.self, order), reader.take(14) != nil,
                let number = reader.number(UInt32.self, order)
            else { return .incomplete }
            guard major == Self.majorVersion else { throw CaptureFault(reason: "pcap of version \(major), not 2") }
            linkType = LinkType(rawValue: number & Self.linkTypeMask)
            return .passed(Self.headerByteCount)
        }
        guard let seconds = reader.number(UInt32.self, order), let fraction = reader.number(UInt32.self, order),
            let included = reader.number(UInt32.self, order), let original = reader.number(UInt32.self, order)
        else { return .incomplete }
        let (count, missing) = try checkLength(included, of: original)
        guard let data = reader.take(count) else { return .incomplete }
        // Both factors have 32 bits, so that the sum has 63.
        let time = Int64(seconds) * 1_000_000_000 + Int64(fraction) * unit
        return .packet(
            CapturedPacket(time: time, linkType: linkType, bytes: data, missingByteCount: missing),
            Self.recordHeaderByteCount + count)
    }
}
