/// Private keys as PKCS #8 (RFC 5208) and its successor with a public half (RFC 5958), in DER.
public enum PKCS8 {
    /// The longest key that is read: 4 KiB. One of RSA with 4096 bits has less than 2.5 KiB.
    public static let maxByteCount = 1 << 12

    /// A private key of one of the algorithms that there are here.
    public enum Key: ~Copyable, Sendable {
        /// An elliptic-curve key on P-256 (RFC 5915).
        case p256(P256.PrivateKey)
        /// An Ed25519 key (RFC 8410).
        case ed25519(Ed25519.PrivateKey)
        /// An RSA key (RFC 8017 appendix A.1.2).
        case rsa(RSA.PrivateKey)
    }

    /// The elements of algorithms.
    enum Algorithm {
        static let ecPublicKey = DER.element(.objectIdentifier, DER.Identifier.ecPublicKey)
        static let prime256v1 = DER.element(.objectIdentifier, DER.Identifier.prime256v1)
        static let ed25519 = DER.element(.objectIdentifier, DER.Identifier.ed25519)
        static let rsaEncryption = DER.element(.objectIdentifier, DER.Identifier.rsaEncryption)
        /// The parameter of `rsaEncryption`, which may be missing.
        static let null = DER.element(.null, [])
    }

    /// The parts of a key.
    private struct Parts {
        /// The algorithm's object identifier and its parameters, each with tag and length.
        let identifier: Range<Int>
        let parameters: Range<Int>
        /// The key in its algorithm's own form.
        let key: Range<Int>
        /// The public half behind it, in its algorithm's own form; nil without one.
        let publicKey: Range<Int>?
    }

    /// Reads a key. If it comes with its public half, that must be the right one; an RSA key must verify its signature.
    ///
    /// - Parameter der: at most ``maxByteCount`` bytes, with nothing behind the key. The caller wipes them.
    /// - Throws: `unsupportedAlgorithm` for a whole key of another algorithm or curve; `invalidKey`; `libraryFailure`.
    public static func parse(_ der: Span<UInt8>) throws(CryptographyError) -> Key {
        guard der.count <= maxByteCount, let parts = parts(der) else { throw invalid("not a PKCS #8 private key") }
        if der.has(Algorithm.ecPublicKey, at: parts.identifier) {
            guard der.has(Algorithm.prime256v1, at: parts.parameters) else {
                throw unsupported("an elliptic-curve key that is not on P-256")
            }
            return .p256(try p256(der, parts))
        }
        if der.has(Algorithm.ed25519, at: parts.identifier) { return .ed25519(try ed25519(der, parts)) }
        guard der.has(Algorithm.rsaEncryption, at: parts.identifier) else { throw unsupported("another algorithm") }
        return .rsa(try rsa(der, parts))
    }

    private static func parts(_ der: Span<UInt8>) -> Parts? {
        var whole = DERReader(0..<der.count)
        guard let contents = whole.take(.sequence, der), whole.isAtEnd else { return nil }
        var reader = DERReader(contents)
        guard let version = reader.take(.integer, der),
            der.has([0], at: version) || der.has([1], at: version),
            let algorithm = reader.take(.sequence, der)
        else { return nil }
        var inner = DERReader(algorithm)
        guard inner.take(.objectIdentifier, der) != nil else { return nil }
        let parameters = inner.offset..<algorithm.upperBound
        guard let key = reader.take(.octetString, der) else { return nil }
        // Attributes, which nobody here knows.
        _ = reader.take(.constructed0, der)
        var publicKey: Range<Int>?
        if der.has([1], at: version), let bits = reader.take(.primitive1, der) {
            guard let wholeBytes = wholeBytes(bits, der) else { return nil }
            publicKey = wholeBytes
        }
        guard reader.isAtEnd else { return nil }
        return Parts(
            identifier: algorithm.lowerBound..<parameters.lowerBound, parameters: parameters, key: key,
            publicKey: publicKey)
    }

    /// The bytes of a bit string that has no unused bits.
    private static func wholeBytes(_ bits: Range<Int>, _ der: Span<UInt8>) -> Range<Int>? {
        guard let unused = bits.first, der[unused] == 0 else { return nil }
        return bits.dropFirst()
    }

