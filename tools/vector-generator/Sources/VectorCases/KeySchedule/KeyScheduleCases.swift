internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `key-schedule`: the values derived from a secret (the article Key derivation of HybridProtocol).
struct KeyScheduleCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "key-schedule", prefix: "keys",
        about: "HKDF-SHA-256 with a four-byte little-endian purpose; the keys of a phone's root secret.")

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        try cases.addPurposes()
        try cases.addLengths()
        try cases.addSalts()
        try cases.addUses()
        try cases.addExpansions()
        try cases.addKeysOfRootSecrets()
        try cases.addLinkSecrets()
        try cases.addRootSecretsOfWrongLength()
        return cases.layer
    }

    /// Adds a derivation.
    ///
    /// - Parameters:
    ///   - secret: nil for the QR secret of this layer.
    ///   - salt: nil for none.
    private mutating func derive(
        _ slug: String, _ comment: String, rule: String, purpose: Int, byteCount: Int, secret: [UInt8]? = nil,
        salt: [UInt8] = []
    ) throws {
        try layer.valid(
            slug, comment, rule: rule, operation: "key.derive",
            input: [
                "secret": .hex(secret ?? seed.bytes("keys/secret", Invitation.secretByteCount)), "salt": .hex(salt),
                "purpose": .integer(purpose), "length": .integer(byteCount),
            ])
    }

    /// The use of a derived value, and its length in bytes.
    private struct Purpose {
        let slug: String
        let name: String
        let byteCount: Int
        let rule: String
        /// The rule of its use in state-assisted sessions.
        let linkedRule: String

        init(
            _ slug: String, _ name: String, byteCount: Int, rule: String, linkedRule: String? = nil
        ) {
            self.slug = slug
            self.name = name
            self.byteCount = byteCount
            self.rule = rule
            self.linkedRule = linkedRule ?? rule
        }
    }

    private static let purposes = [
        Purpose("eid-key", "EID key", byteCount: 64, rule: "HT-KEY-4", linkedRule: "HT-KEY-7"),
        Purpose("tunnel-id", "tunnel ID", byteCount: 16, rule: "HT-KEY-5"),
        Purpose("psk", "PSK", byteCount: 32, rule: "HT-KEY-6", linkedRule: "HT-KEY-8"),
        Purpose("paired-secret", "paired secret", byteCount: 32, rule: "HT-KEY-9"),
        Purpose("identity-seed", "identity key seed", byteCount: 32, rule: "HT-KEY-10"),
        Purpose("contact-secret", "per-contact-ID secret", byteCount: 32, rule: "HT-KEY-9"),
    ]

    private mutating func addPurposes() throws {
        let salt = seed.bytes("keys/salt", ClientNonce.byteCount)
        let linkSecret = try linkSecret
        for (number, purpose) in zip(1..., Self.purposes) {
            let (slug, name, byteCount) = (purpose.slug, purpose.name, purpose.byteCount)
            try derive(
                slug, "purpose \(number), \(name), no salt", rule: "HT-KEY-1", purpose: number, byteCount: byteCount)
            try derive(
                "\(slug)-salted", "purpose \(number), \(name), a 16-byte salt",
                rule: number == 3 ? purpose.rule : "HT-KEY-1", purpose: number, byteCount: byteCount, salt: salt)
            try derive(
                "\(slug)-zero-secret", "\(name) of a secret of zeros", rule: purpose.rule, purpose: number,
                byteCount: byteCount,
                secret: .zeros(Invitation.secretByteCount))
            try derive(
                "\(slug)-long-secret", "\(name) of a 32-byte secret, as a link secret is", rule: purpose.linkedRule,
                purpose: number, byteCount: byteCount,
                secret: linkSecret, salt: salt)
        }
    }

    private mutating func addLengths() throws {
        for count in [1, 15, 16, 31, 32, 33, 63, 64, 65, 96] {
            try derive(
                "prefix-\(count)", "\(count) bytes are the first of any longer output", rule: "HT-KEY-3", purpose: 1,
                byteCount: count)
        }
        for count in [255, 256, 1000, 8160] {
            try derive(
                "length-\(count)", "\(count) bytes; HKDF ends at 8160", rule: "HT-KEY-3", purpose: 1, byteCount: count)
        }
    }

    private mutating func addSalts() throws {
        for count in [31, 33, 63, 64, 65, 200] {
            try derive(
                "salt-\(count)", "a salt of \(count) bytes; HMAC's block has 64", rule: "HT-KEY-1", purpose: 3,
                byteCount: 32,
                salt: seed.bytes("keys/salts", count))
        }
        try derive("empty-salt", "no salt is the same as ...", rule: "HT-KEY-2", purpose: 2, byteCount: 16)
        try derive(
            "zero-salt", "... a salt of 32 zero bytes", rule: "HT-KEY-2", purpose: 2, byteCount: 16, salt: .zeros(32))
        try derive(
            "one-byte-salt", "a salt of one zero byte, which HMAC pads to the same key", rule: "HT-KEY-2", purpose: 2,
            byteCount: 16, salt: .zeros(1))
    }

    /// The secrets and salts that sessions have.
    private mutating func addUses() throws {
        let root = seed.bytes("root", RootSecret.byteCount)
        try derive(
            "link-eid-key", "linked: link secret and client nonce", rule: "HT-KEY-7", purpose: 1, byteCount: 64,
            secret: linkSecret,
            salt: seed.bytes("nonce", ClientNonce.byteCount))
        try derive(
            "link-psk", "linked: link secret and advert plaintext", rule: "HT-KEY-8", purpose: 3, byteCount: 32,
            secret: linkSecret,
            salt: plaintext("keys/plaintext"))
        try derive(
            "psk-of-advert", "the salt is the advert's plaintext, not its sealed form", rule: "HT-KEY-6", purpose: 3,
            byteCount: 32,
            salt: plaintext("keys/advert"))
        try derive(
            "paired-secret-link-id", "the salt is an 8-byte link ID", rule: "HT-KEY-9", purpose: 4, byteCount: 32,
            secret: root,
            salt: seed.bytes("link-id", LinkID.byteCount))
        try derive(
            "contact-secret-contact-id", "the salt is a contact ID of 152 bytes, longer than HMAC's block",
            rule: "HT-KEY-9", purpose: 6,
            byteCount: 32, secret: root, salt: seed.bytes("contact", 152))
    }

    private var linkSecret: [UInt8] {
        get throws { seed.bytes("keys/link", LinkSecret.byteCount) }
    }

    /// An advert's plaintext: a zero, and seeded bytes.
    private func plaintext(_ label: String) throws -> [UInt8] {
        .zeros(1) + seed.bytes(label, LinkedAdvertPlaintext.randomByteCount)
    }
}
