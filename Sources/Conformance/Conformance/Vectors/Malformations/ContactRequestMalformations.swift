package import Encodings

/// Malformed client payloads of a linked client's contact request: a map of link ID, nonce and hint.
package enum ContactRequestMalformations {
    typealias Payload = Malformation<CBORMap, [UInt8]>
    typealias Digits = Malformation<String, String>

    private static func comment(_ slug: String) -> String { "a client payload that is refused (\(slug))" }

    // MARK: - Fields

    /// The rules on link ID, nonce and hint.
    private static let rules: [Int64: String] = [
        1: "HT-STA-15", 2: "HT-STA-17", 3: "HT-STA-18",
    ]

    private static func with(
        _ slug: String, _ key: Int64, _ value: CBORValue?, failure: String, flags: [CaseFlag] = []
    ) -> Payload {
        Payload(slug, comment(slug), rule: rules[key] ?? "", failure: failure, flags: flags) {
            $0.with(CBORValue(key), value).encoded()
        }
    }

    private static func missing(_ key: Int64) -> Payload { with("without-\(key)", key, nil, failure: "missing-field") }

    private static func mistyped(_ key: Int64, _ type: String, _ value: CBORValue) -> Payload {
        with("\(key)-\(type)", key, value, failure: "wrong-type")
    }

    private static func resized(_ key: Int64, to count: Int) -> Payload {
        with("\(key)-\(count)-bytes", key, .bytes(.zeros(count)), failure: "wrong-length", flags: [.boundary])
    }

    private static func hint(_ slug: String, _ hint: String) -> Payload {
        with("hint-\(slug)", 3, .text(hint), failure: "unsupported-hint")
    }

    /// Payloads with a field that is missing, of another type or length, or with another hint.
    package static let fields: [Malformation<CBORMap, [UInt8]>] = types + lengths + hints

    private static let types = [
        missing(1).tested("refuse a contact request without a link ID", as: "no-link-id"),
        mistyped(1, "integer", 1), mistyped(1, "null", .null), mistyped(1, "array", []),
        missing(2).tested("refuse a contact request without a nonce", as: "no-nonce"),
        mistyped(2, "integer", 1), mistyped(2, "null", .null), mistyped(2, "array", []),
        missing(3).tested("refuse a contact request without a hint", as: "no-hint"),
        mistyped(3, "integer", 1)
            .tested("refuse a hint that is a number", as: "hint-number"),
        mistyped(3, "null", .null), mistyped(3, "array", []),
        mistyped(1, "text", "12345678").tested("refuse a link ID that is text", as: "link-id-text"),
        mistyped(3, "bytes", .bytes(Array("ga".utf8))),
    ]

    private static let lengths = [
        resized(1, to: 0),
        resized(1, to: 7).tested("refuse a link ID of 7 bytes; it has 8", as: "link-id-of-7"),
        resized(1, to: 9).tested("refuse a link ID of 9 bytes; it has 8", as: "link-id-of-9"),
        resized(2, to: 0).tested("refuse an empty nonce; it has 16 bytes", as: "nonce-of-0"),
        resized(2, to: 15).tested("refuse a nonce of 15 bytes; it has 16", as: "nonce-of-15"),
        resized(2, to: 17).tested("refuse a nonce of 17 bytes; it has 16", as: "nonce-of-17"),
        resized(2, to: 32),
    ]

    private static let hints = [
        hint("dcp", "dcp").tested(
            "refuse the hint dcp in a contact request: linked sessions are for ga and mc"),
        hint("dci", "dci"), hint("upper-ga", "GA"), hint("space", "ga "), hint("empty", ""),
        hint("getassertion", "getAssertion")
            .tested("refuse an unknown hint in a contact request", as: "hint-unknown"),
    ]

    // MARK: - Encodings

    private static func encoding(
        _ slug: String, rule: String, failure: String = "invalid-cbor", flags: [CaseFlag] = [],
        _ change: @escaping @Sendable (CBORMap) -> [UInt8]
    ) -> Payload { Payload(slug, comment(slug), rule: rule, failure: failure, flags: flags, apply: change) }

    /// Payloads that are not one map in canonical CBOR.
    package static let encodings: [Malformation<CBORMap, [UInt8]>] = [
        encoding("nothing", rule: "HT-STA-19") { _ in [] },
        encoding("array", rule: "HT-STA-19", failure: "not-a-map") {
            CBORValue.array($0.entries.map(\.value)).encoded()
        }
        .tested("refuse a contact request that is an array, not a map", as: "no-map"),
        encoding("trailing", rule: "HT-STA-20") { $0.encoded() + [0] }
            .tested("refuse a contact request with a trailing byte"),
        encoding("cut", rule: "HT-STA-19") { $0.encoded().dropLast() }
            .tested("refuse a truncated contact request", as: "truncated"),
        encoding("unsorted", rule: "HT-STA-20", flags: [.notCanonicalCBOR]) {
            let pairs = $0.entries.map { $0.key.encoded() + $0.value.encoded() }
            return [0xA3] + pairs[1] + pairs[0] + pairs[2]
        },
        // The head of the link ID's eight bytes, with its length in a byte of its own.
        encoding("long-length", rule: "HT-STA-20", flags: [.notCanonicalCBOR]) {
            [0xA3, 0x01, 0x58, 0x08] + $0.encoded().dropFirst(3)
        },
    ]

    private static func digits(_ slug: String, _ change: @escaping @Sendable (String) -> String) -> Digits {
        Digits(slug, comment(slug), rule: "HT-STA-22", failure: "invalid-hex", apply: change)
    }

    /// Headers that are not a payload's hexadecimal digits.
    package static let headers: [Malformation<String, String>] = [
        digits("odd") { String($0.dropLast()) }, digits("letter") { $0.dropLast() + "g" },
        digits("base64") { _ in "owFI" }, digits("prefix") { "0x" + $0 },
    ]
}
