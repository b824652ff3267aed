/// The number of a logical channel (CTAP 2.1 section 11.2.3): 4 bytes, big-endian, at the head of every report.
///
/// All programs that use a device share its reports; each has a channel of its own.
package struct CTAPHIDChannel: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: UInt32

    /// Makes a channel of its number.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Channel 0, which is never anybody's (HT-HID-2).
    package static let reserved = Self(rawValue: 0)
    /// The channel on which a program asks for one of its own (HT-HID-2).
    package static let broadcast = Self(rawValue: .max)

    static let byteCount = 4

    /// Reads a channel from the first 4 bytes of a report; nil if there are fewer.
    init?(leading bytes: some Collection<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        rawValue = bytes.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The 4 bytes.
    var bytes: [UInt8] { (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) } }
}
