internal import Cryptography
internal import Encodings

// The outer container: the header, and the contents in blocks with a code each.

extension KDBX {
    private static let blockByteCount = 1 << 20
    private static let seedByteCount = 32
    private static let headerIndex = UInt64.max

    /// The keys of a database.
    private struct Keys: ~Copyable {
        /// The key of the contents, 32 bytes.
        let cipher: SecretArray
        /// The input of the keys of blocks, 64 bytes.
        private let base: SecretArray

        init(seed: [UInt8], derived: borrowing SecretBytes) {
            var whole = SecretArray(capacity: seed.count + derived.count + 1)
            whole.bytes += seed
            whole.append(derived.span)
            cipher = SecretArray(SHA256.hash(whole.span))
            whole.bytes.append(1)
            let hash = SHA512.hash(whole.span)
            base = SecretArray(hash.span.withUnsafeBufferPointer { Array($0) })
        }

        /// The code of a block, or of the header.
        func code(_ index: UInt64, _ bytes: [UInt8]) -> [UInt8] {
            var whole = SecretArray(capacity: MemoryLayout.size(ofValue: index) + base.count)
            whole.bytes += KDBX.bytes(index)
            whole.append(base.span)
            let key = SHA512.hash(whole.span)
            var function = HMACSHA256(key: key.span)
            return function.authenticationCode(for: bytes.span)
        }

        /// Demands that a code is that of a block, or of the header.
        func check(
            _ index: UInt64, _ bytes: [UInt8], _ code: [UInt8], or refusal: CryptographyError
        ) throws(CryptographyError) {
            let expected = self.code(index, bytes)
            guard constantTimeEquals(expected.span, code.span) else { throw refusal }
        }
    }

    /// The decrypted, uncompressed contents of a file: the inner header and the XML.
    ///
    /// - Throws: ``PasskeyFormatError``.
    static func open(_ file: [UInt8], _ passphrase: borrowing SecretBytes) throws(PasskeyFormatError) -> SecretArray {
        var cursor = KDBXCursor(file)
        let fields = try header(&cursor)
        let headerBytes = Array(cursor.taken)
        guard let cipher = Cipher.allCases.first(where: { $0.uuid == fields[Field.cipher] }) else {
            throw PasskeyFormatError(.unsupported, reason: "the file is encrypted in an unsupported way")
        }
        guard let seed = fields[Field.seed], seed.count == seedByteCount, let vector = fields[Field.vector],
            let compression = fields[Field.compression], let derivation = fields[Field.derivation],
            [bytes(UInt32(0)), bytes(UInt32(1))].contains(compression), let digest = cursor.take(SHA256.byteCount),
            let code = cursor.take(HMACSHA256.byteCount)
        else { throw malformed("its header lacks a part") }
        let derived = try KDBXDerivation(derivation)
        guard SHA256.hash(headerBytes.span) == digest else { throw malformed("its header is damaged") }
        let keys = try keys(derived, seed, passphrase)
        do throws(CryptographyError) {
            try keys.check(headerIndex, headerBytes, code, or: wrongPassphrase)
            let encrypted = try contents(&cursor, keys)
            var opened = SecretArray(try cipher.decrypt(encrypted, key: keys.cipher.span, vector: vector))
            return compression == bytes(UInt32(0)) ? opened : try decompressed(opened.bytes)
        } catch {
            throw PasskeyFormatError(opening: error)
        }
    }

    /// The memory that deriving a database's key takes, in bytes, and about the time.
    ///
    /// - Throws: ``PasskeyFormatError`` as of `read`, but for `wrong-passphrase`.
    package static func cost(of file: Span<UInt8>) throws(PasskeyFormatError) -> (byteCount: UInt64, time: Duration) {
        var cursor = KDBXCursor(file.withUnsafeBufferPointer { Array($0) })
        guard let derivation = try header(&cursor)[Field.derivation] else {
            throw malformed("its header lacks a part")
        }
        return try KDBXDerivation(derivation).cost()
    }

    private static let wrongPassphrase = CryptographyError(.authenticationFailed, reason: "")
    private static let damaged = CryptographyError(.wrongLength, reason: "")

    private static func decompressed(_ bytes: [UInt8]) throws(CryptographyError) -> SecretArray {
        guard let whole = SecretArray(Deflate.gzip.decompress(bytes, limit: maxContentByteCount)) else { throw damaged }
        return whole
    }

