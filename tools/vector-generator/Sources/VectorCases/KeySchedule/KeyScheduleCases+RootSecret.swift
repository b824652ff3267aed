internal import Conformance
internal import Encodings
internal import HybridProtocol

// Keys that an authenticator derives from its root secret (HT-KEY-9 to HT-KEY-13).

extension KeyScheduleCases {
    /// The info under which an identity key is expanded, as in BoringSSL's `EC_KEY_derive_from_secret`.
    private static let identityInfo = "derive EC key P-256"
    /// The info under which this project's authenticator expands the key that it registers with.
    private static let contactInfo = "hybrid transport contact key P-256"

    /// The seeds of BoringSSL's own unit test, and the private keys that it states.
    private static let published = [
        (seed: "", privateKey: "b98a86a71efb51ebdac4759937b977e9b0c05224675bb2b6a58ba306e237f4b8"),
        (seed: "123456", privateKey: "44a72bc62087b88e5ab7126766177ed0d8f1ed09ad066cd746527fc201105a7e"),
        (
            seed: "00000000000000000000000000000000",
            privateKey: "7ca1e2c83e6a5f2c1b3e7d58180226f269930c4b9fbe2a275096079630b7c57d"
        ),
        (
            seed: "de9c9b35543aaa0fba039e34e8ca9695da3225c7161c9e3a8c70356cac28c780",
            privateKey: "659f5abf3b62b9931c29d6ed0722efd2349fa56f54e708cf3272f620f1bc44d0"
        ),
    ]

    private var expansionRule: String { "HT-KEY-11" }
    private var contactKeyRule: String { "HT-KEY-13" }

    mutating func addExpansions() throws {
        for (index, (published, privateKey)) in Self.published.enumerated() {
            let slug = "expand-published-\(index)"
            let found = try layer.valid(
                slug, "BoringSSL's EC_KEY_derive_from_secret", rule: expansionRule, operation: "key.expand-p256",
                input: ["seed": .string(published), "info": .string(Self.identityInfo)], flags: [.published],
                source: "google/boringssl crypto/fipsmodule/ec/ec_test.cc DeriveFromSecret")
            try found.check("private_key", is: .string(privateKey), in: slug)
        }
        let expanded = seed.bytes("keys/expand", RootSecret.byteCount)
        for (slug, info) in [("no-info", ""), ("other-info", "x"), ("contact-info", Self.contactInfo)] {
            try layer.valid(
                "expand-\(slug)", "another info gives another key (\(slug))",
                rule: info == Self.contactInfo ? contactKeyRule : expansionRule,
                operation: "key.expand-p256",
                input: ["seed": .hex(expanded), "info": .string(info)])
        }
    }

    mutating func addKeysOfRootSecrets() throws {
        var roots = (0..<4).map { ("\($0)", seed.bytes("keys/root/\($0)", RootSecret.byteCount)) }
        roots += [("zeros", .zeros(RootSecret.byteCount)), ("ones", .ones(RootSecret.byteCount))]
        for (slug, root) in roots {
            try layer.valid(
                "identity-\(slug)", "the identity key of a root secret", rule: "HT-KEY-10",
                operation: "root.identity-key",
                input: ["root_secret": .hex(root)])
            try layer.valid(
                "contact-key-\(slug)", "the contact key of a root secret: this project's own", rule: contactKeyRule,
                operation: "root.contact-key", input: ["root_secret": .hex(root)], flags: [.optional])
        }
    }

    mutating func addRootSecretsOfWrongLength() throws {
        for count in [0, 16, 31, 33] {
            for name in ["identity-key", "contact-key"] {
                try layer.invalid(
                    "\(name)-root-\(count)-bytes", "a root secret has 32 bytes, not \(count)", rule: "HT-KEY-12",
                    operation: "root.\(name)", input: ["root_secret": .hex(.zeros(count))], failure: "wrong-length",
                    flags: [.optional])
            }
        }
    }

    /// A day of 2024, counted from 1970.
    private static let unixDay: UInt32 = 19937

    mutating func addLinkSecrets() throws {
        let (root, contactID) = ("root_secret", "contact_id")
        let linkID = "link_id"
        let seed = seed
        func ofLinkID(_ label: String) throws -> JSONValue { .hex(seed.bytes(label, LinkID.byteCount)) }
        func ofContactID(_ label: String, _ count: Int = SignedLinkingMap.contactIDByteCount) throws -> JSONValue {
            .hex(seed.bytes(label, count))
        }
        func ofRoot(_ label: String) throws -> JSONValue { .hex(seed.bytes(label, RootSecret.byteCount)) }

        let one: CaseFields = [
            root: try ofRoot("keys/root/0"), contactID: try ofContactID("keys/contact"),
            linkID: try ofLinkID("keys/link-id"),
        ]
        try linkSecret("secret", "the secret of one link", one)
        try linkSecret(
            "other-link", "of another link with the same contact ID", one.with(linkID, ofLinkID("keys/link-id/1")))
        try linkSecret(
            "other-contact", "of the same link ID with another contact ID",
            one.with(contactID, ofContactID("keys/contact/1")))
        try linkSecret("other-root", "of another phone", one.with(root, ofRoot("keys/root/1")))
        try linkSecret(
            "zeros", "zeros everywhere",
            [
                root: .hex(.zeros(RootSecret.byteCount)), contactID: .hex(.zeros(SignedLinkingMap.contactIDByteCount)),
                linkID: .hex(.zeros(LinkID.byteCount)),
            ])
        try linkSecret(
            "day-number", "a link ID as account synchronisation makes it: a day and four zeros",
            one.with(linkID, .hex(Self.unixDay.littleEndianBytes + .zeros(4))))
        for count in [1, 64, 65, 4096] {
            try linkSecret(
                "contact-\(count)", "a contact ID of \(count) bytes",
                one.with(contactID, ofContactID("keys/contact/\(count)", count)))
        }
        let wrongLengths = [
            ("contact", contactID, "HT-LNK-4", [0]), ("contact", contactID, "HT-TUN-15", [4097]),
            ("link-id", linkID, "HT-LNK-3", [7, 9]),
            ("root", root, "HT-KEY-12", [31, 33]),
        ]
        for (slug, field, rule, counts) in wrongLengths {
            for count in counts {
                let name = String(field.map { $0 == "_" ? " " : $0 })
                try layer.invalid(
                    "link-\(slug)-\(count)-bytes", "\(count) bytes of \(name)", rule: rule,
                    operation: "root.link-secret", input: one.with(field, .hex(.zeros(count))),
                    failure: "wrong-length", flags: [.boundary])
            }
        }
    }

    private mutating func linkSecret(_ slug: String, _ comment: String, _ input: CaseFields) throws {
        try layer.valid(
            "link-\(slug)", comment, rule: "HT-KEY-9", operation: "root.link-secret", input: input)
    }
}
