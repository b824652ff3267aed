internal import Conformance
package import Cryptography

/// The seed that all vectors are made from: bytes that depend on a label alone are the only randomness in them.
package struct VectorSeed: Sendable {
    private static let domain = "hybrid vectors"
    /// 64 bits more than a scalar has, so that every scalar is about as likely as any other.
    private static let wideScalarByteCount = P256.scalarByteCount + 8
    /// The order of P-256 minus one (FIPS 186-5, SP 800-186 section 3.2.1.3): the number of private keys.
    static let privateKeyCount: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x50,
    ]

    /// Makes the seed.
    package init() {}

    /// The bytes of a label: SHA-256 of `hybrid vectors/LABEL/OFFSET`, for each offset that is a multiple of 32.
    ///
    /// - Parameters:
    ///   - label: the purpose of the bytes.
    ///   - count: how many bytes.
    package func bytes(_ label: String, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let block = Array("\(Self.domain)/\(label)/\(bytes.count)".utf8)
            bytes += SHA256.hash(block.span)
        }
        return Array(bytes.prefix(count))
    }

    /// The private key of a label: a scalar of P-256 from 1 to its order minus one, 32 bytes, big-endian.
    package func privateKey(_ label: String) -> [UInt8] {
        let wide = Magnitude(bytes("scalar/\(label)", Self.wideScalarByteCount))
        return (wide % Magnitude(Self.privateKeyCount) + 1).bigEndianBytes(P256.scalarByteCount)
    }

    /// The public half of a label's private key, uncompressed: 65 bytes.
    ///
    /// - Throws: `CryptographyError`.
    package func publicKey(_ label: String) throws(CryptographyError) -> [UInt8] {
        let scalar = privateKey(label)
        return try P256.PrivateKey(scalar: scalar.span).publicKey.uncompressed
    }
}
