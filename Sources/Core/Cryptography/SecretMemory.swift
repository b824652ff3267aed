internal import COpenSSL

/// Memory for secrets that is never written to swap space or into a core dump: libcrypto's secure heap.
///
/// Once it is there, ``SecretBytes`` and libcrypto's own private keys lie in it, as long as it has space; secrets that
/// do not fit lie in ordinary memory, and are wiped in the same way.
public enum SecretMemory {
    /// Smallest piece that the heap gives out, in bytes: a power of two.
    private static let smallestPiece = 32

    /// Makes the heap: to be called once, before there are secrets. A program decides this, not a library in it.
    ///
    /// - Parameter byteCount: its size in bytes, a power of two; a user may usually lock 8 MiB in all.
    /// - Returns: true if the memory is locked; false if the system does not allow it, or there is no heap.
    @discardableResult
    public static func reserve(byteCount: Int) -> Bool {
        // 1: locked; 2: made, but not locked.
        CRYPTO_secure_malloc_init(byteCount, smallestPiece) == 1
    }

    /// The bytes of the heap that are in use: 0 without one.
    public static var usedByteCount: Int { CRYPTO_secure_used() }
}
