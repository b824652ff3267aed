package import Cryptography
package import HybridProtocol
package import LinuxSupport

/// The file in which an authenticator keeps its root secret and its linked clients: mode 0600, replaced as a whole, by
/// any number of programs at once.
///
/// Every link secret comes from the root secret: who has it can answer in this authenticator's place, though without
/// its passkeys. Where the passkeys are in a vault, the file has it sealed under a key of the vault's
/// (``sealed(under:)``), and in clear only the data for an authenticator that waits to be woken, for days, with its
/// vault closed: the clients, and the contact key. Where there is no vault, as in labs, the file has it in clear, as
/// version 0.1.0 had it everywhere. A file that others than its owner may use, that is damaged or of a newer version is
/// refused, and left as it is by every function here.
///
/// Source: HT-KEY-9, HT-LNK-9.
package struct AuthenticatorLinkFile: Sendable, Hashable {
    /// A client that is linked.
    package struct Entry: Sendable, Hashable {
        /// The link's ID: 8 bytes.
        package let linkID: LinkID
        /// The contact ID by which the tunnel service reaches this authenticator for that client.
        package let contactID: ContactID
        /// The user's name for the client.
        package let name: String
        /// Time of creation, in seconds since 1970.
        package let created: Int64
        /// Time of the last use, in seconds since 1970; nil if never.
        package internal(set) var lastUsed: Int64?

        /// The longest name that is kept: 128 bytes of UTF-8.
        package static let maxNameByteCount = 128

        /// Makes an entry of a new link. A name that is too long is cut.
        package init(linkID: LinkID, contactID: ContactID, name: String, created: Int64) {
            self.init(linkID: linkID, contactID: contactID, name: name, created: created, lastUsed: nil)
        }

        init(linkID: LinkID, contactID: ContactID, name: String, created: Int64, lastUsed: Int64?) {
            self.linkID = linkID
            self.contactID = contactID
            self.name = Self.cut(name)
            self.created = created
            self.lastUsed = lastUsed
        }

        private static func cut(_ name: String) -> String {
            var name = name[...]
            while name.utf8.count > maxNameByteCount { name.removeLast() }
            return String(name)
        }
    }

    /// The most links that the file holds: 64.
    package static let maxCount = 64

    private static let placeInDataDirectory = "/hybrid/linked-clients"

    /// Path of the file.
    package var path: String { storage.file.path }

    private let storage: LinkFileStorage<AuthenticatorLinks>

    /// Names the file; nothing is touched.
    package init(path: String) { storage = LinkFileStorage(file: AtomicFile(path: path)) }

    /// `$XDG_DATA_HOME/hybrid/linked-clients`, with `~/.local/share` for a variable that is not set or no absolute
    /// path.
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    /// - Throws: ``LinkFileError`` `no-directory`.
    package static func defaultPath(environment: [String: String]? = nil) throws(LinkFileError) -> String {
        try LinkFileError.directory(.data, environment) + placeInDataDirectory
    }

    /// The contents of the file; nil if there is none.
    ///
    /// - Throws: ``LinkFileError``.
    package func contents() throws(LinkFileError) -> Contents? { try storage.read()?.contents }

    /// The contents of the file, which is made, with a new root secret in clear, if it is missing.
    ///
    /// - Throws: ``LinkFileError``.
    package func contentsOrNew() throws(LinkFileError) -> Contents {
        if let contents = try contents() { return contents }
        // Another program may be faster: the file on the disk afterwards counts.
        try storage.change { _ in true }
        guard let contents = try contents() else { throw vanished }
        return contents
    }

    /// The contents of the file, which is made if it is missing, and from now on has the root secret under a key only.
    ///
    /// The key must be kept already: whenever this ends, the file has the secret in the one form or the other.
    ///
    /// - Throws: ``LinkFileError``; then the file is as it was.
    package func sealed(under key: LinkSealingKey) throws(LinkFileError) -> Contents {
        if let contents = try contents(), contents.isSealed { return contents }
        try storage.change { (links) throws(LinkFileError) in
            // Another program may have been faster.
            guard !links.contents.isSealed else { return false }
            try links.contents.seal(under: key)
            return true
        }
        guard let contents = try contents() else { throw vanished }
        return contents
    }

    private var vanished: LinkFileError {
        LinkFileError(.inputOutput, reason: "\(path) was removed as soon as it was made")
    }

    /// Keeps a new link.
    ///
    /// - Throws: ``LinkFileError`` `full` or any other; then the file is as it was.
    package func add(_ entry: Entry) throws(LinkFileError) {
        try storage.change { (links) throws(LinkFileError) in
            links.contents.entries.removeAll { $0.linkID == entry.linkID }
            guard links.contents.entries.count < Self.maxCount else {
                throw LinkFileError(.full, reason: "\(path) has \(Self.maxCount) links, and takes no more")
            }
            links.contents.entries.append(entry)
            return true
        }
    }

    /// Removes a link: its client can wake this authenticator no more.
    ///
    /// - Throws: ``LinkFileError`` `unknown-link` or any other; then the file is as it was.
    package func revoke(_ linkID: LinkID) throws(LinkFileError) {
        try storage.change { (links) throws(LinkFileError) in
            guard let place = links.contents.entries.firstIndex(where: { $0.linkID == linkID }) else {
                throw LinkFileError(.unknownLink, reason: "\(path) has no such link")
            }
            links.contents.entries.remove(at: place)
            return true
        }
    }

    /// Notes that a link was used. If it has been revoked meanwhile, nothing happens.
    ///
    /// - Parameters:
    ///   - linkID: the link.
    ///   - time: the time of the use, in seconds since 1970.
    /// - Throws: ``LinkFileError``; then the file is as it was.
    package func markUsed(_ linkID: LinkID, at time: Int64) throws(LinkFileError) {
        try storage.change { links in
            guard let place = links.contents.entries.firstIndex(where: { $0.linkID == linkID }) else { return false }
            links.contents.entries[place].lastUsed = time
            return true
        }
    }

    /// Identity of the present file; nil if there is none. It differs after every change, and is found without reading:
    /// for code that waits for other processes' changes.
    ///
    /// - Throws: ``LinkFileError``.
    package func identity() throws(LinkFileError) -> AtomicFile.Identity? {
        try AtomicFileError.rethrown(storage.file.identity(), as: LinkFileError.init)
    }
}

