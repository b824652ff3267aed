internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `advert`: 16 bytes sealed into 20, and the suffix behind them (the article BLE advert of
/// HybridProtocol).
struct AdvertCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "advert", prefix: "advert", about: "The BLE advertisement: 16 bytes sealed into 20, and the suffix behind them."
    )
    /// The EID key of the session whose adverts these are: 64 bytes.
    let eidKey: [UInt8]
    /// The EID key of another session.
    let foreignKey: [UInt8]
    /// An honest advert of the session.
    let advert: [UInt8]

    private init(_ seed: VectorSeed) throws {
        self.seed = seed
        eidKey = CraftedAdvert.eidKey(seed.bytes("advert/secret", Invitation.secretByteCount))
        foreignKey = CraftedAdvert.eidKey(seed.bytes("advert/other", Invitation.secretByteCount))
        advert = try CraftedAdvert(Self.plaintext(seed), eidKey: eidKey).bytes
    }

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = try Self(seed)
        try cases.addSealing()
        try cases.addOpening()
        try cases.addRefusals()
        try cases.addPlaintexts()
        try cases.addRefusedPlaintexts()
        try cases.addLinked()
        try cases.addSuffixes()
        try cases.addTags()
        try cases.addLinkedPlaintexts()
        return cases.layer
    }

    /// The rules that several cases are about.
    enum Rule {
        static let domain = "HT-ADV-4"
        static let plaintextLength = "HT-ADV-5"
        static let encryption = "HT-ADV-6"
        static let tag = "HT-ADV-7"
        static let shortData = "HT-ADV-8"
        static let badTag = "HT-ADV-9"
        static let reservedByte = "HT-ADV-11"
        static let unassignedDomain = "HT-ADV-12"
        static let bytesBehind = "HT-ADV-25"
        static let wholeAdvert = "HT-ADV-35"
    }

    /// Lengths in bytes.
    enum Size {
        static let nonce = AdvertPlaintext.nonceByteCount
        static let routingID = RoutingID.byteCount
        static let domain = 2
        static let block = AdvertPlaintext.byteCount
        /// The length of the random part of a state-assisted plaintext.
        static let linkedRandom = LinkedAdvertPlaintext.randomByteCount
    }
}

// Plaintexts.

extension AdvertCases {
    /// A plaintext of 16 bytes: a reserved byte, a nonce, a routing ID, and a domain number.
    private static func plaintext(
        _ seed: VectorSeed, reserved: UInt8 = 0, nonce: [UInt8]? = nil, routingID: [UInt8]? = nil, domain: UInt16 = 0
    ) throws -> [UInt8] {
        let nonce = nonce ?? seed.bytes("advert/nonce", Size.nonce)
        let routingID = routingID ?? seed.bytes("advert/routing", Size.routingID)
        return [reserved] + nonce + routingID + domain.littleEndianBytes
    }

    /// A plaintext of this session.
    func plaintext(reserved: UInt8 = 0, domain: UInt16 = 0) throws -> [UInt8] {
        try Self.plaintext(seed, reserved: reserved, domain: domain)
    }

    /// The plaintext of a state-assisted advert: a zero and random bytes.
    func linkedPlaintext() throws -> [UInt8] { .zeros(1) + seed.bytes("advert/linked", Size.linkedRandom) }

    /// Seals a plaintext, also one that MUST NOT be sent.
    func sealed(_ plaintext: [UInt8]) throws -> [UInt8] { try CraftedAdvert(plaintext, eidKey: eidKey).bytes }

    /// The input of a case that opens an advert.
    ///
    /// - Parameter key: nil for this session's.
    func opening(_ advert: [UInt8], _ key: [UInt8]? = nil) -> CaseFields {
        ["eid_key": .hex(key ?? eidKey), "advert": .hex(advert)]
    }
}

// Honest adverts.

