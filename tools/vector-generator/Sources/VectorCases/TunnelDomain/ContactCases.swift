internal import Conformance
internal import Encodings

/// The part of the layer `tunnel-domain` about how a linked client asks a tunnel service for its authenticator
/// (the articles TunnelServiceProtocol and StateAssistedTransactions).
struct ContactCases {
    let seed: VectorSeed
    var layer: LayerCases

    private init(_ seed: VectorSeed, _ layer: LayerCases) {
        self.seed = seed
        self.layer = layer
    }

    static func add(to layer: inout LayerCases, _ seed: VectorSeed) throws {
        var cases = Self(seed, layer)
        try cases.addContactIDs()
        try cases.addServices()
        try cases.addRefusedContactIDs()
        try cases.addRequests()
        try cases.addRefusedEncodings()
        try cases.addRefusedRequests()
        layer = cases.layer
    }

    /// Google's domain number, with the host that it stands for.
    private static let domain = (number: 0, host: "cable.ua5v.com")
    /// A domain number that is not assigned.
    private static let unassignedDomain = 2

    private mutating func addContactIDs() throws {
        var contactIDs = [1, 2, 3, 4, 41, 152, 4096].map { ("\($0)", seed.bytes("contact/\($0)", $0)) }
        contactIDs += [("plus-and-slash", [0xFB, 0xEF, 0xFF, 0xFA]), ("zeros", .zeros(3))]
        for (slug, contactID) in contactIDs {
            let found = try layer.valid(
                "contact-url-\(slug)", "a contact ID (\(slug))", rule: "HT-TUN-13", operation: "tunnel.contact-url",
                input: ["domain_id": .integer(Self.domain.number), "contact_id": .hex(contactID)])
            let text = try found.text("url").dropFirst("wss://\(Self.domain.host)/cable/contact/".count)
            try layer.valid(
                "contact-id-\(slug)", "a contact ID (\(slug)) in a URL", rule: "HT-TUN-13",
                operation: "contact-id.parse",
                input: ["text": .string(String(text))])
        }
    }

    /// The service of each kind of domain, by TLS.
    private mutating func addServices() throws {
        for number in [1, 266, 65_535] {
            try layer.valid(
                "contact-url-domain-\(number)", "the URL at the service of domain \(number)", rule: "HT-TUN-2",
                operation: "tunnel.contact-url",
                input: ["domain_id": .integer(number), "contact_id": .hex([0x78])])
        }
    }

    private mutating func addRefusedContactIDs() throws {
        for count in [0, 4097] {
            try layer.invalid(
                "contact-url-\(count)-bytes", "a contact ID of \(count) bytes",
                rule: count == 0 ? "HT-TUN-13" : "HT-TUN-15",
                operation: "tunnel.contact-url",
                input: ["domain_id": .integer(Self.domain.number), "contact_id": .hex(.zeros(count))],
                failure: "wrong-length")
        }
        try layer.invalid(
            "contact-url-unassigned", "no URL on an unassigned domain", rule: "HT-DOM-2",
            operation: "tunnel.contact-url",
            input: ["domain_id": .integer(Self.unassignedDomain), "contact_id": .hex([0x78])],
            failure: "unassigned-domain")
        try refuse("empty", "", "wrong-length", rule: "HT-TUN-13")
        try refuse(
            "4097-bytes", String(repeating: "A", count: 5463), "wrong-length", rule: "HT-TUN-15")
        for (slug, text) in Self.misspelled {
            try refuse(slug, text, "invalid-base64", rule: "HT-TUN-14")
        }
    }

    private mutating func refuse(_ slug: String, _ text: String, _ failure: String, rule: String) throws {
        try layer.invalid(
            "contact-id-\(slug)", "not base64url without padding in its one form (\(slug))", rule: rule,
            operation: "contact-id.parse", input: ["text": .string(text)], failure: failure)
    }

    private static let misspelled: [(slug: String, text: String)] = [
        ("padded", "QQ=="), ("half-padded", "QQ="), ("one-digit", "Q"), ("five-digits", "QUJDR"),
        ("one-digit-zero", "A"), ("five-digits-zero", "QUJDA"), ("unused-bits-4", "QR"), ("unused-bits-2", "QUJ"),
        ("plus", "-_+_"), ("slash", "-_/_"), ("space", "QU JD"), ("percent", "QUI%3D"), ("dots", ".."),
        ("full-width", "\u{FF31}\u{FF31}"), ("line", "QUJD\n"),
    ]
}