    /// An ECPrivateKey (RFC 5915 section 3).
    private static func p256(_ der: Span<UInt8>, _ parts: Parts) throws(CryptographyError) -> P256.PrivateKey {
        var whole = DERReader(parts.key)
        guard let contents = whole.take(.sequence, der), whole.isAtEnd else { throw invalidP256 }
        var reader = DERReader(contents)
        guard let version = reader.take(.integer, der), der.has([1], at: version),
            let scalar = reader.take(.octetString, der), scalar.count == P256.scalarByteCount
        else { throw invalidP256 }
        if let parameters = reader.take(.constructed0, der) {
            guard der.has(Algorithm.prime256v1, at: parameters) else { throw invalidP256 }
        }
        var halves = [parts.publicKey]
        if let explicit = reader.take(.constructed1, der) {
            var inner = DERReader(explicit)
            guard let bits = inner.take(.bitString, der), inner.isAtEnd,
                let bytes = wholeBytes(bits, der)
            else { throw invalidP256 }
            halves.append(bytes)
        }
        guard reader.isAtEnd else { throw invalidP256 }
        do throws(CryptographyError) {
            let key = try P256.PrivateKey(scalar: der.extracting(scalar))
            for case .some(let half) in halves {
                guard try P256.PublicKey(x963: der.extracting(half)) == key.publicKey else { throw otherHalf }
            }
            return key
        } catch {
            throw error.code == .libraryFailure ? error : invalid(error.reason)
        }
    }

    private static func ed25519(_ der: Span<UInt8>, _ parts: Parts) throws(CryptographyError) -> Ed25519.PrivateKey {
        var reader = DERReader(parts.key)
        guard parts.parameters.isEmpty, let seed = reader.take(.octetString, der), reader.isAtEnd,
            seed.count == Ed25519.seedByteCount
        else { throw invalid("not an Ed25519 key") }
        let key = try Ed25519.PrivateKey(seed: der.extracting(seed))
        if let half = parts.publicKey, !der.has(key.publicKey.bytes, at: half) { throw otherHalf }
        return key
    }

    /// An RSAPrivateKey. Its numbers are bounded before libcrypto computes with them.
    private static func rsa(_ der: Span<UInt8>, _ parts: Parts) throws(CryptographyError) -> RSA.PrivateKey {
        guard parts.parameters.isEmpty || der.has(Algorithm.null, at: parts.parameters),
            hasBoundedNumbers(der, parts.key)
        else { throw invalid("not an RSA key") }
        let form = encoded(Algorithm.rsaEncryption + Algorithm.null, key: der.extracting(parts.key))
        let key = try RSA.PrivateKey(pkcs8: form.span)
        let message = Array("PKCS #8".utf8)
        do throws(CryptographyError) {
            let signature = try key.sign(message.span)
            guard try key.publicKey.verify(signature: signature.span, of: message.span) else { throw otherHalf }
        } catch {
            throw invalid("an RSA key that does not verify what it signs")
        }
        return key
    }

    /// True for the nine numbers of a key with two primes, each no longer than it can be for the modulus.
    private static func hasBoundedNumbers(_ der: Span<UInt8>, _ key: Range<Int>) -> Bool {
        var whole = DERReader(key)
        guard let contents = whole.take(.sequence, der), whole.isAtEnd else { return false }
        var reader = DERReader(contents)
        guard let version = reader.take(.integer, der), der.has([0], at: version),
            let modulus = reader.take(.integer, der)
        else { return false }
        // With a zero in front.
        let longest = RSA.bitCounts.upperBound / UInt8.bitWidth + 1
        let half = modulus.count / 2 + 2
        guard modulus.count <= longest else { return false }
        // The exponents e and d, the primes, their exponents, and the coefficient.
        for limit in [modulus.count, modulus.count, half, half, half, half, half] {
            guard let number = reader.take(.integer, der), number.count <= limit else { return false }
        }
        return reader.isAtEnd
    }

    private static func invalid(_ reason: String) -> CryptographyError {
        CryptographyError(.invalidKey, reason: reason)
    }

    private static func unsupported(_ reason: String) -> CryptographyError {
        CryptographyError(.unsupportedAlgorithm, reason: reason)
    }

    private static var invalidP256: CryptographyError { invalid("not a key on P-256") }
    private static var otherHalf: CryptographyError { invalid("a private key with another one's public half") }
}

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
