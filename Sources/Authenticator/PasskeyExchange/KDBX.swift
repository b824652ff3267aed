package import Cryptography
package import PasskeyAuthenticator

/// A database of KeePass 2, KeePassXC and KeePassDX (KDBX 4): entries in XML, compressed and encrypted under a
/// passphrase. Key files and hardware keys are not read.
///
/// Source: https://keepass.info/help/kb/kdbx.html.
package enum KDBX {
    /// The largest file that is read: 64 MiB.
    package static let maxByteCount = 1 << 26
    /// The most bytes of a database that are read, without compression: 256 MiB.
    static let maxContentByteCount = 1 << 28

    static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5]
    /// The versions 4.0 and 4.1, little-endian: they differ in the elements that the XML may have.
    static let versions: [[UInt8]] = [[0, 0, 4, 0], [1, 0, 4, 0]]

    /// Fields of the outer header.
    enum Field {
        static let end: UInt8 = 0
        static let cipher: UInt8 = 2
        static let compression: UInt8 = 3
        static let seed: UInt8 = 4
        static let vector: UInt8 = 7
        static let derivation: UInt8 = 11
        static let endContents: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    }

    /// Fields of the inner header.
    enum InnerField {
        static let end: UInt8 = 0
        static let stream: UInt8 = 1
        static let key: UInt8 = 2
        static let chaCha20: [UInt8] = [3, 0, 0, 0]
        static let keyByteCount = 64
    }

    /// Ciphers of the contents, by their UUIDs.
    enum Cipher: CaseIterable {
        case aes256CBC, chaCha20

        var uuid: [UInt8] {
            switch self {
            case .aes256CBC:
                [0x31, 0xC1, 0xF2, 0xE6, 0xBF, 0x71, 0x43, 0x50, 0xBE, 0x58, 0x05, 0x21, 0x6A, 0xFC, 0x5A, 0xFF]
            case .chaCha20:
                [0xD6, 0x03, 0x8A, 0x2B, 0x8B, 0x6F, 0x4C, 0xB5, 0xA5, 0x24, 0x33, 0x9A, 0x31, 0xDB, 0xB5, 0x9A]
            }
        }

        /// Decrypts contents.
        ///
        /// - Throws: `CryptographyError`; `authentication-failed` for padding that is none.
        func decrypt(
            _ bytes: [UInt8], key: Span<UInt8>, vector: [UInt8]
        ) throws(CryptographyError) -> [UInt8] {
            switch self {
            case .aes256CBC: return try AES256CBC.decryptPadded(bytes.span, key: key, vector: vector.span)
            case .chaCha20:
                var stream = try ChaCha20(key: key, nonce: vector.span)
                var bytes = bytes
                try stream.apply(to: &bytes)
                return bytes
            }
        }
    }

    /// The bytes of a number, little-endian.
    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / UInt8.bitWidth).map { UInt8(truncatingIfNeeded: number >> ($0 * UInt8.bitWidth)) }
    }
}

/// A place in the bytes of a file, from which parts are taken one after another.
struct KDBXCursor {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// The bytes that were taken so far.
    var taken: ArraySlice<UInt8> { bytes[..<offset] }

    /// The bytes that are left.
    var rest: ArraySlice<UInt8> { bytes[offset...] }

    /// Takes bytes; nil if there are not so many.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Takes a number, little-endian; nil if it is not whole.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type = Number.self) -> Number? {
        take(Number.bitWidth / UInt8.bitWidth)?.reversed().reduce(0) { $0 << UInt8.bitWidth | Number($1) }
    }

    /// Takes a number of bytes, and so many bytes.
    mutating func takeCounted() -> [UInt8]? { number(UInt32.self).flatMap { take(Int($0)) } }
}

extension KDBX {
    /// Reads the passkeys of a database. Deriving its key takes as long as its creator chose.
    ///
    /// - Parameters:
    ///   - bytes: the file, at most ``maxByteCount`` bytes.
    ///   - passphrase: the passphrase.
    ///   - take: as in ``CXF/read(_:_:)``.
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large`, `unknown-version`, `unsupported`, `costly`,
    ///   `wrong-passphrase`, `missing-library` or `library-failure`.
    package static func read(
        _ bytes: Span<UInt8>, passphrase: borrowing SecretBytes, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        guard bytes.count <= maxByteCount else {
            throw PasskeyFormatError(.tooLarge, reason: "the file has more than \(maxByteCount) bytes")
        }
        var contents = try open(bytes.withUnsafeBufferPointer { Array($0) }, passphrase)
        return try read(contents: contents.bytes, take)
    }

    /// Reads the inner header and the XML.
    static func read(
        contents: [UInt8], _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        var cursor = KDBXCursor(contents)
        var (stream, key): ([UInt8]?, [UInt8]?)
        while let field = cursor.number(UInt8.self), let value = cursor.takeCounted() {
            switch field {
            case InnerField.stream: stream = value
            case InnerField.key: key = value
            case InnerField.end:
                guard stream == InnerField.chaCha20, let key else {
                    throw PasskeyFormatError(.unsupported, reason: "the file protects values in an unsupported way")
                }
                let protected = try CryptographyError.rethrown(
                    KeePassXML.ProtectedStream(key: key), as: PasskeyFormatError.init)
                return try KeePassXML.read(cursor.rest, protected, take)
            default: break
            }
        }
        throw malformed("its inner header has no end")
    }

    /// A database with passkeys, each in an entry of its own.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - time: the time of the export, in seconds since 1970.
    ///   - passphrase: the passphrase that opens it.
    /// - Throws: ``PasskeyFormatError`` `missing-library` or `library-failure`.
    package static func encode(
        _ credentials: [Credential], at time: Int64, passphrase: borrowing SecretBytes
    ) throws(PasskeyFormatError) -> PasskeyExport {
        var key = SecretArray(randomBytes(count: InnerField.keyByteCount))
        let protected = try CryptographyError.rethrown(
            KeePassXML.ProtectedStream(key: key.bytes), as: PasskeyFormatError.init)
        let export = try KeePassXML.encode(credentials, at: time, protected)
        let fields: [(UInt8, [UInt8])] = [
            (InnerField.stream, InnerField.chaCha20), (InnerField.key, key.bytes), (InnerField.end, []),
        ]
        // One allocation: a move would leave the key behind.
        var contents = SecretArray(capacity: fields.reduce(export.span.count) { $0 + 5 + $1.1.count })
        for (field, value) in fields {
            contents.bytes.append(field)
            contents.bytes += bytes(UInt32(value.count))
            contents.bytes += value
        }
        contents.append(export.span)
        return PasskeyExport(bytes: try seal(contents.bytes, passphrase), records: export.records)
    }
}
