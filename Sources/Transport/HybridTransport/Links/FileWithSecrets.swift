internal import Cryptography
internal import Encodings

/// The form of both files of links: one canonical CBOR map with `format`, `version` and everything that is not secret,
/// then the secrets, then the SHA-256 of all that, against damage.
///
/// The secrets stand outside the CBOR so that they are in one buffer only, which is wiped.
struct FileWithSecrets {
    /// Name of the kind of file.
    let format: String
    /// The newest version, which is written unless an older one suffices.
    let version: UInt64

    /// The largest file that is read: 2 MiB, more than the largest that is written.
    static let maxByteCount = 1 << 21
    private static let limits = CBORLimits(maxDepth: 4, maxItems: 1 << 12, maxBytes: maxByteCount)

    private enum Key {
        static let format = "format"
        static let version = "version"
    }

    /// The file's bytes, in one allocation.
    ///
    /// - Parameters:
    ///   - header: the fields that are not secret.
    ///   - version: the version that they need; the newest if nil.
    ///   - secretByteCount: the number of bytes that `append` appends.
    ///   - append: appends the secrets.
    func encode(
        _ header: CBORMap, version: UInt64? = nil, secretByteCount: Int, appending append: (inout SecretArray) -> Void
    ) -> SecretArray {
        var header = header
        header[Key.format] = .text(format)
        header[Key.version] = .unsigned(version ?? self.version)
        let encodedHeader = header.encoded()
        var bytes = SecretArray(capacity: encodedHeader.count + secretByteCount + SHA256.byteCount)
        bytes.bytes += encodedHeader
        append(&bytes)
        bytes.bytes += SHA256.hash(bytes.span)
        return bytes
    }

    /// Reads a file's bytes.
    ///
    /// - Parameters:
    ///   - bytes: all of them.
    ///   - read: gets the map and the secrets.
    /// - Throws: ``LinkFileError`` `damaged`, `newer-version` or `library-failure`; the errors of `read`.
    func decode<Contents>(
        _ bytes: Span<UInt8>, _ read: (CBORMap, Span<UInt8>) throws(LinkFileError) -> Contents
    ) throws(LinkFileError) -> Contents {
        let (header, headerByteCount) = try decodeHeader(bytes)
        let checkedByteCount = bytes.count - SHA256.byteCount
        guard checkedByteCount >= headerByteCount else { throw .damaged("it was cut short") }
        let digest = SHA256.hash(bytes.extracting(first: checkedByteCount))
        guard constantTimeEquals(digest.span, bytes.extracting(last: SHA256.byteCount)) else {
            throw .damaged("its checksum does not match")
        }
        return try read(header, bytes.extracting(headerByteCount..<checkedByteCount))
    }

    private func decodeHeader(_ bytes: Span<UInt8>) throws(LinkFileError) -> (CBORMap, Int) {
        let header: (value: CBORValue, byteCount: Int)
        do throws(CBORError) {
            header = try CBORValue.decodePrefix(bytes, limits: Self.limits)
        } catch {
            throw .damaged("its header does not read: \(error)")
        }
        guard let map = header.value.mapValue, map[Key.format]?.textValue == format,
            let found = map[Key.version]?.unsignedValue, found >= 1
        else { throw .damaged("it holds no such links") }
        guard found <= version else {
            throw LinkFileError(
                .newerVersion,
                reason: "the file has version \(found), and this program knows versions up to \(version)")
        }
        return (map, header.byteCount)
    }
}
