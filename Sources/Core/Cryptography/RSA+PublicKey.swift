internal import COpenSSL

extension RSA {
    /// A public key of 2048 to 4096 bits.
    public struct PublicKey: Sendable, Hashable {
        /// n, big-endian, without zeros in front: 256 to 512 bytes.
        public let modulus: [UInt8]
        /// e, big-endian, without zeros in front: 1 to 4 bytes.
        public let exponent: [UInt8]
        private let key: KeyReference

        /// Takes the two numbers of a public key.
        ///
        /// - Parameters:
        ///   - modulus: big-endian, odd, 2048 to 4096 bits, without zeros in front.
        ///   - exponent: big-endian, odd, above 1, at most 32 bits, without zeros in front.
        /// - Throws: `invalidKey`, `libraryFailure`.
        public init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
            let maxModulusByteCount = RSA.bitCounts.upperBound / UInt8.bitWidth
            let maxExponentByteCount = Int(RSA.maxExponentBitCount) / UInt8.bitWidth
            guard let first = modulus.first, first != 0, modulus.count <= maxModulusByteCount,
                let last = modulus.last, !last.isMultiple(of: 2), let lowest = exponent.last,
                !lowest.isMultiple(of: 2), exponent.first != 0, exponent != [1],
                exponent.count <= maxExponentByteCount
            else { throw CryptographyError(.invalidKey, reason: "not the numbers of an RSA public key") }
            try self.init(key: KeyReference(modulus: modulus, exponent: exponent))
        }

        /// Reads a DER SubjectPublicKeyInfo as ``subjectPublicKeyInfo()`` writes it, and no other.
        ///
        /// - Throws: `invalidKey`, `libraryFailure`.
        public init(subjectPublicKeyInfo der: Span<UInt8>) throws(CryptographyError) {
            let pointer = der.withUnsafeBufferPointer { der -> OpaquePointer? in
                var next = der.baseAddress
                return d2i_PUBKEY(nil, &next, der.count)
            }
            guard let pointer else {
                ERR_clear_error()
                throw CryptographyError(.invalidKey, reason: "not a SubjectPublicKeyInfo")
            }
            let read = try PublicKey(key: KeyReference(pointer))
            let written = try read.subjectPublicKeyInfo()
            guard der.withUnsafeBufferPointer({ written.elementsEqual($0) }) else {
                throw CryptographyError(.invalidKey, reason: "not the DER form of a SubjectPublicKeyInfo")
            }
            try self.init(modulus: read.modulus, exponent: read.exponent)
        }

        init(key: KeyReference) throws(CryptographyError) {
            try key.checkRSA()
            modulus = try key.number(ParameterName.modulus)
            exponent = try key.number(ParameterName.exponent)
            self.key = key
        }

        /// The key as a DER SubjectPublicKeyInfo (RFC 3279 section 2.3.1): 294 bytes for 2048 bits.
        ///
        /// - Throws: `libraryFailure`.
        public func subjectPublicKeyInfo() throws(CryptographyError) -> [UInt8] {
            let byteCount = Int(i2d_PUBKEY(key.pointer, nil))
            guard byteCount > 0 else { throw .library("i2d_PUBKEY") }
            return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
                var next = buffer.baseAddress
                initialized = max(0, Int(i2d_PUBKEY(key.pointer, &next)))
            }
        }

        /// True if a signature is valid.
        ///
        /// - Parameters:
        ///   - signature: as many bytes as the modulus has. Anything else is simply not a good signature.
        ///   - message: any number of bytes.
        /// - Throws: `libraryFailure`.
        public func verify(signature: Span<UInt8>, of message: Span<UInt8>) throws(CryptographyError) -> Bool {
            try key.verify(signature: signature, of: message, digest: RSA.signatureDigest)
        }

        /// True if both have the same numbers.
        public static func == (left: Self, right: Self) -> Bool {
            left.modulus == right.modulus && left.exponent == right.exponent
        }

        /// Hashes the modulus.
        public func hash(into hasher: inout Hasher) { hasher.combine(modulus) }
    }
}

extension KeyReference {
    /// A public key from its two numbers, big-endian.
    fileprivate convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, RSA.name, nil) else {
            throw .library("EVP_PKEY_CTX_new_from_name")
        }
        defer { EVP_PKEY_CTX_free(context) }
        // libcrypto takes numbers in the machine's byte order.
        var (n, e) = (Self.native(modulus), Self.native(exponent))
        var pointer: OpaquePointer?
        let imported = n.withUnsafeMutableBufferPointer { n in
            e.withUnsafeMutableBufferPointer { e in
                var parameters: [OSSL_PARAM] = [
                    .integer(ParameterName.modulus, n), .integer(ParameterName.exponent, e), .end,
                ]
                return EVP_PKEY_fromdata_init(context) == 1
                    && EVP_PKEY_fromdata(context, &pointer, KeySelection.publicKey.rawValue, &parameters) == 1
            }
        }
        guard imported, let pointer else { throw .library("EVP_PKEY_fromdata") }
        self.init(pointer)
    }

    private static func native(_ bigEndian: [UInt8]) -> [UInt8] {
        #if _endian(little)
            bigEndian.reversed()
        #else
            bigEndian
        #endif
    }
}
