internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `linking`: the linking map, its signature, and the update that carries it (the article Linking).
struct LinkingCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "linking", prefix: "linking", about: "The linking map, its signature, and the update that carries it.")
    /// The map that most cases change.
    let honest: SignedLinkingMap
    /// The map of another session, between others.
    let other: SignedLinkingMap

    private init(_ seed: VectorSeed) throws {
        self.seed = seed
        honest = try SignedLinkingMap(seed, "0")
        other = try SignedLinkingMap(seed, "1")
    }

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = try Self(seed)
        try cases.addHonest()
        try cases.addRefusedEncodings()
        try cases.addLenient()
        try cases.addFields()
        try cases.addPoints()
        try cases.addSignatures()
        try cases.addUnsigned()
        return cases.layer
    }

    /// Adds a map that must be verified.
    mutating func verify(
        _ slug: String, _ comment: String, rule: String, input: CaseFields, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "verify-\(slug)", comment, rule: rule, operation: "linking.verify", input: input,
            // The domain, which a link has too, comes from the session and is not in the map.
            expecting: ["contact_id", "link_id", "link_secret", "public_key", "name"], flags: flags)
    }

    /// Adds a map that must be refused.
    mutating func refuse(
        _ slug: String, _ comment: String, rule: String, input: CaseFields, failure: String, flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "verify-\(slug)", comment, rule: rule, operation: "linking.verify", input: input, failure: failure,
            flags: flags)
    }
}

// Maps as an authenticator makes them.

extension LinkingCases {
    private mutating func addHonest() throws {
        for index in 0..<5 {
            try addBoth(
                "\(index)", "an honest link", SignedLinkingMap(seed, "\(index)"), made: "HT-LNK-6", taken: "HT-LNK-30")
        }
        for count in [1, 200, 400, 4096] {
            let contactID = seed.bytes("linking/contact/\(count)", count)
            try addBoth(
                "contact-\(count)", "a contact ID of \(count) bytes", SignedLinkingMap(seed, contactID: contactID),
                made: "HT-LNK-4", taken: "HT-TUN-15")
        }
        for (slug, name) in Self.names {
            let isCut = name.utf8.count >= Link.maximumNameByteCount
            let about = isCut ? "a name of 128 bytes or more is cut between two scalars" : "a name"
            try addBoth(
                "name-\(slug)", "\(about) (\(slug))", SignedLinkingMap(seed, name: name),
                made: isCut ? "HT-LNK-14" : "HT-LNK-2", taken: "HT-LNK-32")
        }
    }

    private static let names: [(slug: String, name: String)] = [
        ("empty", ""), ("two-scalars", "Zoë 𝄞"), ("54", .init(repeating: "n", count: 54)),
        ("128", .init(repeating: "n", count: 128)), ("129", .init(repeating: "n", count: 129)),
        ("cut-scalar", .init(repeating: "n", count: 127) + "ë"), ("cut-large", .init(repeating: "𝄞", count: 40)),
        ("quotes", "a\"\\\n"),
    ]

    /// Adds a map twice: as the authenticator makes it, and as the client takes it.
    ///
    /// - Parameters:
    ///   - made: the rule on the map that the authenticator makes.
    ///   - taken: the rule on the map that the client takes.
    private mutating func addBoth(
        _ slug: String, _ comment: String, _ signed: SignedLinkingMap, made: String, taken: String
    ) throws {
        try layer.valid(
            "encode-\(slug)", "\(comment): what the phone sends", rule: made, operation: "linking.encode",
            input: signed.input)
        try verify(slug, "\(comment): what the client takes", rule: taken, input: signed.verifying())
    }

    private mutating func addRefusedEncodings() throws {
        for (slug, field, count) in [
            ("contact", "contact_id", 0), ("contact", "contact_id", 4097), ("link-id", "link_id", 7),
            ("link-id", "link_id", 9), ("secret", "link_secret", 31), ("secret", "link_secret", 33),
        ] {
            try layer.invalid(
                "encode-\(slug)-\(count)", "no map of a wrong length",
                rule: slug != "contact" ? "HT-LNK-3" : count == 0 ? "HT-LNK-4" : "HT-TUN-15",
                operation: "linking.encode",
                input: honest.input.with(field, .hex(.zeros(count))), failure: "wrong-length")
        }
        let clientPublic = try honest.input.bytes("client_public")
        try layer.invalid(
            "encode-off-curve", "the client's key is off the curve", rule: "HT-QR-25", operation: "linking.encode",
            input: honest.input.with("client_public", .hex(CraftedPoint.offCurveByY(clientPublic, bitOfLastByte: 7))),
            failure: "invalid-point")
    }

    private mutating func addLenient() throws {
        let more: [(slug: String, comment: String, key: CBORValue, value: CBORValue, flag: CaseFlag)] = [
            ("play-services", "Play Services' mark", 999, true, .foreign),
            ("unknown-key", "an unknown key is ignored", 7, .bytes([0x78]), .lenient),
            ("text-key", "an unknown key that is text is ignored", "x", .null, .lenient),
        ]
        for (slug, comment, key, value, flag) in more {
            try verify(
                slug, comment, rule: "HT-LNK-21", input: honest.verifying(honest.map.with(key, value)),
                flags: [flag])
        }
        let long = String(repeating: "n", count: 1000)
        try verify(
            "long-name", "a long name is cut", rule: "HT-LNK-14",
            input: honest.verifying(honest.with(.name, .text(long))), flags: [])
    }
}
