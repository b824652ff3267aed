/// The format of Android's and BlueZ's HCI logs: a header of 16 bytes, then packets with one of 24. All big-endian.
///
/// Source: RFC 1761 (snoop), of which it is a variant; BlueZ src/shared/btsnoop.c.
struct Btsnoop: CaptureFormat {
    static let magic = Array("btsnoop\0".utf8)
    let name = "btsnoop"
    private var linkType: LinkType?

    private static let headerByteCount = 16
    private static let recordHeaderByteCount = 24
    private static let version: UInt32 = 1
    /// The microseconds from the year 0 to 1970, as the format counts them.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
    private static let receivedFlag: UInt32 = 1

    var hasBegun: Bool { linkType != nil }

    mutating func step(_ bytes: ArraySlice<UInt8>) throws(CaptureFault) -> CaptureStep {
        var reader = ByteReader(bytes)
        guard let linkType else {
            guard reader.take(Self.magic.count) != nil, let version = reader.bigEndian(UInt32.self),
                let number = reader.bigEndian(UInt32.self)
            else { return .incomplete }
            guard version == Self.version else { throw CaptureFault(reason: "btsnoop of version \(version), not 1") }
            linkType = LinkType(rawValue: number)
            return .passed(Self.headerByteCount)
        }
        guard let original = reader.bigEndian(UInt32.self), let included = reader.bigEndian(UInt32.self),
            let flags = reader.bigEndian(UInt32.self), reader.bigEndian(UInt32.self) != nil,
            let stamp = reader.bigEndian(UInt64.self)
        else { return .incomplete }
        let (count, missing) = try checkLength(included, of: original)
        guard let data = reader.take(count) else { return .incomplete }
        let (micros, tooEarly) = Int64(bitPattern: stamp).subtractingReportingOverflow(Self.epoch)
        let (nanos, tooLate) = micros.multipliedReportingOverflow(by: 1_000)
        let isMonitor = linkType == .btsnoopMonitor
        return .packet(
            CapturedPacket(
                time: tooEarly || tooLate ? nil : nanos, linkType: linkType,
                direction: isMonitor ? nil : flags & Self.receivedFlag == 0 ? .sent : .received, flags: flags,
                bytes: data, missingByteCount: missing),
            Self.recordHeaderByteCount + count)
    }
}
