/// HKDF with SHA-256 (RFC 5869), extract and expand in one, made of libcrypto's HMAC: its own HKDF looks that up by
/// name for every derivation, which takes as long as the derivation.
///
/// A value is for many derivations, for which it keeps one context.
public struct HKDFSHA256: ~Copyable, Sendable {
    /// The most bytes that one derivation gives: 255 blocks of 32 bytes (RFC 5869 section 2.3).
    public static let maximumByteCount = 255 * SHA256.byteCount

    private var hmac: HMACSHA256

    /// Makes a context.
    public init() { hmac = HMACSHA256() }

    /// Derives key material, once.
    ///
    /// - Parameters: as those of ``derive(secret:salt:info:byteCount:)-swift.method``.
    public static func derive(
        secret: Span<UInt8>,
        salt: Span<UInt8>,
        info: Span<UInt8>,
        byteCount: Int
    ) -> SecretBytes {
        var hkdf = HKDFSHA256()
        return hkdf.derive(secret: secret, salt: salt, info: info, byteCount: byteCount)
    }

    /// Derives key material.
    ///
    /// - Parameters:
    ///   - secret: the input key material, any number of bytes.
    ///   - salt: any number of bytes; empty means 32 zero bytes (RFC 5869 section 2.2).
    ///   - info: any number of bytes.
    ///   - byteCount: the number of bytes to derive: 1 to 8160. Any other number is the caller's error, and ends the
    ///     process.
    public mutating func derive(
        secret: Span<UInt8>,
        salt: Span<UInt8>,
        info: Span<UInt8>,
        byteCount: Int
    ) -> SecretBytes {
        precondition(1...Self.maximumByteCount ~= byteCount, "HKDF gives 1 to 8160 bytes")
        hmac.setKey(salt)
        let pseudorandomKey = SecretBytes(count: SHA256.byteCount) { key in
            hmac.compute(secret, Span(), Span(), into: key)
        }
        hmac.setKey(pseudorandomKey.span)
        guard !byteCount.isMultiple(of: SHA256.byteCount) else {
            return expand(info, blockCount: byteCount / SHA256.byteCount)
        }
        let blocks = expand(info, blockCount: byteCount / SHA256.byteCount + 1)
        return SecretBytes(copying: blocks.span.extracting(first: byteCount))
    }

    /// Expands the key that HMAC has (RFC 5869 section 2.3).
    private mutating func expand(_ info: Span<UInt8>, blockCount: Int) -> SecretBytes {
        SecretBytes(count: blockCount * SHA256.byteCount) { blocks in
            var previous = Span<UInt8>()
            for number in 1...blockCount {
                let block = UnsafeMutableBufferPointer(
                    rebasing: blocks[(number - 1) * SHA256.byteCount..<number * SHA256.byteCount])
                let counter: InlineArray<1, UInt8> = [UInt8(truncatingIfNeeded: number)]
                hmac.compute(previous, info, counter.span, into: block)
                previous = Span(_unsafeElements: UnsafeBufferPointer(block))
            }
        }
    }
}
