internal import COpenSSL

/// Compares two byte strings in a time that depends on their lengths only.
///
/// - Returns: `false` at once if the lengths differ: lengths are not secret anywhere in the protocol.
public func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Overwrites bytes that held a secret with zeros, in a way that the compiler does not optimise away.
///
/// - Parameter bytes: an array that nothing else refers to: a copy elsewhere is not reached.
public func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}

/// Public random bytes: nonces, challenges, identifiers. Keys are drawn by ``SecretBytes/random(count:)``.
///
/// - Parameter count: the number of bytes, at most 2^31 - 1.
/// - Throws: `wrongLength` for more; `libraryFailure` if the generator is not seeded.
public func randomBytes(count: Int) throws(CryptographyError) -> [UInt8] {
    guard let byteCount = Int32(exactly: count) else {
        throw .wrongLength("a random string", expected: Int(Int32.max), got: count)
    }
    var drawn: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        drawn = RAND_bytes(buffer.baseAddress, byteCount)
        initialized = drawn == 1 ? count : 0
    }
    guard drawn == 1 else { throw .library("RAND_bytes") }
    return bytes
}
