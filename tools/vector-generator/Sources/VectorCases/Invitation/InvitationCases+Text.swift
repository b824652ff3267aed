internal import Conformance
internal import Encodings

// The text of the QR code (HT-QR-1 to HT-QR-10), read and written.

extension InvitationCases {
    private static let prefix = "FIDO:/"

    mutating func addTexts() throws {
        let digits = try digits(of: full)
        let url = Self.prefix + digits
        try parse("url", "the prefix and the digits", rule: "HT-QR-7", url: url)
        let withChannels = try self.digits(of: full.with(Key.channels, [0, 1]))
        try parse("url-with-channels", "the same with key 6", rule: "HT-QR-7", url: Self.prefix + withChannels)
        for (slug, prefix) in [("lower-case", "fido:/"), ("mixed-case", "Fido:/")] {
            try parse(
                "url-\(slug)", "a prefix in another case: Chromium takes it, Firefox does not", rule: "HT-QR-3",
                url: prefix + digits,
                flags: [.lenient])
        }
        for text in InvitationTextMalformations.all {
            try layer.invalid(
                [text], of: digits, operation: "invitation.parse"
            ) { ["url": .string($0)] }
        }
    }

    mutating func addEncodings() throws {
        let contents = try layer.outcome(of: "invitation.decode", ["cbor": .hex(full.encoded())])
        let changes: [(slug: String, rule: String, change: CaseFields)] = [
            ("plain", "HT-QR-45", [:]), ("make-credential", "HT-QR-39", ["hint": "mc"]),
            ("digital-presentation", "HT-QR-39", ["hint": "dcp"]), ("digital-issuance", "HT-QR-39", ["hint": "dci"]),
            ("linking", "HT-QR-35", ["linking": true]), ("channels", "HT-QR-44", ["channels": [0, 1]]),
            ("no-domains", "HT-QR-28", ["known_domains": 0]), ("zero-time", "HT-QR-32", ["timestamp": 0]),
        ]
        for (slug, rule, change) in changes {
            try layer.valid(
                "encode-\(slug)", "written in canonical form: \(slug)", rule: rule, operation: "invitation.encode",
                input: contents.with(change))
        }
    }

    private func digits(of map: CBORMap) throws -> String {
        let digits = try LayerCases.outcome(of: "digits.encode", in: "qr-digits", ["bytes": .hex(map.encoded())])
        return try digits.text("digits")
    }

    private mutating func parse(
        _ slug: String, _ comment: String, rule: String, url: String, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            slug, comment, rule: rule, operation: "invitation.parse", input: ["url": .string(url)],
            flags: flags)
    }
}
