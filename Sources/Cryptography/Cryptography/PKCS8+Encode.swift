// Writing private keys as libcrypto does: version 0, a P-256 key with its public half and without the curve's name.

extension PKCS8 {
    private static let version: [UInt8] = [DERCursor.Tag.integer, 1, 0]

    /// The key as a DER PrivateKeyInfo.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm's object identifier and its parameters, less than 128 bytes.
    ///   - key: The key in its algorithm's own form.
    static func encoded(_ algorithm: [UInt8], key: Span<UInt8>) -> SecretBytes {
        let identifier = head(DERCursor.Tag.sequence, algorithm.count) + algorithm
        let keyHead = head(DERCursor.Tag.octetString, key.count)
        let front = version + identifier + keyHead
        let whole = head(DERCursor.Tag.sequence, front.count + key.count) + front
        return joined(whole, key, [])
    }

    /// Bytes of which those in the middle are secret.
    fileprivate static func joined(_ front: [UInt8], _ secret: Span<UInt8>, _ end: [UInt8]) -> SecretBytes {
        SecretBytes(count: front.count + secret.count + end.count) { buffer in
            for (index, byte) in front.enumerated() { buffer[index] = byte }
            for index in secret.indices { buffer[front.count + index] = secret[index] }
            for (index, byte) in end.enumerated() { buffer[front.count + secret.count + index] = byte }
        }
    }

    /// The tag and the length of an element of less than 64 KiB.
    fileprivate static func head(_ tag: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [tag, UInt8(truncatingIfNeeded: count)]
        case ..<0x100: [tag, 0x81, UInt8(truncatingIfNeeded: count)]
        default: [tag, 0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        }
    }
}

extension P256.PrivateKey {
    /// The private key as a DER PrivateKeyInfo (RFC 5208), with its public half: 138 bytes.
    ///
    /// - Throws: `libraryFailure`.
    public func pkcs8() throws(CryptographyError) -> SecretBytes {
        let scalar = try scalar()
        let bits = PKCS8.head(DERCursor.Tag.bitString, 1 + P256.uncompressedByteCount) + [0] + publicKey.uncompressed
        let end = PKCS8.head(DERCursor.Tag.constructed1, bits.count) + bits
        let front = [DERCursor.Tag.integer, 1, 1] + PKCS8.head(DERCursor.Tag.octetString, scalar.count)
        let inner = PKCS8.joined(
            PKCS8.head(DERCursor.Tag.sequence, front.count + scalar.count + end.count) + front, scalar.span, end)
        return PKCS8.encoded(PKCS8.Algorithm.ecPublicKey + PKCS8.Algorithm.prime256v1, key: inner.span)
    }
}

extension Ed25519.PrivateKey {
    /// The private key as a DER PrivateKeyInfo (RFC 8410 section 7): 48 bytes.
    ///
    /// - Throws: `libraryFailure`.
    public func pkcs8() throws(CryptographyError) -> SecretBytes {
        let seed = try seed()
        let inner = PKCS8.joined(PKCS8.head(DERCursor.Tag.octetString, seed.count), seed.span, [])
        return PKCS8.encoded(PKCS8.Algorithm.ed25519, key: inner.span)
    }
}
