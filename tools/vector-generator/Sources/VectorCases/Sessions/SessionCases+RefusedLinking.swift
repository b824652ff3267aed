internal import Conformance
internal import Encodings
internal import HybridProtocol

// Bad linking data is dropped and named; the request that follows is answered. A client may end the session instead
// (HT-LNK-33).

extension SessionCases {
    mutating func addRefusedLinking() throws {
        let otherSession = try linkable("links-other")
        let otherKey = try CraftedLink("links-other", seed).identityPublicKey
        try drop("signature", "bad-signature", changing: .signature, to: .bytes(.zeros(32)), flags: [.tamper])
        try drop("other-session", failure: "bad-signature", flags: [.tamper]) { _, link in
            .map(try link.map(for: otherSession))
        }
        try drop("other-key", "bad-signature", changing: .publicKey, to: .bytes(otherKey), flags: [.tamper])
        try drop(
            "off-curve", "invalid-point", changing: .publicKey, to: .bytes([0x04] + .zeros(64)), flags: [.curve])
        try drop("compressed", failure: "wrong-length") { session, link in
            var map = try link.map(for: session)
            map[.publicKey] = .bytes(try CraftedPoint.compressed(link.identityPublicKey))
            return .map(map)
        }
        try drop("no-contact", "wrong-length", changing: .contactID, to: .bytes([]))
        try drop("contact-4097", "wrong-length", changing: .contactID, to: .bytes(.zeros(4097)))
        try drop("link-id-9", "wrong-length", changing: .linkID, to: .bytes(.zeros(9)))
        try drop("secret-16", "wrong-length", changing: .linkSecret, to: .bytes(.zeros(16)))
        try drop("signature-31", "wrong-length", changing: .signature, to: .bytes(.zeros(31)))
        try drop("name-bytes", "wrong-type", changing: .name, to: .bytes(Array("Phone".utf8)))
        try drop("empty", failure: "missing-field") { _, _ in [:] }
        try drop("array", rule: "HT-LNK-40", failure: "wrong-type") { _, _ in [] }
        try drop("bytes", rule: "HT-LNK-40", failure: "wrong-type") { session, link in
            .bytes(CBORValue.map(try link.map(for: session)).encoded())
        }
    }

    private mutating func drop(
        _ slug: String, _ failure: String, changing key: SignedLinkingMap.Key, to value: CBORValue,
        flags: [CaseFlag] = []
    ) throws {
        try drop(slug, failure: failure, flags: flags) { session, link in
            var map = try link.map(for: session)
            map[key] = value
            return .map(map)
        }
    }

    private mutating func drop(
        _ slug: String, rule: String = "HT-LNK-33", failure: String, flags: [CaseFlag] = [],
        _ linking: (QRSession, CraftedLink) throws -> CBORValue
    ) throws {
        let session = try linkable("links-bad/\(slug)")
        let update = SessionStep.barelyUpdate(try linking(session, CraftedLink("links-bad/\(slug)", seed)))
        try acceptLinking(
            "links-bad-\(slug)", "linking data that is dropped (\(slug)); the session goes on", rule: rule,
            session: session.saying([.phone(messages.first), .client(messages.request), update, .phone(messages.reply)]
            ),
            results: ["none", failure], flags: flags + [.optional])
    }
}
