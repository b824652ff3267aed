internal import COpenSSL

/// Bytes that must not outlive their use: a key, a shared secret, a private scalar.
///
/// They cannot be copied by accident, have no description, compare in constant time, and are overwritten with zeros
/// when their owner dies.
///
/// The promise starts where a parser or a derivation makes a value of this type: the text of a QR code (a `String`),
/// the encoded bytes that a caller passes to a parser, and registers are not reached.
///
/// `@unchecked Sendable`: the memory has one owner and is not written after initialisation.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Memory in libcrypto's secure heap, if the program has made one (``SecretMemory``) and it has space; elsewhere if
    /// not. Traps if there is none at all, as every allocation does.
    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let size = max(count, 1)
        guard let memory = CRYPTO_secure_malloc(size, nil, 0) ?? CRYPTO_malloc(size, nil, 0) else {
            // No foreign byte leads here: lengths were bounded before, and only the system can be out of memory.
            preconditionFailure("out of memory")
        }
        return UnsafeMutableBufferPointer(start: memory.bindMemory(to: UInt8.self, capacity: size), count: count)
    }

    /// Overwrites and frees memory of ``allocate(_:)``.
    private static func free(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        CRYPTO_secure_clear_free(buffer.baseAddress, buffer.count, nil, 0)
    }

    /// Copies bytes into a secret. Any other copy is for the caller to wipe.
    ///
    /// - Parameter bytes: any number of bytes.
    public init(copying bytes: Span<UInt8>) {
        storage = Self.allocate(bytes.count)
        _ = bytes.withUnsafeBufferPointer { storage.initialize(fromContentsOf: $0) }
    }

    /// Makes a secret of `count` bytes that `body` fills in.
    init<Failure: Error>(
        count: Int,
        filledBy body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let buffer = Self.allocate(count)
        buffer.initialize(repeating: 0)
        // Only the buffer in `storage` is wiped and freed by deinit, which also runs when this initialiser throws after
        // that: so it is set last.
        do {
            try body(buffer)
        } catch {
            Self.free(buffer)
            throw error
        }
        storage = buffer
    }

    deinit { Self.free(storage) }

    /// Draws a secret from libcrypto's private random generator.
    ///
    /// - Parameter count: the number of bytes.
    public static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { buffer in
            require(RAND_priv_bytes_ex(nil, buffer.baseAddress, count, 0) == 1, "RAND_priv_bytes_ex")
        }
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// The bytes, for reading while the secret lives.
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = Span(_unsafeElements: UnsafeBufferPointer(storage))
            return _overrideLifetime(span, borrowing: self)
        }
    }

    /// A second owner of the same bytes, said out loud.
    public func clone() -> SecretBytes { SecretBytes(copying: span) }
}
