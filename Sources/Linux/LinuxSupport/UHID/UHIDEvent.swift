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

/// Requests to the kernel, as bytes of linux/uhid.h: a kind, and its fields without padding, little-endian.
enum UHIDRequest {
    private static let nameByteCount = 128
    private static let placeByteCount = 64
    /// HID_MAX_DESCRIPTOR_SIZE.
    private static let maximumDescriptorByteCount = 4_096
    /// EIO, which the kernel tells the program that asked, whatever stands here.
    private static let failure: UInt16 = 5

    /// Makes the device.
    ///
    /// - Throws: `tooLong`.
    static func create(_ device: HIDDevice) throws(UHIDError) -> [UInt8] {
        guard device.descriptor.count <= maximumDescriptorByteCount else {
            throw UHIDError(.tooLong, reason: "a report descriptor of \(device.descriptor.count) bytes")
        }
        let texts =
            try text(device.name, nameByteCount) + text(device.place, placeByteCount)
            + text(device.serialNumber, placeByteCount)
        let count = UInt16(truncatingIfNeeded: device.descriptor.count)
        let numbers = [UInt32(device.vendor), UInt32(device.product), UInt32(device.version), 0].flatMap { bytes($0) }
        return bytes(UHIDEvent.Kind.create) + texts + bytes(count) + bytes(device.bus.rawValue) + numbers
            + device.descriptor
    }

    /// Takes the device away.
    static let destroy = bytes(UHIDEvent.Kind.destroy)

    /// Sends an input report.
    ///
    /// - Throws: `tooLong`.
    static func input(_ report: [UInt8]) throws(UHIDError) -> [UInt8] {
        guard report.count <= UHIDEvent.maximumReportByteCount else {
            throw UHIDError(.tooLong, reason: "a report of \(report.count) bytes")
        }
        return bytes(UHIDEvent.Kind.input) + bytes(UInt16(truncatingIfNeeded: report.count)) + report
    }

    /// Answers that there is no such report.
    static func refusal(_ id: UInt32, isSetting: Bool) -> [UInt8] {
        isSetting
            ? bytes(UHIDEvent.Kind.setReportReply) + bytes(id) + bytes(failure)
            : bytes(UHIDEvent.Kind.getReportReply) + bytes(id) + bytes(failure) + bytes(UInt16(0))
    }

    /// A text with the zeros behind it that fill its field; at least one.
    private static func text(_ text: String, _ count: Int) throws(UHIDError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count < count else {
            throw UHIDError(.tooLong, reason: "\"\(text)\" has more than \(count - 1) bytes")
        }
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    private static func bytes<Integer: FixedWidthInteger>(_ number: Integer) -> [UInt8] {
        (0..<MemoryLayout<Integer>.size).map { UInt8(truncatingIfNeeded: number >> Integer($0 * UInt8.bitWidth)) }
    }
}
