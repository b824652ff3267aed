import Cryptography
import Encodings
import HybridProtocol

/// The authenticator of the linking tests. The numbers mean nothing.
enum LinkMaker {
    static let linkID = [UInt8](0x20..<0x28)
    static let contactID = [UInt8]("a contact".utf8)

    struct NoLink: Error {}

    static func root(_ fill: UInt8 = 0x5a) throws -> RootSecret {
        let bytes = [UInt8](repeating: fill, count: RootSecret.byteCount)
        return try RootSecret(SecretBytes(copying: bytes.span))
    }

    static func offer(contactID: [UInt8] = contactID, name: String = "Küche") throws -> LinkOffer {
        try LinkOffer(contactID: ContactID(contactID), linkID: LinkID(linkID), root: root(), name: name)
    }

    /// A link of a whole session between two ends of ours.
    static func link() throws -> Link {
        var pair = try Pair(details: .linkable)
        let update = try pair.authenticator.sealUpdate(offering: offer())
        _ = try pair.client.open(update)
        guard let link = pair.client.takeLink() else { throw NoLink() }
        return link
    }

    /// The secret of that link, derived by hand.
    static func linkSecret() throws -> SecretBytes {
        let root = try root()
        let ofContact = KeySchedule.derive(
            .contactIDSecret, from: root.span, salt: contactID.span, byteCount: 32)
        return KeySchedule.derive(.pairedSecret, from: ofContact.span, salt: linkID.span, byteCount: 32)
    }

    /// A linking map as an honest authenticator writes it, by other code than the module's.
    static func map(clientKey: P256.PublicKey, handshakeHash: [UInt8]) throws -> CBORMap {
        let root = try root()
        let key = try root.identityKey()
        let publicKey = key.publicKey.uncompressed
        let shared = try key.sharedSecret(with: clientKey)
        var code = HMACSHA256(key: shared.span)
        let signature = code.authenticationCode(for: handshakeHash.span)
        return [
            1: .bytes(contactID), 2: .bytes(linkID), 3: .bytes([UInt8](repeating: 3, count: 32)),
            4: .bytes(publicKey), 5: .text("Küche"), 6: .bytes(signature),
        ]
    }
}

extension SecretBytes {
    /// The bytes, for a test to look at.
    var contents: [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}

extension ClientSession {
    /// Takes the link; its name, or nil if there is none.
    mutating func takenName() -> String? {
        switch takeLink() {
        case .some(let link): link.name
        case .none: nil
        }
    }
}