    private static func keys(
        _ derivation: KDBXDerivation, _ seed: [UInt8], _ passphrase: borrowing SecretBytes
    ) throws(PasskeyFormatError) -> Keys {
        let key = try derivation.key(passphrase)
        return Keys(seed: seed, derived: key)
    }

    private static func header(_ cursor: inout KDBXCursor) throws(PasskeyFormatError) -> [UInt8: [UInt8]] {
        guard cursor.take(signature.count) == signature, let version = cursor.take(4) else {
            throw malformed("it is not a KDBX file")
        }
        guard versions.contains(version) else {
            throw PasskeyFormatError(.unsupported, reason: "the database is not of version 4 of KDBX")
        }
        var fields: [UInt8: [UInt8]] = [:]
        while let id = cursor.number(UInt8.self), let value = cursor.takeCounted() {
            guard id != Field.end else { return fields }
            fields[id] = value
        }
        throw malformed("its header has no end")
    }

    /// The blocks' contents, each as its code says.
    ///
    /// - Throws: `CryptographyError` `wrong-length` if one is not, or the last one is missing.
    private static func contents(
        _ cursor: inout KDBXCursor, _ keys: borrowing Keys
    ) throws(CryptographyError) -> [UInt8] {
        var whole: [UInt8] = []
        var index: UInt64 = 0
        while let code = cursor.take(HMACSHA256.byteCount), let block = cursor.takeCounted() {
            try keys.check(index, bytes(index) + bytes(UInt32(block.count)) + block, code, or: damaged)
            if block.isEmpty {
                guard cursor.isAtEnd else { throw damaged }
                return whole
            }
            whole += block
            index += 1
        }
        throw damaged
    }

    /// A file with contents, encrypted with AES-256 under a passphrase.
    ///
    /// - Throws: ``PasskeyFormatError`` `missing-library` or `library-failure`.
    static func seal(_ contents: [UInt8], _ passphrase: borrowing SecretBytes) throws(PasskeyFormatError) -> [UInt8] {
        let derivation = KDBXDerivation()
        let seed = randomBytes(count: seedByteCount)
        let vector = randomBytes(count: AES256CBC.vectorByteCount)
        let keys = try keys(derivation, seed, passphrase)
        do throws(CryptographyError) {
            var header = signature + (versions.first ?? [])
            let fields: [(UInt8, [UInt8])] = [
                (Field.cipher, Cipher.aes256CBC.uuid), (Field.compression, bytes(UInt32(1))), (Field.seed, seed),
                (Field.vector, vector), (Field.derivation, derivation.dictionary), (Field.end, Field.endContents),
            ]
            for (id, value) in fields { header += [id] + bytes(UInt32(value.count)) + value }
            guard let compressed = SecretArray(Deflate.gzip.compress(contents)) else {
                throw CryptographyError(.libraryFailure, reason: "zlib")
            }
            let encrypted = try AES256CBC.encryptPadded(compressed.span, key: keys.cipher.span, vector: vector.span)
            var file = header + SHA256.hash(header.span) + keys.code(headerIndex, header)
            var index: UInt64 = 0
            for start in stride(from: 0, to: encrypted.count, by: blockByteCount) {
                let block = Array(encrypted[start..<min(start + blockByteCount, encrypted.count)])
                file += keys.code(index, bytes(index) + bytes(UInt32(block.count)) + block)
                file += bytes(UInt32(block.count)) + block
                index += 1
            }
            return file + keys.code(index, bytes(index) + bytes(UInt32(0))) + bytes(UInt32(0))
        } catch {
            throw PasskeyFormatError(error)
        }
    }

    static func malformed(_ what: String) -> PasskeyFormatError {
        PasskeyFormatError(.malformed, reason: "the file is damaged, or another kind of file: \(what)")
    }
}

extension PasskeyFormatError {
    /// The error for libcrypto's failure on opening a file.
    fileprivate init(opening error: CryptographyError) {
        switch error.code {
        case .authenticationFailed:
            self.init(.wrongPassphrase, reason: "the passphrase does not open the file")
        case .wrongLength: self = KDBX.malformed("it is incomplete")
        default: self.init(error)
        }
    }
}
