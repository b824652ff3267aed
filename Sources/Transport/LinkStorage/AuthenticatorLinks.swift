internal import CBOR
internal import Cryptography
internal import HybridProtocol

/// The contents of an ``AuthenticatorLinkFile``: in the map `links`, one `{1: link ID, 2: contact ID, 3: name, 4: made,
/// 5: last used}` each, and behind it the root secret, 32 bytes.
struct AuthenticatorLinks: LinkFileContents {
    var contents: AuthenticatorLinkFile.Contents

    private static let form = FileWithSecrets(format: "hybrid linked clients", version: 1)

    private static let linksKey = "links"

    init() throws(LinkFileError) {
        let secret: SecretBytes
        do throws(CryptographyError) {
            secret = try .random(count: RootSecret.byteCount)
        } catch {
            throw LinkFileError(error)
        }
        contents = .init(root: try Self.root(secret), entries: [])
    }

    init(decoding bytes: Span<UInt8>) throws(LinkFileError) {
        contents = try Self.form.decode(bytes) { (header, secrets) throws(LinkFileError) in
            guard let list = header[Self.linksKey]?.arrayValue, list.count <= AuthenticatorLinkFile.maxCount else {
                throw .damaged("it lists no links, or too many")
            }
            guard secrets.count == RootSecret.byteCount else { throw .damaged("its root secret has a wrong length") }
            var entries: [AuthenticatorLinkFile.Entry] = []
            for value in list {
                guard let entry = AuthenticatorLinkFile.Entry(value) else {
                    throw .damaged("a link of it lacks a part")
                }
                entries.append(entry)
            }
            return .init(root: try Self.root(SecretBytes(copying: secrets)), entries: entries)
        }
    }

    func encoded() throws(LinkFileError) -> [UInt8] {
        let list = contents.entries.map { CBORValue.map($0.map) }
        return try Self.form.encode(
            [.text(Self.linksKey): .array(list)], secretByteCount: RootSecret.byteCount
        ) { bytes in
            contents.withRootSecret { root in
                let span = root.span
                for index in span.indices { bytes.append(span[index]) }
            }
        }
    }

    private static func root(_ secret: consuming SecretBytes) throws(LinkFileError) -> RootSecret {
        do throws(HybridProtocolError) {
            return try RootSecret(secret)
        } catch {
            throw .damaged("its root secret does not read: \(error.reason)")
        }
    }
}

extension AuthenticatorLinkFile.Entry {
    private enum Key {
        static let linkID = 1
        static let contactID = 2
        static let name = 3
        static let created = 4
        static let lastUsed = 5
    }

    /// The entry as the file has it.
    fileprivate var map: CBORMap {
        var map = CBORMap()
        map[Key.linkID] = .bytes(linkID.bytes)
        map[Key.contactID] = .bytes(contactID.bytes)
        map[Key.name] = .text(name)
        map[Key.created] = CBORValue(created)
        map[Key.lastUsed] = lastUsed.map { CBORValue($0) }
        return map
    }

    /// Reads an entry; nil if a part of it is missing or cannot be.
    fileprivate init?(_ value: CBORValue) {
        guard let map = value.mapValue, let linkID = map[Key.linkID]?.bytesValue.flatMap({ try? LinkID($0) }),
            let contactID = map[Key.contactID]?.bytesValue.flatMap({ try? ContactID($0) }),
            let name = map[Key.name]?.textValue, let created = map[Key.created]?.integerValue
        else { return nil }
        self.init(
            linkID: linkID, contactID: contactID, name: name, created: created,
            lastUsed: map[Key.lastUsed]?.integerValue)
    }
}
