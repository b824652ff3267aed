/// The relying party's data for a credential, as its client compressed it: the extension largeBlob.
///
/// Source: WebAuthn Level 3 section 10.1.5. The data is not interpreted here.
public struct LargeBlob: Sendable, Hashable {
    /// The most compressed bytes that are kept: 4096, four times what CTAP 2.2 section 6.10 demands of an
    /// authenticator.
    public static let maxByteCount = 1 << 12
    /// The largest size that contents may be said to have: 1 MiB. A client allocates that much when it reads.
    public static let maxOriginalByteCount: UInt64 = 1 << 20

    /// The contents, compressed (DEFLATE), at most ``maxByteCount`` bytes.
    public let compressed: [UInt8]
    /// The length of the contents in bytes, at most ``maxOriginalByteCount``.
    public let originalByteCount: UInt64

    /// Takes contents; nil if they are too large.
    public init?(compressed: [UInt8], originalByteCount: UInt64) {
        guard compressed.count <= Self.maxByteCount, originalByteCount <= Self.maxOriginalByteCount else { return nil }
        self.compressed = compressed
        self.originalByteCount = originalByteCount
    }
}
