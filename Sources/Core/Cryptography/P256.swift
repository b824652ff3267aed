/// Elliptic-curve cryptography on P-256, also called secp256r1 and prime256v1 (NIST SP 800-186, X9.62).
public enum P256 {
    /// The length of a private scalar, of a coordinate, and of a shared secret: 32 bytes.
    public static let scalarByteCount = 32
    /// The length of a compressed point: a sign byte, then X: 33 bytes.
    public static let compressedByteCount = 1 + scalarByteCount
    /// The length of an uncompressed point: `04`, then X, then Y: 65 bytes.
    public static let uncompressedByteCount = 1 + 2 * scalarByteCount

    /// Name of the signatures' digest in libcrypto.
    static let signatureDigest = "SHA256"

    /// The first byte of a point's X9.62 form, which says how to read the rest.
    enum PointForm {
        static let compressedEvenY: UInt8 = 2
        static let compressedOddY: UInt8 = 3
        static let uncompressed: UInt8 = 4
    }
}
