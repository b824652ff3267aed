internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The contents of a ``ClientLinkFile``: in the map `links`, one `{1: length, 2: made, 3: last used}` each, and behind
/// it the links themselves, as they encode themselves.
struct ClientLinks: LinkFileContents {
    /// The links, the oldest first; of each authenticator one.
    var entries: [ClientLinkFile.Entry] = []

    private static let form = FileWithSecrets(format: "hybrid client links", version: 1)

    private enum Key {
        static let links = "links"
        static let byteCount = 1
        static let created = 2
        static let lastUsed = 3
    }

    init() {}

    init(decoding bytes: Span<UInt8>) throws(LinkFileError) {
        entries = try Self.form.decode(bytes) { (header, secrets) throws(LinkFileError) in
            guard let list = header[Key.links]?.arrayValue, list.count <= ClientLinkFile.maxCount else {
                throw .damaged("it lists no links, or too many")
            }
            var entries: [ClientLinkFile.Entry] = []
            var start = 0
            for value in list {
                guard let map = value.mapValue, let count = map[Key.byteCount]?.unsignedValue,
                    count <= UInt64(secrets.count - start), let created = map[Key.created]?.integerValue
                else { throw .damaged("a link of it lacks a part") }
                let end = start + Int(count)
                let link = try Self.link(secrets.extracting(start..<end))
                start = end
                entries.append(.init(link: link, created: created, lastUsed: map[Key.lastUsed]?.integerValue))
            }
            guard start == secrets.count else { throw .damaged("there is something behind its links") }
            return entries
        }
    }

    func encoded() -> [UInt8] {
        var secretByteCount = 0
        var list: [CBORValue] = []
        for entry in entries {
            let byteCount = entry.link.link.encoded().count
            secretByteCount += byteCount
            var map = CBORMap()
            map[Key.byteCount] = .unsigned(UInt64(byteCount))
            map[Key.created] = CBORValue(entry.created)
            map[Key.lastUsed] = entry.lastUsed.map { CBORValue($0) }
            list.append(.map(map))
        }
        return Self.form.encode([.text(Key.links): .array(list)], secretByteCount: secretByteCount) { bytes in
            for entry in entries {
                let encoded = entry.link.link.encoded()
                bytes.append(encoded)
            }
        }
    }

    private static func link(_ bytes: Span<UInt8>) throws(LinkFileError) -> SharedLink {
        do throws(HybridProtocolError) {
            return SharedLink(try Link(decoding: bytes))
        } catch {
            guard error.code != .unsupportedVersion else { throw LinkFileError(.newerVersion, from: error) }
            throw .damaged("a link of it does not read: \(error.reason)")
        }
    }
}