extension AuthenticatorLinkFile {
    /// The contents of the file.
    package struct Contents: Sendable {
        /// The clients, the oldest link first.
        package internal(set) var entries: [Entry]
        private(set) var root: Root

        init(root: Root, entries: [Entry]) {
            self.root = root
            self.entries = entries
        }

        /// True if the root secret takes a key to open.
        package var isSealed: Bool { if case .sealed = root { true } else { false } }

        /// The key by which tunnel services know this authenticator; it is there in either form.
        ///
        /// - Throws: ``LinkFileError`` `library-failure`.
        package func contactKey() throws(LinkFileError) -> P256.PrivateKey {
            switch root {
            case .plain(let root): return try root.contactKey()
            case .sealed(_, let contactKey): return contactKey.key.clone()
            }
        }

        /// The secret from which all link secrets come.
        ///
        /// - Parameter key: opens it; nil if there is none, which suffices if it is not sealed.
        /// - Throws: ``LinkFileError`` `sealed`, `other-vault` or `library-failure`.
        package func rootSecret(openedWith key: LinkSealingKey?) throws(LinkFileError) -> RootSecret {
            switch root {
            case .plain(let root): return root.secret.clone()
            case .sealed(let sealed, let contactKey):
                guard let key else { throw Self.closed }
                return try RootSecret(reading: sealed.open(with: key, contactKey: contactKey.key.publicKey))
            }
        }

        /// Seals the root secret, if it is not sealed already.
        mutating func seal(under key: LinkSealingKey) throws(LinkFileError) {
            guard case .plain(let plain) = root else { return }
            let contactKey = ContactKey(try plain.contactKey())
            let sealed = try SealedRootSecret(plain.secret, under: key, contactKey: contactKey.key.publicKey)
            root = .sealed(sealed, contactKey: contactKey)
        }

        private static let closed = LinkFileError(
            .sealed, reason: "the links' root secret is kept by a vault, which is not open")
    }
}

extension AuthenticatorLinkFile.Contents {
    /// The root secret as the file has it. Its secrets are wiped when the last copy is gone.
    enum Root: Sendable {
        case plain(PlainRoot)
        case sealed(SealedRootSecret, contactKey: ContactKey)
    }

    final class PlainRoot: Sendable {
        let secret: RootSecret
        init(_ secret: consuming RootSecret) { self.secret = secret }

        func contactKey() throws(LinkFileError) -> P256.PrivateKey {
            try HybridProtocolError.rethrown(secret.contactKey(), as: { LinkFileError(.libraryFailure, from: $0) })
        }
    }

    final class ContactKey: Sendable {
        let key: P256.PrivateKey
        init(_ key: consuming P256.PrivateKey) { self.key = key }

        func scalar() throws(LinkFileError) -> SecretBytes {
            try CryptographyError.rethrown(key.scalar(), as: LinkFileError.init)
        }
    }
}
