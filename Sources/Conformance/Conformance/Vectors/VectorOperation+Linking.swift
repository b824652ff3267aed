internal import Cryptography
internal import Encodings
internal import HybridProtocol

// Keys that an authenticator derives from its root secret, and the linking map (the articles KeyDerivation and Linking
// of HybridProtocol).

extension VectorOperation {
    static let linkedKeys = [
        VectorOperation("key.expand-p256", "key-schedule") { input in
            let (seed, info) = (try input.bytes("seed"), Array(try input.text("info").utf8))
            return try fields(of: try P256.PrivateKey(expanding: seed.span, info: info.span))
        },
        VectorOperation("root.identity-key", "key-schedule") { input in
            let root = try root(input)
            let seed = KeySchedule.derive(.identityKeySeed, from: root.span, byteCount: RootSecret.byteCount)
            return (["seed": .hex(seed.copiedBytes)] as CaseFields).with(try fields(of: try root.identityKey()))
        },
        VectorOperation("root.contact-key", "key-schedule") { input in
            let root = try root(input)
            return try fields(of: try root.contactKey())
        },
        VectorOperation("root.link-secret", "key-schedule") { input in
            let root = try root(input)
            let contactID = try ContactID(try input.bytes("contact_id"))
            let secret = try root.linkSecret(contactID: contactID, linkID: LinkID(try input.bytes("link_id")))
            let ofContact = KeySchedule.derive(
                .contactIDSecret, from: root.span, salt: contactID.bytes.span, byteCount: RootSecret.byteCount)
            return [
                "contact_secret": .hex(ofContact.copiedBytes), "link_secret": .hex(secret.bytes.copiedBytes),
            ]
        },
    ]

    static let linking = [
        VectorOperation("linking.encode", "linking") { input in
            let (client, hash) = (try input.bytes("client_public"), try input.bytes("handshake_hash"))
            let offer = LinkOffer(
                contactID: try ContactID(try input.bytes("contact_id")),
                linkID: try LinkID(try input.bytes("link_id")), secret: try secret(input),
                identityKey: try key(input, "identity_private"), name: try input.text("name"))
            let map = try LinkingMap(
                offer, clientPublicKey: try P256.PublicKey(x963: client.span), handshakeHash: hash)
            let update = Message.update(map.encodedUpdate().take())
            return [
                "signature": .hex(map.signature), "map": .hex(map.encoded().take()), "update": .hex(update.plaintext),
            ]
        },
        VectorOperation("linking.verify", "linking") { input in
            let (encoded, hash) = (try input.bytes("map"), try input.bytes("handshake_hash"))
            let (value, secret) = try CBORValue.decode(encoded.span, withholding: [LinkingMap.secretKey])
            guard let entries = value.mapValue else { throw input.mistyped("map", "a map") }
            let map = SecretMap(entries, secretAt: secret, in: encoded.span)
            // The domain is not in the map.
            let verifier = LinkVerifier(privateKey: try key(input, "static_private"), domain: .google)
            return fields(of: try verifier.verify(map, handshakeHash: hash))
        },
    ]

    static func root(_ input: CaseFields) throws -> RootSecret {
        let bytes = try input.bytes("root_secret")
        return try RootSecret(SecretBytes(copying: bytes.span))
    }

    static func secret(_ input: CaseFields) throws -> LinkSecret {
        let bytes = try input.bytes("link_secret")
        return try LinkSecret(SecretBytes(copying: bytes.span))
    }

    static func fields(of link: borrowing Link) -> CaseFields {
        [
            "contact_id": .hex(link.contactID.bytes), "link_id": .hex(link.linkID.bytes),
            "link_secret": .hex(link.secret.bytes.copiedBytes), "public_key": .hex(link.publicKey.uncompressed),
            "name": .string(link.name), "domain_id": .integer(Int64(link.domain.number)),
        ]
    }

    private static func fields(of key: borrowing P256.PrivateKey) throws -> CaseFields {
        [
            "private_key": .hex(try key.scalar().copiedBytes), "public_key": .hex(key.publicKey.uncompressed),
        ]
    }
}
