internal import CBOR
internal import Conformance
internal import HybridProtocol
internal import JSON

// The client payload: which link, under which nonce, and what for (PROTOCOL.md 8).

extension ContactCases {
    private var linkID: [UInt8] { get throws { try seed.bytes("contact/link", LinkID.byteCount) } }
    private var nonce: [UInt8] { get throws { try seed.bytes("contact/nonce", ClientNonce.byteCount) } }

    /// What a client writes into a payload.
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
                "contact-request-encode-\(hint)", "the client payload", rule: Rule.request, "contact-request.encode",
                input(hint: hint))
            let header = try written.text("header")
            try layer.valid(
                "contact-request-\(hint)", "the client payload as the phone reads it", rule: Rule.request,
                "contact-request.parse", ["header": .string(header)])
            try layer.valid(
                "contact-request-\(hint)-upper", "in upper case", rule: Rule.url, "contact-request.parse",
                ["header": .string(header.uppercased())])
        }
        for (slug, key, value) in [("unknown-key", 4, 1), ("text-key", "x", .bytes([]))]
            as [(String, CBORValue, CBORValue)]
        {
            try layer.valid(
                "contact-request-\(slug)", "an unknown key is ignored", rule: Rule.request, "contact-request.parse",
                ["header": .hex(payload(key, value, hint: "mc"))], flags: [.lenient], certainty: .implied)
        }
    }

    mutating func addRefusedEncodings() throws {
        let changes: [(slug: String, field: String, value: JSONValue, failure: String)] = [
            ("link-7", "link_id", .hex(.zeros(7)), "wrong-length"),
            ("nonce-15", "nonce", .hex(.zeros(15)), "wrong-length"),
            ("nonce-17", "nonce", .hex(.zeros(17)), "wrong-length"),
            ("dcp", "hint", "dcp", "unsupported-hint"),
            ("dci", "hint", "dci", "unsupported-hint"),
        ]
        for (slug, field, value, failure) in changes {
            try layer.invalid(
                "contact-request-encode-\(slug)", "no client payload (\(slug))", rule: Rule.request,
                "contact-request.encode", input(hint: "mc").with(field, value), failure: failure)
        }
    }

    private mutating func refuse(
        _ slug: String, header: String, _ failure: String, _ flags: [CaseFlag] = [],
        _ certainty: Certainty = .certain
    ) throws {
        try layer.invalid(
            "contact-request-\(slug)", "a client payload that is refused (\(slug))", rule: Rule.request,
            "contact-request.parse", ["header": .string(header)], failure: failure, flags: flags, certainty: certainty)
    }

    private mutating func refuse(
        _ slug: String, _ payload: [UInt8], _ failure: String, _ flags: [CaseFlag] = [],
        _ certainty: Certainty = .certain
    ) throws {
        try refuse(slug, header: hexDigits(payload), failure, flags, certainty)
    }

    mutating func addRefusedFields() throws {
        for key in 1...3 {
            let number = CBORValue(Int64(key))
            try refuse("without-\(key)", payload(number, nil), "missing-field")
            try refuse("\(key)-integer", payload(number, 1), "wrong-type")
            try refuse("\(key)-null", payload(number, .null), "wrong-type")
            try refuse("\(key)-array", payload(number, []), "wrong-type")
        }
        try refuse("1-text", payload(1, "12345678"), "wrong-type")
        try refuse("3-bytes", payload(3, .bytes(Array("ga".utf8))), "wrong-type")
        for (key, count) in [(1, 0), (1, 7), (1, 9), (2, 0), (2, 15), (2, 17), (2, 32)] {
            try refuse(
                "\(key)-\(count)-bytes", payload(CBORValue(Int64(key)), .bytes(.zeros(count))), "wrong-length",
                [.boundary])
        }
        for (slug, hint) in [
            ("dcp", "dcp"), ("dci", "dci"), ("upper-ga", "GA"), ("space", "ga "), ("empty", ""),
            ("getassertion", "getAssertion"),
        ] {
            try refuse("hint-\(slug)", payload(3, .text(hint)), "unsupported-hint")
        }
    }

    mutating func addRefusedHeaders() throws {
        let good = try payload().encoded()
        let digits = hexDigits(good)
        try refuse("nothing", [], "invalid-cbor")
        let fields: CBORValue = [.bytes(try linkID), .bytes(try nonce), "ga"]
        try refuse("array", fields.encoded(), "not-a-map")
        try refuse("trailing", good + [0], "invalid-cbor")
        try refuse("cut", good.dropLast(), "invalid-cbor")
        try refuse("unsorted", unsorted(), "invalid-cbor", [.notCanonicalCBOR])
        // The head of the link ID's eight bytes, with its length in a byte of its own.
        try refuse("long-length", [0xA3, 0x01, 0x58, 0x08] + good.dropFirst(3), "invalid-cbor", [.notCanonicalCBOR])
        try refuse("odd", header: String(digits.dropLast()), "invalid-hex")
        try refuse("letter", header: digits.dropLast() + "g", "invalid-hex")
        try refuse("base64", header: "owFI", "invalid-hex")
        try refuse("prefix", header: "0x" + digits, "invalid-hex")
        try refuse("257-bytes", payload(4, .bytes(.zeros(221))), "too-long", [.boundary], .implied)
        try refuse("1200-digits", header: String(repeating: "a1", count: 600), "too-long", [], .implied)
    }

    /// A payload's map with its second key in front of its first.
    private func unsorted() throws -> [UInt8] {
        let (first, second): (CBORValue, CBORValue) = (.bytes(try linkID), .bytes(try nonce))
        let last: CBORValue = "ga"
        return [0xA3, 0x02] + second.encoded() + [0x01] + first.encoded() + [0x03] + last.encoded()
    }
}
