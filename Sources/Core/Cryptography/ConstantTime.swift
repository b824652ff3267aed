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
/// - Parameter count: the number of bytes.
public func randomBytes(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        require(RAND_bytes_ex(nil, buffer.baseAddress, count, 0) == 1, "RAND_bytes_ex")
        initialized = count
    }
}
