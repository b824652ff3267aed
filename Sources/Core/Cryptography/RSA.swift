internal import COpenSSL

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2).
public enum RSA {
    /// The size of keys that are drawn here: 2048 bits.
    public static let generatedBitCount = 2048
    /// The sizes of keys that are taken: 2048 to 4096 bits. Below that they are weak, and above slow.
    public static let bitCounts = 2048...4096
    /// The longest public exponent that is taken: 32 bits.
    static let maxExponentBitCount: Int32 = 32

    /// Names of the algorithm and of the signatures' digest in libcrypto.
    static let name = "RSA"
    static let signatureDigest = "SHA256"
}

extension KeyReference {
    /// Refuses a key that is not one of RSA, of a size that is taken.
    func checkRSA() throws(CryptographyError) {
        guard EVP_PKEY_is_a(pointer, RSA.name) == 1, RSA.bitCounts.contains(Int(EVP_PKEY_get_bits(pointer))) else {
            let range = RSA.bitCounts
            throw CryptographyError(
                .invalidKey, reason: "an RSA key has \(range.lowerBound) to \(range.upperBound) bits")
        }
    }

    /// One of an RSA key's public numbers, big-endian, without zeros in front.
    func number(_ name: StaticString) throws(CryptographyError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name.cString, &number) == 1, let number else {
            throw .library("EVP_PKEY_get_bn_param")
        }
        defer { BN_free(number) }
        let byteCount = (Int(BN_num_bits(number)) + UInt8.bitWidth - 1) / UInt8.bitWidth
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            initialized = Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }
}
