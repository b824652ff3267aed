internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The contents of an ``AuthenticatorLinkFile``: in the map `links`, one `{1: link ID, 2: contact ID, 3: name, 4: made,
/// 5: last used}` each, and behind it a secret of 32 bytes.
///
/// In version 2 that is the contact key, and the map has the root secret, sealed, as `root`, with its `nonce`. Version
/// 1, which is still written where there is no vault, has the root secret itself behind the map. Programs that know
/// version 1 only refuse version 2.
struct AuthenticatorLinks: LinkFileContents {
    var contents: AuthenticatorLinkFile.Contents

    private static let form = FileWithSecrets(format: "hybrid linked clients", version: 2)
    private static let plainVersion: UInt64 = 1

    private enum Key {
        static let links = "links"
        static let root = "root"
        static let nonce = "nonce"
    }

    init() throws(LinkFileError) {
        let secret = SecretBytes.random(count: RootSecret.byteCount)
        contents = .init(root: .plain(.init(try RootSecret(reading: secret))), entries: [])
    }

    init(decoding bytes: Span<UInt8>) throws(LinkFileError) {
        contents = try Self.form.decode(bytes) { (header, secrets) throws(LinkFileError) in
            guard let list = header[Key.links]?.arrayValue, list.count <= AuthenticatorLinkFile.maxCount else {
                throw .damaged("it lists no links, or too many")
            }
            var entries: [AuthenticatorLinkFile.Entry] = []
            for value in list {
                guard let entry = AuthenticatorLinkFile.Entry(value) else {
                    throw .damaged("a link of it lacks a part")
                }
                entries.append(entry)
            }
            return .init(root: try Self.root(header, secrets), entries: entries)
        }
    }

    func encoded() throws(LinkFileError) -> SecretArray {
        var header: CBORMap = [.text(Key.links): .array(contents.entries.map { CBORValue.map($0.map) })]
        switch contents.root {
        case .plain(let root):
            return Self.form.encode(
                header, version: Self.plainVersion, secretByteCount: RootSecret.byteCount
            ) { $0.append(root.secret.clone().span) }
        case .sealed(let root, let contactKey):
            header[Key.root] = .bytes(root.bytes)
            header[Key.nonce] = .bytes(root.nonce)
            let scalar = try contactKey.scalar()
            return Self.form.encode(header, secretByteCount: scalar.count) { $0.append(scalar.span) }
        }
    }

    private static func root(
        _ header: CBORMap, _ secret: Span<UInt8>
    ) throws(LinkFileError) -> AuthenticatorLinkFile.Contents.Root {
        guard let sealed = header[Key.root] else {
            return .plain(.init(try RootSecret(reading: SecretBytes(copying: secret))))
        }
        guard let bytes = sealed.bytesValue, let nonce = header[Key.nonce]?.bytesValue,
            let root = SealedRootSecret(nonce: nonce, bytes: bytes)
        else { throw .damaged("its root secret lacks a part") }
        do throws(CryptographyError) {
            return .sealed(root, contactKey: .init(try P256.PrivateKey(scalar: secret)))
        } catch {
            throw .damaged("its contact key is invalid")
        }
    }
}

extension RootSecret {
    /// Takes a stored secret.
    ///
    /// - Throws: ``LinkFileError`` `damaged` for another number of bytes.
    init(reading secret: consuming SecretBytes) throws(LinkFileError) {
        do throws(HybridProtocolError) {
            try self.init(secret)
        } catch {
            throw .damaged("its root secret cannot be read: \(error.reason)")
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
