internal import CBOR
internal import JSON

// The text of the QR code (PROTOCOL.md 1.1), read and written.

extension InvitationCases {
    private static let textRule = "1.1"
    private static let digitsRule = "1.2"
    private static let prefix = "FIDO:/"
    /// How many digits a full chunk has.
    private static let chunkDigitCount = 17

    mutating func addTexts() throws {
        let digits = try digits(of: full)
        let url = Self.prefix + digits
        try parse("url", "the prefix and the digits", url)
        let withChannels = try self.digits(of: full.with(Key.channels, [0, 1]))
        try parse("url-with-channels", "the same with key 6", Self.prefix + withChannels)
        for (slug, prefix) in [("lower-case", "fido:/"), ("mixed-case", "Fido:/")] {
            try parse(
                "url-\(slug)", "a prefix in another case: Chromium takes it, Firefox does not", prefix + digits,
                flags: [.lenient], certainty: .disputed)
        }
        try addOtherTexts(digits)
        try addBrokenTexts(digits)
    }

    /// Texts that are no QR code of ours.
    private mutating func addOtherTexts(_ digits: String) throws {
        let texts = [
            ("empty", "", "nothing"),
            ("other-scheme", "https://example.com/", "another scheme"),
            ("no-slash", "FIDO:\(digits)", "no slash"),
            ("no-prefix", digits, "the digits alone"),
            ("leading-space", " \(Self.prefix)\(digits)", "a space in front"),
            ("similar", "FIDO2:/\(digits)", "a similar prefix"),
            ("full-width-colon", "FIDO\u{ff1a}/\(digits)", "a full-width colon"),
            ("dotless-i", "f\u{131}do:/\(digits)", "a letter that upper-cases to I"),
            ("prefix-cut", "FIDO:", "the text ends inside the prefix"),
        ]
        for (slug, text, comment) in texts {
            try refuse("url-\(slug)", comment, text, failure: "not-fido-url")
        }
    }

    /// Texts of ours with a fault.
    private mutating func addBrokenTexts(_ digits: String) throws {
        let url = Self.prefix + digits
        let nines = String(repeating: "9", count: Self.chunkDigitCount)
        try refuse(
            "url-two-slashes", "FIDO:// : the second slash is a non-digit", "FIDO://\(digits)", failure: "non-digit")
        try refuse("url-trailing-newline", "a line feed behind the digits", "\(url)\n", failure: "non-digit")
        try refuse("url-query", "a query behind the digits", "\(url)?a=1", failure: "non-digit")
        try refuse(
            "url-one-digit-short", "the last digit is missing", String(url.dropLast()), failure: "digit-count",
            rule: Self.digitsRule)
        try refuse(
            "url-one-digit-long", "one digit too many", "\(url)0", failure: "digit-count", rule: Self.digitsRule)
        try refuse(
            "url-range", "a group of digits too large for its bytes",
            Self.prefix + nines + digits.dropFirst(Self.chunkDigitCount), failure: "digit-range",
            rule: Self.digitsRule)
        try refuse(
            "url-no-digits", "the prefix alone: there is no CBOR in no bytes", Self.prefix, failure: "invalid-cbor",
            rule: Self.rule)
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
                "encode-\(slug)", "written in canonical form: \(slug)", rule: Self.rule, "invitation.encode",
                contents.with(change))
        }
    }

    private func digits(of map: CBORMap) throws -> String {
        let digits = try LayerCases.outcome(of: "digits.encode", in: "qr-digits", ["bytes": .hex(map.encoded())])
        return try digits.text("digits")
    }

    private mutating func parse(
        _ slug: String, _ comment: String, _ url: String, flags: [CaseFlag] = [], certainty: Certainty = .certain
    ) throws {
        try layer.valid(
            slug, comment, rule: Self.textRule, "invitation.parse", ["url": .string(url)], flags: flags,
            certainty: certainty)
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, _ url: String, failure: String, rule: String = textRule
    ) throws {
        try layer.invalid(slug, comment, rule: rule, "invitation.parse", ["url": .string(url)], failure: failure)
    }
}
