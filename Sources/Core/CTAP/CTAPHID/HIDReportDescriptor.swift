/// The description that a HID device gives of its reports (HID 1.11 section 6.2.2), as far as it tells a security key
/// from other devices.
package enum HIDReportDescriptor {
    /// The lengths of a security key's reports.
    package struct ReportLengths: Hashable, Sendable {
        /// Bytes of a report from the device.
        package let input: Int
        /// Bytes of a report to the device.
        package let output: Int
    }

    /// Looks for a security key in a descriptor: an outermost collection of the usage 0x01 of the page 0xF1D0
    /// (HT-HID-33).
    ///
    /// - Parameter descriptor: any bytes.
    /// - Returns: the lengths of the collection's reports, 1 byte or more each; nil if the device is not a security
    ///   key, the reports are numbered, or the descriptor cannot be read.
    package static func securityKeyReports(in descriptor: [UInt8]) -> ReportLengths? {
        var reader = DescriptorReader(descriptor)
        while let item = reader.next() { reader.take(item) }
        return reader.result
    }
}

/// An item of a descriptor.
private struct DescriptorItem {
    /// Type and tag: the item's first byte without its length.
    let kind: UInt8
    /// The value, little-endian, of 0, 1, 2 or 4 bytes.
    let value: UInt32
    let byteCount: Int
}

/// The walk through a descriptor.
private struct DescriptorReader {
    private enum Kind {
        static let input: UInt8 = 0x80
        static let output: UInt8 = 0x90
        static let collection: UInt8 = 0xA0
        static let feature: UInt8 = 0xB0
        static let endCollection: UInt8 = 0xC0
        static let usagePage: UInt8 = 0x04
        static let reportSize: UInt8 = 0x74
        static let reportNumber: UInt8 = 0x84
        static let reportCount: UInt8 = 0x94
        static let push: UInt8 = 0xA4
        static let pop: UInt8 = 0xB4
        static let usage: UInt8 = 0x08
        static let typeMask: UInt8 = 0x0C
        static let mainType: UInt8 = 0x00
    }

    /// Values that hold until an item changes them.
    private struct Globals {
        var page: UInt32 = 0
        var size: UInt32 = 0
        var count: UInt32 = 0
    }

    private static let longItem: UInt8 = 0xFE
    private static let lengthMask: UInt8 = 0x03
    private static let application: UInt32 = 0x01
    /// The page 0xF1D0 and the usage 0x01.
    private static let securityKey: UInt32 = 0xF1D0_0001
    private static let pageShift: UInt32 = 16
    /// No report is longer than the kernel's buffers: 16 KiB.
    private static let maximumBitCount: UInt64 = 16 * 1_024 * 8
    private static let maximumDepth = 16

    private var rest: ArraySlice<UInt8>
    private var globals = Globals()
    private var saved: [Globals] = []
    private var usage: UInt32?
    private var depth = 0
    private var isInside = false
    private var isFound = false
    private var isUnreadable = false
    private var inputBits: UInt64 = 0
    private var outputBits: UInt64 = 0

    init(_ descriptor: [UInt8]) { rest = descriptor[...] }

    var result: HIDReportDescriptor.ReportLengths? {
        guard isFound, !isUnreadable, depth == 0, inputBits > 0, outputBits > 0 else { return nil }
        return HIDReportDescriptor.ReportLengths(input: Self.bytes(inputBits), output: Self.bytes(outputBits))
    }

    private static func bytes(_ bits: UInt64) -> Int { (Int(bits) + UInt8.bitWidth - 1) / UInt8.bitWidth }

    /// The next short item; long ones have no meaning, and are passed over.
    mutating func next() -> DescriptorItem? {
        while !isUnreadable, let first = rest.popFirst() {
            guard first == Self.longItem else {
                let code = Int(first & Self.lengthMask)
                let count = code == 3 ? 4 : code
                guard let bytes = taken(count) else { return nil }
                let value = bytes.reversed().reduce(UInt32(0)) { $0 << UInt8.bitWidth | UInt32($1) }
                return DescriptorItem(kind: first & ~Self.lengthMask, value: value, byteCount: count)
            }
            // The length, a tag, and the bytes.
            guard let length = taken(2)?.first, taken(Int(length)) != nil else { return nil }
        }
        return nil
    }

    private mutating func taken(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else {
            isUnreadable = true
            return nil
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func take(_ item: DescriptorItem) {
        switch item.kind {
        case Kind.usagePage: globals.page = item.value
        case Kind.reportSize: globals.size = item.value
        case Kind.reportCount: globals.count = item.value
        // The bytes of a numbered report stand elsewhere.
        case Kind.reportNumber: isUnreadable = true
        case Kind.push where saved.count < Self.maximumDepth: saved.append(globals)
        case Kind.pop where !saved.isEmpty: globals = saved.removeLast()
        case Kind.push, Kind.pop: isUnreadable = true
        // Of several usages a collection has the first; one of 4 bytes names its page.
        case Kind.usage where usage == nil:
            usage = item.byteCount == 4 ? item.value : globals.page << Self.pageShift | item.value
        case Kind.collection: open(item)
        case Kind.endCollection: close()
        case Kind.input where isInside: add(to: \.inputBits)
        case Kind.output where isInside: add(to: \.outputBits)
        default: break
        }
        // A usage is for the next main item alone.
        if item.kind & Kind.typeMask == Kind.mainType { usage = nil }
    }

    private mutating func open(_ item: DescriptorItem) {
        if depth == 0, item.value == Self.application, usage == Self.securityKey {
            isInside = true
            isFound = true
        }
        depth += 1
    }

    private mutating func close() {
        guard depth > 0 else {
            isUnreadable = true
            return
        }
        depth -= 1
        if depth == 0 { isInside = false }
    }

    private mutating func add(to bits: WritableKeyPath<Self, UInt64>) {
        let (field, overflows) = UInt64(globals.size).multipliedReportingOverflow(by: UInt64(globals.count))
        guard !overflows, field <= Self.maximumBitCount, self[keyPath: bits] + field <= Self.maximumBitCount else {
            isUnreadable = true
            return
        }
        self[keyPath: bits] += field
    }
}
