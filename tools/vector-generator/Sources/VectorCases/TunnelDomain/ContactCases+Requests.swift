internal import Conformance
internal import Encodings
internal import HybridProtocol

// The client payload: which link, under which nonce, and the hint (the article StateAssistedTransactions).

extension ContactCases {
    private var linkID: [UInt8] { get throws { seed.bytes("contact/link", LinkID.byteCount) } }
    private var nonce: [UInt8] { get throws { seed.bytes("contact/nonce", ClientNonce.byteCount) } }

    /// The fields of a client's payload.
    private func input(hint: String) throws -> CaseFields {
        ["link_id": .hex(try linkID), "nonce": .hex(try nonce), "hint": .string(hint)]
    }

    /// The payload's map.
    private func payload(hint: String = "ga") throws -> CBORMap {
        [1: .bytes(try linkID), 2: .bytes(try nonce), 3: .text(hint)]
    }

    /// An honest payload's map with another value for a key; nil takes the key out.
    private func payload(_ key: CBORValue, _ value: CBORValue?, hint: String = "ga") throws -> [UInt8] {
        try payload(hint: hint).with(key, value).encoded()
    }

    mutating func addRequests() throws {
        for hint in ["ga", "mc"] {
            let written = try layer.valid(
                "contact-request-encode-\(hint)", "the client payload", rule: hint == "ga" ? "HT-TUN-16" : "HT-STA-4",
                operation: "contact-request.encode",
                input: input(hint: hint))
            let header = try written.text("header")
            try layer.valid(
                "contact-request-\(hint)", "the client payload as the phone reads it", rule: "HT-STA-1",
                operation: "contact-request.parse", input: ["header": .string(header)])
            try layer.valid(
                "contact-request-\(hint)-upper", "in upper case", rule: "HT-STA-23",
                operation: "contact-request.parse",
                input: ["header": .string(header.uppercased())])
        }
        for (slug, key, value) in [("unknown-key", 4, 1), ("text-key", "x", .bytes([]))]
            as [(String, CBORValue, CBORValue)]
        {
            try layer.valid(
                "contact-request-\(slug)", "an unknown key is ignored", rule: "HT-STA-21",
                operation: "contact-request.parse",
                input: ["header": .hex(payload(key, value, hint: "mc"))], flags: [.lenient])
        }
    }

    mutating func addRefusedEncodings() throws {
        let changes: [(slug: String, field: String, value: JSONValue, failure: String, rule: String)] = [
            ("link-7", "link_id", .hex(.zeros(7)), "wrong-length", "HT-STA-2"),
            ("nonce-15", "nonce", .hex(.zeros(15)), "wrong-length", "HT-STA-3"),
            ("nonce-17", "nonce", .hex(.zeros(17)), "wrong-length", "HT-STA-3"),
            ("dcp", "hint", "dcp", "unsupported-hint", "HT-STA-38"),
            ("dci", "hint", "dci", "unsupported-hint", "HT-STA-38"),
        ]
        for (slug, field, value, failure, rule) in changes {
            try layer.invalid(
                "contact-request-encode-\(slug)", "no client payload (\(slug))", rule: rule,
                operation: "contact-request.encode", input: input(hint: "mc").with(field, value), failure: failure)
        }
    }

    mutating func addRefusedRequests() throws {
        let good = try payload()
        try refuse(ContactRequestMalformations.fields + ContactRequestMalformations.encodings, of: good) { .hex($0) }
        try refuse(ContactRequestMalformations.headers, of: Hexadecimal.encode(good.encoded())) { .string($0) }
        try refuse("257-bytes", header: .hex(payload(4, .bytes(.zeros(221)))), flags: [.boundary])
        try refuse("1200-digits", header: .string(String(repeating: "a1", count: 600)))
    }

    private mutating func refuse<Honest, Damaged>(
        _ malformations: [Malformation<Honest, Damaged>], of honest: Honest, header: (Damaged) -> JSONValue
    ) throws {
        try layer.invalid(
            malformations, of: honest, prefix: "contact-request-",
            operation: "contact-request.parse"
        ) { ["header": header($0)] }
    }

    /// Refuses a header that is too long.
    private mutating func refuse(_ slug: String, header: JSONValue, flags: [CaseFlag] = []) throws {
        try layer.invalid(
            "contact-request-\(slug)", "a client payload that is refused (\(slug))", rule: "HT-STA-24",
            operation: "contact-request.parse", input: ["header": header], failure: "too-long", flags: flags)
    }
}
