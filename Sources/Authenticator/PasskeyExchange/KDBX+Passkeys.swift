package import Cryptography
package import PasskeyAuthenticator

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
        defer { wipe(&contents) }
        return try read(contents: contents, take)
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
                    throw PasskeyFormatError(.unsupported, reason: "the file protects values in a way not known here")
                }
                let protected: KeePassXML.ProtectedStream
                do throws(CryptographyError) { protected = try KeePassXML.ProtectedStream(key: key) } catch {
                    throw PasskeyFormatError(error)
                }
                return try KeePassXML.read(Array(cursor.rest), protected, take)
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
        var key = randomBytes(count: InnerField.keyByteCount)
        defer { wipe(&key) }
        let protected: KeePassXML.ProtectedStream
        do throws(CryptographyError) {
            protected = try KeePassXML.ProtectedStream(key: key)
        } catch {
            throw PasskeyFormatError(error)
        }
        let export = try KeePassXML.encode(credentials, at: time, protected)
        var contents: [UInt8] = []
        for (field, value) in [
            (InnerField.stream, InnerField.chaCha20), (InnerField.key, key), (InnerField.end, []),
        ] { contents += [field] + bytes(UInt32(value.count)) + value }
        contents += export.bytes
        defer { wipe(&contents) }
        return PasskeyExport(bytes: try seal(contents, passphrase), records: export.records)
    }
}
