internal import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with nonces of 12 and tags of 16 bytes.
///
/// A sealer and an opener are separate, since a direction of a session has a key of its own. Both keep their libcrypto
/// context, with the key expanded, for all messages; and both work in place, so that a message costs no allocation.
public enum AES256GCM {
    /// The length of a key: 32 bytes.
    public static let keyByteCount = 32
    /// The length of a nonce: 12 bytes.
    public static let nonceByteCount = 12
    /// The length of a tag: 16 bytes.
    public static let tagByteCount = 16

    /// A nonce of 12 bytes. Never used twice with one key.
    public typealias Nonce = InlineArray<12, UInt8>

    /// Seals messages under one key.
    ///
    /// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
    public struct Sealer: ~Copyable, @unchecked Sendable {
        private let context: OpaquePointer

        /// Expands a key.
        ///
        /// - Parameter key: 32 bytes.
        /// - Throws: `wrongLength`, `libraryFailure`.
        public init(key: Span<UInt8>) throws(CryptographyError) {
            context = try AES256GCM.context(key: key, sealing: true)
        }

        deinit { EVP_CIPHER_CTX_free(context) }

        /// Replaces a plaintext by its ciphertext and appends the tag of 16 bytes.
        ///
        /// - Parameters:
        ///   - message: the plaintext, any number of bytes; reserve 16 more to avoid an allocation. Emptied on an
        ///     error.
        ///   - nonce: 12 bytes, never used before with this key.
        ///   - authenticatedData: any number of bytes.
        /// - Throws: `wrongLength` above 2^31 - 1 bytes; `libraryFailure`.
        public mutating func seal(
            _ message: inout [UInt8],
            nonce: Nonce,
            authenticatedData: Span<UInt8> = Span()
        ) throws(CryptographyError) {
            message += AES256GCM.placeForTag
            do {
                var span = message.mutableSpan
                try seal(&span, nonce: nonce, authenticatedData: authenticatedData)
            } catch {
                message = []
                throw error
            }
        }

        /// Replaces a plaintext by its ciphertext, and the 16 bytes behind it by the tag.
        ///
        /// - Parameters:
        ///   - message: the plaintext, any number of bytes, and 16 bytes of any value. Wiped on an error.
        ///   - nonce: 12 bytes, never used before with this key.
        ///   - authenticatedData: any number of bytes.
        /// - Throws: `wrongLength` below 16 bytes and above 2^31 + 15; `libraryFailure`.
        public mutating func seal(
            _ message: inout MutableSpan<UInt8>,
            nonce: Nonce,
            authenticatedData: Span<UInt8> = Span()
        ) throws(CryptographyError) {
            let byteCount = try AES256GCM.checkedByteCount(message.count - AES256GCM.tagByteCount)
            let sealed = message.withUnsafeMutableBytes { buffer -> Bool in
                let done =
                    AES256GCM.process(
                        context, buffer.baseAddress, byteCount, nonce: nonce, authenticatedData: authenticatedData)
                    && AES256GCM.withTagParameter(buffer, at: byteCount) { EVP_CIPHER_CTX_get_params(context, $0) }
                if !done { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
                return done
            }
            guard sealed else { throw .library("AES-256-GCM") }
        }
    }

    /// Opens messages under one key.
    ///
    /// `@unchecked Sendable`: the libcrypto context has one owner, and using it takes exclusive access.
    public struct Opener: ~Copyable, @unchecked Sendable {
        private let context: OpaquePointer

        /// Expands a key.
        ///
        /// - Parameter key: 32 bytes.
        /// - Throws: `wrongLength`, `libraryFailure`.
        public init(key: Span<UInt8>) throws(CryptographyError) {
            context = try AES256GCM.context(key: key, sealing: false)
        }

        deinit { EVP_CIPHER_CTX_free(context) }

