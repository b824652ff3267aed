package import Cryptography
internal import HybridProtocol

/// The key under which a root secret is sealed in an ``AuthenticatorLinkFile``. It is kept where the passkeys are, and
/// is wiped when its last copy is gone.
package struct LinkSealingKey: Sendable {
    /// The length: 32 bytes.
    package static let byteCount = AES256GCM.keyByteCount

    private let held: Held

    private final class Held: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// Takes a key.
    ///
    /// - Parameter bytes: 32 bytes.
    /// - Throws: ``LinkFileError`` `library-failure` for another number of bytes.
    package init(_ bytes: consuming SecretBytes) throws(LinkFileError) {
        guard bytes.count == Self.byteCount else {
            throw LinkFileError(.libraryFailure, reason: "a key for links has \(Self.byteCount) bytes")
        }
        held = Held(bytes)
    }

    /// A copy of the bytes, for one use.
    func clone() -> SecretBytes { held.bytes.clone() }
}

/// A root secret under AES-256-GCM. The contact key, which lies beside it in clear, is authenticated with it.
struct SealedRootSecret: Sendable {
    /// The length of the ciphertext and its tag: 48 bytes.
    static let byteCount = RootSecret.byteCount + AES256GCM.tagByteCount

    let nonce: [UInt8]
    let bytes: [UInt8]

    /// Takes the nonce and the bytes of a file; nil if either has a wrong length.
    init?(nonce: [UInt8], bytes: [UInt8]) {
        guard nonce.count == AES256GCM.nonceByteCount, bytes.count == Self.byteCount else { return nil }
        self.nonce = nonce
        self.bytes = bytes
    }

    /// Seals a root secret.
    ///
    /// - Throws: ``LinkFileError`` `library-failure`.
    init(
        _ root: borrowing RootSecret, under key: LinkSealingKey, contactKey: P256.PublicKey
    ) throws(LinkFileError) {
        // With space for the tag, so that nothing is moved and left behind.
        var sealed = SecretArray(capacity: Self.byteCount)
        sealed.append(root.span)
        do throws(CryptographyError) {
            let nonce = randomBytes(count: AES256GCM.nonceByteCount)
            let context = contactKey.compressed
            let keyBytes = key.clone()
            var sealer = try AES256GCM.Sealer(key: keyBytes.span)
            try sealer.seal(&sealed.bytes, nonce: AES256GCM.Nonce(nonce), authenticatedData: context.span)
            self.nonce = nonce
            bytes = sealed.take()
        } catch {
            throw LinkFileError(error)
        }
    }

    /// Opens the root secret.
    ///
    /// - Throws: ``LinkFileError`` `other-vault` if it was sealed under another key or for another contact key;
    ///   `library-failure`.
    func open(with key: LinkSealingKey, contactKey: P256.PublicKey) throws(LinkFileError) -> SecretBytes {
        var opened = SecretArray(bytes)
        do throws(CryptographyError) {
            let context = contactKey.compressed
            let keyBytes = key.clone()
            var opener = try AES256GCM.Opener(key: keyBytes.span)
            try opener.open(&opened.bytes, nonce: AES256GCM.Nonce(nonce), authenticatedData: context.span)
        } catch {
            guard error.code == .authenticationFailed else { throw LinkFileError(error) }
            throw LinkFileError(.otherVault, reason: "the links' root secret was sealed under another vault than this")
        }
        return SecretBytes(copying: opened.span)
    }
}