extension AdvertCases {
    private mutating func addSealing() throws {
        let domains: [(number: UInt16, comment: String)] = [
            (0, "domain 0"), (1, "domain 1: 01 00, little-endian"), (266, "domain 266: 0a 01"),
            (65535, "the last domain number"),
        ]
        for (number, comment) in domains { try seal("domain-\(number)", comment, plaintext(domain: number)) }
        try seal("zeros", "a plaintext of zeros", .zeros(Size.block), rule: Rule.tag)
        try seal("ones", "every free bit set", .zeros(1) + .ones(Size.block - 1), rule: Rule.tag)
        try seal("linked", "a state-assisted plaintext", linkedPlaintext())
        for count in [0, Size.block - 1, Size.block + 1] {
            try layer.invalid(
                "seal-\(count)-bytes", "a plaintext of \(count) bytes cannot be sealed", rule: Rule.plaintextLength,
                operation: "advert.seal", input: ["eid_key": .hex(eidKey), "plaintext": .hex(.zeros(count))],
                failure: "wrong-length")
        }
    }

    private mutating func seal(
        _ slug: String, _ comment: String, _ plaintext: [UInt8], rule: String = Rule.encryption
    ) throws {
        try layer.valid(
            "seal-\(slug)", "seal: \(comment)", rule: rule, operation: "advert.seal",
            input: ["eid_key": .hex(eidKey), "plaintext": .hex(plaintext)])
    }

    private mutating func addOpening() throws {
        for domain: UInt16 in [0, 1, 256, 257, 266, 63872, 65535] {
            try open("domain-\(domain)", "open: domain \(domain)", plaintext: plaintext(domain: domain))
        }
        try open(
            "zero-routing", "a routing ID of zeros", plaintext: Self.plaintext(seed, routingID: .zeros(Size.routingID)))
        try open("zero-nonce", "a nonce of zeros", plaintext: Self.plaintext(seed, nonce: .zeros(Size.nonce)))
        try open("zero-plaintext", "a plaintext of zeros", plaintext: .zeros(Size.block))
        let keyOfZeros = CraftedAdvert.eidKey(.zeros(Invitation.secretByteCount))
        try open("other-key", "another key", plaintext: plaintext(), key: keyOfZeros)
    }

    private mutating func open(_ slug: String, _ comment: String, plaintext: [UInt8], key: [UInt8]? = nil) throws {
        let advert = try CraftedAdvert(plaintext, eidKey: key ?? eidKey).bytes
        try layer.valid(
            "open-\(slug)", comment, rule: Rule.wholeAdvert, operation: "advert.open", input: opening(advert, key))
    }
}

// Plaintexts as a client reads them.

extension AdvertCases {
    private mutating func addPlaintexts() throws {
        for domain: UInt16 in [0, 1, 256, 511, 65535] {
            try parse("domain-\(domain)", "read the plaintext: domain \(domain)", plaintext(domain: domain))
        }
        let beforeDomain = [UInt8].zeros(Size.block - Size.domain)
        try parse("little-endian", "01 00 is Apple's domain 1, not 256", beforeDomain + [1, 0])
        try parse("big-endian-would-be-1", "00 01 is domain 256, not 1", beforeDomain + [0, 1])
    }

    private mutating func parse(_ slug: String, _ comment: String, _ plaintext: [UInt8]) throws {
        try layer.valid(
            "parse-\(slug)", comment, rule: Rule.domain, operation: "advert.parse",
            input: ["plaintext": .hex(plaintext)])
    }

    private mutating func addRefusedPlaintexts() throws {
        for count in [0, 1, 14, 15, 17, 20] {
            try refuse(
                "\(count)-bytes", "a plaintext of \(count) bytes", plaintext: .zeros(count), rule: Rule.plaintextLength,
                failure: "wrong-length")
        }
        for value: UInt8 in [1, 0xFF] {
            let digits = Hexadecimal.encode([value])
            try refuse(
                "reserved-\(digits)", "the first byte is \(digits)", plaintext: plaintext(reserved: value),
                rule: Rule.reservedByte,
                failure: "reserved-byte")
        }
        for domain: UInt16 in [2, 255] {
            try refuse(
                "domain-\(domain)", "domain \(domain) is unassigned", plaintext: plaintext(domain: domain),
                rule: Rule.unassignedDomain,
                failure: "unassigned-domain",
                flags: [.boundary])
        }
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, plaintext: [UInt8], rule: String, failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "parse-\(slug)", comment, rule: rule, operation: "advert.parse", input: ["plaintext": .hex(plaintext)],
            failure: failure, flags: flags)
    }
}
