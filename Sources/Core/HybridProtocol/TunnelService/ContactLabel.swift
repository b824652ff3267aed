/// An authenticator's label for one of its contact IDs: 8 bytes of its choice, its link ID.
///
/// It means nothing to the service.
public struct ContactLabel: Sendable, Hashable {
    /// The length of a label: 8 bytes.
    public static let byteCount = MemoryLayout<UInt64>.size

    private let value: UInt64

    /// Makes a label of 8 bytes.
    ///
    /// - Returns: nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        value = bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }

    /// The 8 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
