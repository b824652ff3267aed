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
