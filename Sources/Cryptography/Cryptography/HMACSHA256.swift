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
        let algorithm = try Algorithms.shared().hmac
        guard let context = EVP_MAC_CTX_new(algorithm) else { throw .library("EVP_MAC_CTX_new") }
        let parameters: InlineArray<2, OSSL_PARAM> = [.text(ParameterName.digest, AlgorithmName.sha256), .end]
        let initialized = parameters.span.withUnsafeBufferPointer { parameters in
            key.withUnsafeBufferPointer { key in
                // To libcrypto a nil key means "the key as before": an empty key needs an address too.
                withUnsafePointer(to: 0 as UInt8) {
                    EVP_MAC_init(context, key.baseAddress ?? $0, key.count, parameters.baseAddress)
                }
            }
        }
        guard initialized == 1 else {
            EVP_MAC_CTX_free(context)
            throw .library("EVP_MAC_init")
        }
        self.context = context
    }

    deinit { EVP_MAC_CTX_free(context) }

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

    private func compute(_ message: Span<UInt8>, into code: inout MutableSpan<UInt8>) throws(CryptographyError) {
        let capacity = code.count
        var written = 0
        let finished = message.withUnsafeBufferPointer { message in
            code.withUnsafeMutableBufferPointer { code -> Int32 in
                guard EVP_MAC_init(context, nil, 0, nil) == 1,
                    EVP_MAC_update(context, message.baseAddress, message.count) == 1
                else { return 0 }
                return EVP_MAC_final(context, code.baseAddress, &written, capacity)
            }
        }
        guard finished == 1, written == Self.byteCount else { throw .library("EVP_MAC_final") }
    }
}
