public import Cryptography
public import HybridProtocol

extension AuthenticatorLinkFile {
    /// The contents of the file.
    public struct Contents: Sendable {
        /// The clients, the oldest link first.
        public internal(set) var entries: [Entry]
        private(set) var root: Root

        init(root: Root, entries: [Entry]) {
            self.root = root
            self.entries = entries
        }

        /// True if the root secret takes a key to open.
        public var isSealed: Bool { if case .sealed = root { true } else { false } }

        /// The key by which tunnel services know this authenticator; it is there in either form.
        ///
        /// - Throws: ``LinkFileError`` `library-failure`.
        public func contactKey() throws(LinkFileError) -> P256.PrivateKey {
            switch root {
            case .plain(let root): return try root.contactKey()
            case .sealed(_, let contactKey): return contactKey.key.clone()
            }
        }

        /// The secret from which all link secrets come.
        ///
        /// - Parameter key: opens it; nil if there is none, which suffices if it is not sealed.
        /// - Throws: ``LinkFileError`` `sealed`, `other-vault` or `library-failure`.
        public func rootSecret(openedWith key: LinkSealingKey?) throws(LinkFileError) -> RootSecret {
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
            .sealed, reason: "the links' root secret is in the keeping of a vault, which is not open")
    }
}

extension AuthenticatorLinkFile.Contents {
    /// The root secret as the file has it. What is secret is wiped when the last copy is gone.
    enum Root: Sendable {
        case plain(PlainRoot)
        case sealed(SealedRootSecret, contactKey: ContactKey)
    }

    final class PlainRoot: Sendable {
        let secret: RootSecret
        init(_ secret: consuming RootSecret) { self.secret = secret }

        func contactKey() throws(LinkFileError) -> P256.PrivateKey {
            do throws(HybridProtocolError) {
                return try secret.contactKey()
            } catch {
                throw LinkFileError(.libraryFailure, from: error)
            }
        }
    }

    final class ContactKey: Sendable {
        let key: P256.PrivateKey
        init(_ key: consuming P256.PrivateKey) { self.key = key }

        func scalar() throws(LinkFileError) -> SecretBytes {
            do throws(CryptographyError) { return try key.scalar() } catch { throw LinkFileError(error) }
        }
    }
}
