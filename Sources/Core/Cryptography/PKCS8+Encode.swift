// Writing private keys as libcrypto does: version 0, a P-256 key with its public half and without the curve's name.

extension PKCS8 {
    private static let version = DER.element(.integer, [0])

    /// The key as a DER PrivateKeyInfo.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm's object identifier and its parameters, less than 128 bytes.
    ///   - key: the key in its algorithm's own form.
    static func encoded(_ algorithm: [UInt8], key: Span<UInt8>) -> SecretBytes {
        let identifier = DER.head(.sequence, byteCount: algorithm.count) + algorithm
        let keyHead = DER.head(.octetString, byteCount: key.count)
        let front = version + identifier + keyHead
        let whole = DER.head(.sequence, byteCount: front.count + key.count) + front
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
}

extension P256.PrivateKey {
    /// The private key as a DER PrivateKeyInfo (RFC 5208), with its public half: 138 bytes.
    ///
    /// - Throws: `libraryFailure`.
    public func pkcs8() throws(CryptographyError) -> SecretBytes {
        let scalar = try scalar()
        let end = DER.element(.constructed1, DER.element(.bitString, [0] + publicKey.uncompressed))
        let front = DER.element(.integer, [1]) + DER.head(.octetString, byteCount: scalar.count)
        let inner = PKCS8.joined(
            DER.head(.sequence, byteCount: front.count + scalar.count + end.count) + front, scalar.span, end)
        return PKCS8.encoded(PKCS8.Algorithm.ecPublicKey + PKCS8.Algorithm.prime256v1, key: inner.span)
    }
}

extension Ed25519.PrivateKey {
    /// The private key as a DER PrivateKeyInfo (RFC 8410 section 7): 48 bytes.
    ///
    /// - Throws: `libraryFailure`.
    public func pkcs8() throws(CryptographyError) -> SecretBytes {
        let seed = try seed()
        let inner = PKCS8.joined(DER.head(.octetString, byteCount: seed.count), seed.span, [])
        return PKCS8.encoded(PKCS8.Algorithm.ed25519, key: inner.span)
    }
}
