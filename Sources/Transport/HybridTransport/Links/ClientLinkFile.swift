internal import Cryptography
internal import Encodings
package import HybridProtocol
internal import LinuxSupport

/// The file in which a client keeps its links: mode 0600, replaced as a whole, by any number of programs at once.
///
/// It holds link secrets: a reader of the file can wake the authenticators, and pass for this client. A file that
/// others than its owner may use, that is damaged or of a newer version is refused, and left as it is by every function
/// here.
///
/// Source: HT-LNK-37, HT-LNK-38.
package struct ClientLinkFile: Sendable, Hashable {
    /// A link, and when it was made and used.
    package struct Entry: Sendable {
        /// The link.
        package let link: SharedLink
        /// Time of creation, in seconds since 1970.
        package let created: Int64
        /// Time of the last use, in seconds since 1970; nil if never.
        package internal(set) var lastUsed: Int64?

        /// The link's name here: the X coordinate of its authenticator's public key, 32 bytes.
        package var id: [UInt8] { link.id }
    }

    /// The most links that the file holds: 64.
    package static let maxCount = 64

    private static let placeInStateDirectory = "/hybrid/links"

    /// Path of the file.
    package var path: String { storage.file.path }

    private let storage: LinkFileStorage<ClientLinks>

    /// Names the file; nothing is touched. It is made with the first link.
    package init(path: String) { storage = LinkFileStorage(file: AtomicFile(path: path)) }

    /// `$XDG_STATE_HOME/hybrid/links`, with `~/.local/state` for a variable that is not set or no absolute path.
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    /// - Throws: ``LinkFileError`` `no-directory`.
    package static func defaultPath(environment: [String: String]? = nil) throws(LinkFileError) -> String {
        try LinkFileError.directory(.state, environment) + placeInStateDirectory
    }

    /// The links, the oldest first; none if there is no file.
    ///
    /// - Throws: ``LinkFileError``.
    package func links() throws(LinkFileError) -> [Entry] { try storage.read()?.entries ?? [] }

    /// Keeps a new link, in the place of an older one to the same authenticator.
    ///
    /// - Parameters:
    ///   - link: the link.
    ///   - time: the time of creation, in seconds since 1970.
    /// - Throws: ``LinkFileError`` `full` or any other; then the file is as it was.
    package func add(_ link: SharedLink, at time: Int64) throws(LinkFileError) {
        try storage.change { (contents) throws(LinkFileError) in
            contents.entries.removeAll { $0.id == link.id }
            guard contents.entries.count < Self.maxCount else {
                throw LinkFileError(.full, reason: "\(path) has \(Self.maxCount) links, and takes no more")
            }
            contents.entries.append(Entry(link: link, created: time))
            return true
        }
    }

    /// Notes that a link was used. If the file has it no more, nothing happens.
    ///
    /// - Parameters:
    ///   - id: the link's ``Entry/id``.
    ///   - time: the time of the use, in seconds since 1970.
    /// - Throws: ``LinkFileError``; then the file is as it was.
    package func markUsed(_ id: [UInt8], at time: Int64) throws(LinkFileError) {
        try storage.change { contents in
            guard let place = contents.entries.firstIndex(where: { $0.id == id }) else { return false }
            contents.entries[place].lastUsed = time
            return true
        }
    }

    /// Forgets a link.
    ///
    /// - Parameters:
    ///   - id: the link's ``Entry/id``.
    ///   - linkID: forgets it only if it still is this one, and not a newer link to the same authenticator; nil for any
    ///     link.
    /// - Returns: true if there was one.
    /// - Throws: ``LinkFileError``; then the file is as it was.
    @discardableResult
    package func forget(_ id: [UInt8], onlyIf linkID: LinkID? = nil) throws(LinkFileError) -> Bool {
        var hadOne = false
        try storage.change { contents in
            let before = contents.entries.count
            contents.entries.removeAll { $0.id == id && (linkID == nil || $0.link.link.linkID == linkID) }
            hadOne = contents.entries.count < before
            return hadOne
        }
        return hadOne
    }
}

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
            guard start == secrets.count else { throw .damaged("there is data after its links") }
            return entries
        }
    }

    func encoded() -> SecretArray {
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
                bytes.append(encoded.span)
            }
        }
    }

    private static func link(_ bytes: Span<UInt8>) throws(LinkFileError) -> SharedLink {
        do throws(HybridProtocolError) {
            return SharedLink(try Link(decoding: bytes))
        } catch {
            guard error.code != .unsupportedVersion else { throw LinkFileError(.newerVersion, from: error) }
            throw .damaged("one of its links cannot be read: \(error.reason)")
        }
    }
}