        /// Replaces a ciphertext and its tag by the plaintext.
        ///
        /// - Parameters:
        ///   - message: the ciphertext, then the tag of 16 bytes; afterwards 16 bytes shorter. On an error it is wiped
        ///     and emptied, so that nothing unauthenticated can be read.
        ///   - nonce: 12 bytes.
        ///   - authenticatedData: any number of bytes.
        /// - Throws: `authenticationFailed`, also for fewer than 16 bytes; `wrongLength` above 2^31 - 1 bytes.
        public mutating func open(
            _ message: inout [UInt8],
            nonce: Nonce,
            authenticatedData: Span<UInt8> = Span()
        ) throws(CryptographyError) {
            guard message.count >= AES256GCM.tagByteCount else {
                message = []
                throw CryptographyError(.authenticationFailed, reason: "a sealed message has at least 16 bytes")
            }
            let byteCount = try AES256GCM.checkedByteCount(message.count - AES256GCM.tagByteCount)
            let opened = message.withUnsafeMutableBytes { buffer -> Bool in
                let isOpened =
                    AES256GCM.withTagParameter(buffer, at: byteCount) { EVP_CIPHER_CTX_set_params(context, $0) }
                    && AES256GCM.process(
                        context, buffer.baseAddress, byteCount, nonce: nonce, authenticatedData: authenticatedData)
                if !isOpened { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
                return isOpened
            }
            guard opened else {
                ERR_clear_error()
                message = []
                throw CryptographyError(.authenticationFailed, reason: "the tag does not fit the message")
            }
            message.removeLast(AES256GCM.tagByteCount)
        }
    }
}

extension AES256GCM {
    fileprivate static func context(key: Span<UInt8>, sealing: Bool) throws(CryptographyError) -> OpaquePointer {
        guard key.count == keyByteCount else {
            throw .wrongLength("an AES-256 key", expected: keyByteCount, got: key.count)
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        let initialized = key.withUnsafeBufferPointer {
            EVP_CipherInit_ex2(context, Algorithms.aes256GCM, $0.baseAddress, nil, sealing ? 1 : 0, nil)
        }
        guard initialized == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("EVP_CipherInit_ex2")
        }
        return context
    }

    fileprivate static func checkedByteCount(_ count: Int) throws(CryptographyError) -> Int32 {
        guard count >= 0, let byteCount = Int32(exactly: count) else {
            throw .wrongLength("a message", expected: Int(Int32.max), got: count)
        }
        return byteCount
    }

    /// Bytes that are appended to a plaintext, to be overwritten by the tag.
    fileprivate static let placeForTag = [UInt8](repeating: 0, count: tagByteCount)

    /// Points libcrypto at the tag behind a message. `EVP_CIPHER_CTX_ctrl` does the same by a longer way.
    fileprivate static func withTagParameter(
        _ message: UnsafeMutableRawBufferPointer,
        at byteCount: Int32,
        _ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> Int32
    ) -> Bool {
        let tag = UnsafeRawBufferPointer(rebasing: message[Int(byteCount)...]).assumingMemoryBound(to: UInt8.self)
        var parameters: InlineArray<2, OSSL_PARAM> = [.octets(ParameterName.tag, tag), .end]
        var span = parameters.mutableSpan
        return span.withUnsafeMutableBufferPointer { body($0.baseAddress) } == 1
    }

    /// Runs one message through the cipher in place, in the direction that the context was made for.
    ///
    /// - Returns: true if nothing failed, and when opening if the tag fits.
    fileprivate static func process(
        _ context: OpaquePointer,
        _ bytes: UnsafeMutableRawPointer?,
        _ byteCount: Int32,
        nonce: Nonce,
        authenticatedData: Span<UInt8>
    ) -> Bool {
        var written: Int32 = 0
        let keepDirection: Int32 = -1
        let prepared = nonce.span.withUnsafeBufferPointer {
            EVP_CipherInit_ex2(context, nil, nil, $0.baseAddress, keepDirection, nil)
        }
        guard prepared == 1, let authenticatedByteCount = Int32(exactly: authenticatedData.count) else { return false }
        if authenticatedByteCount > 0 {
            let absorbed = authenticatedData.withUnsafeBufferPointer {
                EVP_CipherUpdate(context, nil, &written, $0.baseAddress, authenticatedByteCount)
            }
            guard absorbed == 1 else { return false }
        }
        let pointer = bytes?.assumingMemoryBound(to: UInt8.self)
        if byteCount > 0, EVP_CipherUpdate(context, pointer, &written, pointer, byteCount) != 1 { return false }
        // GCM writes nothing here: the call computes the tag, or compares it.
        return EVP_CipherFinal_ex(context, pointer, &written) == 1
    }
}

extension AES256GCM.Nonce {
    /// A nonce of as many bytes as it takes; missing ones stay zero.
    package init(_ bytes: [UInt8]) {
        self.init(repeating: 0)
        for (index, byte) in zip(indices, bytes) { self[index] = byte }
    }
}
