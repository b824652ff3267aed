/// Something that the kernel tells of a device that was made (linux/uhid.h).
package enum UHIDEvent: Sendable, Equatable {
    /// The device is there: input reports can be sent.
    case start
    /// The device goes: input reports can be sent no longer.
    case stop
    /// The first program has opened it.
    case open
    /// The last program has closed it.
    case close
    /// A program has sent an output report, without its number.
    case output([UInt8])
    /// A program asks for a report, which must be answered: see ``UHIDDevice/refuseReport(_:isSetting:)``.
    case getReport(UInt32)
    /// A program sets a report, which must be answered likewise.
    case setReport(UInt32)
    /// Anything else, which needs no answer.
    case other

    enum Kind {
        static let destroy: UInt32 = 1
        static let start: UInt32 = 2
        static let stop: UInt32 = 3
        static let open: UInt32 = 4
        static let close: UInt32 = 5
        static let output: UInt32 = 6
        static let getReport: UInt32 = 9
        static let getReportReply: UInt32 = 10
        static let create: UInt32 = 11
        static let input: UInt32 = 12
        static let setReport: UInt32 = 13
        static let setReportReply: UInt32 = 14
    }

    /// The largest report: UHID_DATA_MAX.
    static let maximumReportByteCount = 4_096
    private static let headByteCount = 4

    /// Reads an event: its kind, 4 bytes in the order of this machine, and the fields of the kind without padding.
    ///
    /// - Returns: nil if there are fewer bytes than the kind has.
    init?(_ bytes: [UInt8]) {
        guard let kind: UInt32 = Self.number(bytes[...]) else { return nil }
        let fields = bytes.dropFirst(Self.headByteCount)
        switch kind {
        case Kind.start: self = .start
        case Kind.stop: self = .stop
        case Kind.open: self = .open
        case Kind.close: self = .close
        case Kind.output:
            // The report, in a field of fixed length, and its length behind it. Its first byte is its number, 0.
            guard let count: UInt16 = Self.number(fields.dropFirst(Self.maximumReportByteCount)),
                count <= Self.maximumReportByteCount
            else { return nil }
            self = .output(Array(fields.prefix(Int(count)).dropFirst()))
        case Kind.getReport:
            guard let id: UInt32 = Self.number(fields) else { return nil }
            self = .getReport(id)
        case Kind.setReport:
            guard let id: UInt32 = Self.number(fields) else { return nil }
            self = .setReport(id)
        default: self = .other
        }
    }

    private static func number<Integer: FixedWidthInteger & UnsignedInteger>(
        _ bytes: ArraySlice<UInt8>
    ) -> Integer? {
        let count = MemoryLayout<Integer>.size
        guard bytes.count >= count else { return nil }
        return bytes.prefix(count).reversed().reduce(0) { $0 << UInt8.bitWidth | Integer($1) }
    }
}
