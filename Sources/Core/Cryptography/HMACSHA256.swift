internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104) under one key, for many messages.
///
/// The key is absorbed once; each message then costs two compressions, and no allocation beyond libcrypto's own. So a
/// scanner can refuse foreign adverts at any rate that a radio can deliver.
///
/// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
public struct HMACSHA256: ~Copyable, @unchecked Sendable {
    /// The length of a whole code: 32 bytes.
    public static let byteCount = SHA256.byteCount

    private let context: OpaquePointer

    /// Absorbs a key.
    ///
    /// - Parameter key: any number of bytes.
    public init(key: Span<UInt8>) {
        self.init()
        setKey(key)
    }

    /// Absorbs the empty key.
    init() {
        let original = require(Algorithms.hmacSHA256, "EVP_MAC_fetch")
        context = require(EVP_MAC_CTX_dup(original), "EVP_MAC_CTX_dup")
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Absorbs another key in place of the one before.
    mutating func setKey(_ key: Span<UInt8>) {
        let isSet = key.withUnsafeBufferPointer { key in
            // To libcrypto a nil key means "the key as before": an empty key needs an address too.
            withUnsafePointer(to: 0 as UInt8) { EVP_MAC_init(context, key.baseAddress ?? $0, key.count, nil) == 1 }
        }
        require(isSet, "EVP_MAC_init")
    }

    /// The code of one message.
    ///
    /// - Returns: 32 bytes.
    public mutating func authenticationCode(for message: Span<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, initialized in
            compute(message, Span(), Span(), into: buffer)
            initialized = Self.byteCount
        }
    }

    /// True if `tag` is the code of `message`, or the beginning of it; compared in constant time and without an array.
    ///
    /// - Parameters:
    ///   - tag: 1 to 32 bytes; how many are enough is the caller's protocol's choice. Any other length is not valid.
    ///   - message: any number of bytes.
    public mutating func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard 1...Self.byteCount ~= tag.count else { return false }
        var code = InlineArray<32, UInt8>(repeating: 0)
        var mutable = code.mutableSpan
        mutable.withUnsafeMutableBufferPointer { compute(message, Span(), Span(), into: $0) }
        return constantTimeEquals(code.span.extracting(first: tag.count), tag)
    }

    /// The code, 32 bytes, of a message that comes in parts.
    mutating func compute(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>,
        into code: UnsafeMutableBufferPointer<UInt8>
    ) {
        require(EVP_MAC_init(context, nil, 0, nil) == 1, "EVP_MAC_init")
        require(update(first) && update(second) && update(third), "EVP_MAC_update")
        var written = 0
        let isComputed = EVP_MAC_final(context, code.baseAddress, &written, code.count) == 1
        require(isComputed && written == Self.byteCount, "EVP_MAC_final")
    }

    private func update(_ part: Span<UInt8>) -> Bool {
        part.isEmpty || part.withUnsafeBufferPointer { EVP_MAC_update(context, $0.baseAddress, $0.count) } == 1
    }
}
