internal import CBOR
internal import JSON
internal import TestVectors

// The text of the QR code (PROTOCOL.md 1.1), read and written.

extension InvitationCases {
    private static let textRule = "1.1"
    private static let prefix = "FIDO:/"

    mutating func addTexts() throws {
        let digits = try digits(of: full)
        let url = Self.prefix + digits
        try parse("url", "the prefix and the digits", url: url)
        let withChannels = try self.digits(of: full.with(Key.channels, [0, 1]))
        try parse("url-with-channels", "the same with key 6", url: Self.prefix + withChannels)
        for (slug, prefix) in [("lower-case", "fido:/"), ("mixed-case", "Fido:/")] {
            try parse(
                "url-\(slug)", "a prefix in another case: Chromium takes it, Firefox does not", url: prefix + digits,
                flags: [.lenient], certainty: .disputed)
        }
        for text in InvitationTextMalformations.all {
            try layer.invalid(
                [text], of: digits, operation: "invitation.parse"
            ) { ["url": .string($0)] }
        }
    }

    mutating func addEncodings() throws {
        let contents = try layer.outcome(of: "invitation.decode", ["cbor": .hex(full.encoded())])
        let changes: [(slug: String, change: CaseFields)] = [
            ("plain", [:]), ("make-credential", ["hint": "mc"]), ("digital-presentation", ["hint": "dcp"]),
            ("digital-issuance", ["hint": "dci"]), ("linking", ["linking": true]), ("channels", ["channels": [0, 1]]),
            ("no-domains", ["known_domains": 0]), ("zero-time", ["timestamp": 0]),
        ]
        for (slug, change) in changes {
            try layer.valid(
                "encode-\(slug)", "written in canonical form: \(slug)", rule: Self.rule, operation: "invitation.encode",
                input: contents.with(change))
        }
    }

    private func digits(of map: CBORMap) throws -> String {
        let digits = try LayerCases.outcome(of: "digits.encode", in: "qr-digits", ["bytes": .hex(map.encoded())])
        return try digits.text("digits")
    }

    private mutating func parse(
        _ slug: String, _ comment: String, url: String, flags: [CaseFlag] = [], certainty: Certainty = .certain
    ) throws {
        try layer.valid(
            slug, comment, rule: Self.textRule, operation: "invitation.parse", input: ["url": .string(url)],
            flags: flags,
            certainty: certainty)
    }
}
