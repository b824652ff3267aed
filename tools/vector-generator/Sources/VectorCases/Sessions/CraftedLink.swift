internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A link that a phone offers, with all that only the phone knows (HT-KEY-9, HT-LNK-2).
struct CraftedLink {
    let root: [UInt8]
    let contactID: [UInt8]
    let linkID: [UInt8]
    let secret: [UInt8]
    let name: String
    /// The phone's static key.
    let identityKey: [UInt8]
    /// Its public half, uncompressed.
    let identityPublicKey: [UInt8]

    /// Makes a link of the bytes that its label gives.
    ///
    /// - Parameters:
    ///   - contactID: nil for one of 41 bytes.
    ///   - root: nil for a phone of this label.
    init(
        _ label: String, _ seed: VectorSeed, name: String = "Phone", contactID: [UInt8]? = nil, root: [UInt8]? = nil
    ) throws {
        let rootBytes = root ?? seed.bytes("session/\(label)/root", RootSecret.byteCount)
        let contactID = contactID ?? seed.bytes("session/\(label)/contact", SignedLinkingMap.contactIDByteCount)
        let linkID = seed.bytes("session/\(label)/link", LinkID.byteCount)
        let root = try RootSecret(SecretBytes(copying: rootBytes.span))
        let secret = try root.linkSecret(contactID: ContactID(contactID), linkID: LinkID(linkID))
        let identityKey = try root.identityKey()
        self.root = rootBytes
        self.contactID = contactID
        self.linkID = linkID
        self.secret = secret.bytes.copiedBytes
        self.name = name
        self.identityKey = try identityKey.scalar().copiedBytes
        identityPublicKey = identityKey.publicKey.uncompressed
    }

    /// Another link of the same phone.
    func sibling(_ seed: VectorSeed) throws -> Self {
        try Self("linked/sibling", seed, contactID: contactID, root: root)
    }

    /// The linking map, signed for one session.
    func map(for session: QRSession) throws -> CBORMap {
        try map(clientKey: session.staticKey, handshakeHash: session.handshake.handshakeHash)
    }

    /// The linking map, signed for the owner of a private key.
    func map(clientKey: [UInt8], handshakeHash: [UInt8]) throws -> CBORMap {
        let clientPublicKey = try P256.PrivateKey(scalar: clientKey.span).publicKey
        let offer = try LinkOffer(
            contactID: ContactID(contactID), linkID: LinkID(linkID),
            root: RootSecret(SecretBytes(copying: root.span)), name: name)
        let encoded = try LinkingMap(offer, clientPublicKey: clientPublicKey, handshakeHash: handshakeHash).encoded()
        return try CBORValue.decode(encoded.span).mapValue ?? [:]
    }

    /// The input by which an authenticator's operation offers the link.
    var input: CaseFields {
        [
            "root_secret": .hex(root), "contact_id": .hex(contactID), "link_id": .hex(linkID), "name": .string(name),
        ]
    }
}

extension SessionStep {
    /// An update as a phone sends it: with a linking map or without, filled up to a multiple of 512 bytes.
    static func update(_ map: CBORMap? = nil) -> Self {
        .phone(MessageType.update.message(Update.encoded(linking: map)))
    }

    /// An update without filler, with anything in the place of the linking map.
    static func barelyUpdate(_ linking: CBORValue) -> Self {
        let update: CBORValue = [1: linking]
        return .phone(MessageType.update.message(update.encoded()))
    }
}

extension CBORMap {
    /// A field of a linking map.
    subscript(_ key: SignedLinkingMap.Key) -> CBORValue? {
        get { self[key.rawValue] }
        set { self[key.rawValue] = newValue }
    }
}
