internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104) under one key, for many messages.
///
/// The key is absorbed once; each message then costs two compressions, and no allocation beyond libcrypto's own. That
/// is what lets a scanner refuse foreign adverts at any rate that a radio can deliver.
///
/// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
public struct HMACSHA256: ~Copyable, @unchecked Sendable {
    /// The length of a whole code: 32 bytes.
    public static let byteCount = SHA256.byteCount

    private let context: OpaquePointer

    /// Absorbs a key.
    ///
    /// - Parameter key: any number of bytes.
    /// - Throws: `libraryFailure`.
    public init(key: Span<UInt8>) throws(CryptographyError) {
        let context = try Self.copiedContext()
        guard Self.setKey(key, of: context) else {
            EVP_MAC_CTX_free(context)
            throw .library("EVP_MAC_init")
        }
        self.context = context
    }

    /// Absorbs the empty key.
    init() throws(CryptographyError) { context = try Self.copiedContext() }

    private static func copiedContext() throws(CryptographyError) -> OpaquePointer {
        let original = try Algorithms.shared().hmacSHA256
        guard let copy = EVP_MAC_CTX_dup(original) else { throw .library("EVP_MAC_CTX_dup") }
        return copy
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Absorbs another key in place of the one before.
    mutating func setKey(_ key: Span<UInt8>) throws(CryptographyError) {
        guard Self.setKey(key, of: context) else { throw .library("EVP_MAC_init") }
    }

    private static func setKey(_ key: Span<UInt8>, of context: OpaquePointer) -> Bool {
        key.withUnsafeBufferPointer { key in
            // To libcrypto a nil key means "the key as before": an empty key needs an address too.
            withUnsafePointer(to: 0 as UInt8) { EVP_MAC_init(context, key.baseAddress ?? $0, key.count, nil) == 1 }
        }
    }

    /// The code of one message.
    ///
    /// - Returns: 32 bytes.
    /// - Throws: `libraryFailure`.
    public mutating func authenticationCode(for message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Self.byteCount)
        var span = code.mutableSpan
        try compute(message, into: &span)
        return code
    }

    /// True if `tag` is the code of `message`, or the beginning of it; compared in constant time and without an array.
    ///
    /// - Parameters:
    ///   - tag: 1 to 32 bytes; how many are enough is the caller's protocol's choice. Any other length is not valid.
    ///   - message: any number of bytes.
    /// - Throws: `libraryFailure`.
    public mutating func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws(CryptographyError) -> Bool {
        guard 1...Self.byteCount ~= tag.count else { return false }
        var code = InlineArray<32, UInt8>(repeating: 0)
        var mutable = code.mutableSpan
        try compute(message, into: &mutable)
        return constantTimeEquals(code.span.extracting(first: tag.count), tag)
    }

    private mutating func compute(
        _ message: Span<UInt8>, into code: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let isComputed = code.withUnsafeMutableBufferPointer { begin() && update(message) && finish(into: $0) }
        guard isComputed else { throw .library("EVP_MAC_final") }
    }

    /// The code, 32 bytes, of a message that comes in parts.
    mutating func compute(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>,
        into code: UnsafeMutableBufferPointer<UInt8>
    ) throws(CryptographyError) {
        let isComputed = begin() && update(first) && update(second) && update(third) && finish(into: code)
        guard isComputed else { throw .library("EVP_MAC_final") }
    }

    private func begin() -> Bool { EVP_MAC_init(context, nil, 0, nil) == 1 }

    private func update(_ part: Span<UInt8>) -> Bool {
        part.isEmpty || part.withUnsafeBufferPointer { EVP_MAC_update(context, $0.baseAddress, $0.count) } == 1
    }

    private func finish(into code: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        var written = 0
        return EVP_MAC_final(context, code.baseAddress, &written, code.count) == 1 && written == Self.byteCount
    }
}
