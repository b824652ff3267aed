internal import Encodings

/// Malformed first messages of the encrypted channel, made of a getInfo response.
package enum FirstMessageMalformations {
    typealias Message = Malformation<[UInt8], [UInt8]>

    /// All of them.
    package static let all: [Malformation<[UInt8], [UInt8]>] =
        [
            Message("empty", "no bytes", rule: Rule.map, failure: "invalid-cbor") { _ in [] }
                .tested("refuse an empty first message")
        ] + featureMismatches + noMaps + cuts + encodings + types

    private enum Rule {
        static let map = "HT-MSG-5"
        /// The feature ctap needs getInfo, and the other way round.
        static let needsGetInfo = "HT-MSG-7"
        static let needsFeature = "HT-MSG-8"
        static let noPadding = "HT-MSG-44"
    }

    private static func message(
        _ slug: String, _ comment: String, rule: String, failure: String,
        _ make: @escaping @Sendable (_ info: CBORValue) -> CBORValue
    ) -> Message {
        Message(slug, comment, rule: rule, failure: failure) { make(.bytes($0)).encoded() }
    }

    // MARK: - Features

    private static func mismatch(
        _ slug: String, _ comment: String, rule: String = Rule.needsGetInfo,
        _ make: @escaping @Sendable (_ info: CBORValue) -> CBORValue
    ) -> Message { message(slug, comment, rule: rule, failure: "feature-mismatch", make) }

    private static let featureMismatches = [
        mismatch("empty-map", "no getInfo, though ctap is implied") { _ in [:] }
            .tested("refuse a first message that is an empty map"),
        mismatch("ctap-without-info", "ctap among the features, and no getInfo") { _ in [3: ["ctap"]] }
            .tested("refuse the feature ctap without getInfo", as: "ctap-without-get-info"),
        mismatch("ctap-dc-without-info", "both features, and no getInfo") { _ in [3: ["ctap", "dc"]] },
        mismatch("info-without-ctap", "getInfo, but only dc", rule: Rule.needsFeature) { [1: $0, 3: ["dc"]] }
            .tested("refuse getInfo with features that lack ctap", as: "get-info-without-ctap"),
        mismatch("info-no-features", "getInfo, and an empty list of features", rule: Rule.needsFeature) {
            [1: $0, 3: []]
        }
        .tested("refuse getInfo with an empty list of features", as: "no-features"),
        mismatch("info-unknown-feature", "getInfo, and only an unknown feature", rule: Rule.needsFeature) {
            [1: $0, 3: ["teleport"]]
        },
        mismatch("feature-case", "CTAP is not ctap", rule: Rule.needsFeature) { [1: $0, 3: ["CTAP"]] },
        mismatch("filler-only", "only filler") { _ in [0: .bytes(.zeros(16))] }
            .tested("refuse a first message without getInfo", as: "no-get-info"),
    ]

    // MARK: - Encodings

    /// The length of the vectors' honest message, by which the last of the cut ones is called.
    private static let byteCount = 78

    private static func noMap(
        _ type: String, _ make: @escaping @Sendable (_ info: CBORValue) -> CBORValue
    ) -> Message {
        message("not-a-map-\(type)", "the first message is a \(type)", rule: Rule.map, failure: "not-a-map", make)
    }

    private static func encoding(
        _ slug: String, _ comment: String, rule: String, flags: [CaseFlag] = [],
        _ change: @escaping @Sendable (_ message: [UInt8]) -> [UInt8]
    ) -> Message {
        Message(slug, comment, rule: rule, failure: "invalid-cbor", flags: flags) {
            let honest: CBORValue = [1: .bytes($0), 3: ["ctap"]]
            return change(honest.encoded())
        }
    }

    private static func cut(to count: Int) -> Message {
        encoding("cut-at-\(count)", "cut to \(count) bytes of \(byteCount)", rule: Rule.noPadding, flags: [.tamper]) {
            $0.dropLast(byteCount - count)
        }
    }

    private static func notCanonical(
        _ slug: String, _ comment: String, rule: String, _ make: @escaping @Sendable (_ info: [UInt8]) -> [UInt8]
    ) -> Message {
        Message(
            slug, comment, rule: rule, failure: "invalid-cbor", flags: [.notCanonicalCBOR]
        ) {
            make(CBORValue.bytes($0).encoded())
        }
    }

    private static let noMaps = [
        noMap("array") { [$0] }.tested("refuse a first message that is an array, not a map", as: "array"),
        noMap("bytes") { $0 },
        noMap("integer") { _ in 1 }.tested("refuse a first message that is a number, not a map", as: "number"),
        noMap("text") { _ in "ctap" }, noMap("null") { _ in .null },
    ]

    private static let cuts = [
        cut(to: 1), cut(to: 2), cut(to: 10),
        cut(to: byteCount - 1).tested("refuse a truncated first message", as: "truncated"),
    ]

    private static let encodings = [
        encoding(
            "type-byte", "a type byte in front, which the first message has not", rule: "HT-MSG-2", flags: [.order]
        ) { [0x01] + $0 }
        .tested("refuse a first message with a type byte", as: "typed"),
        encoding("trailing", "a byte behind that is no padding count either", rule: Rule.noPadding) { $0 + [0xFF] }
            .tested("refuse bytes after the map that are not padding of revision 0", as: "trailing-bytes"),
        notCanonical("unsorted", "keys out of order", rule: "HT-CBOR-11") {
            [0xA2, 0x03, 0x81, 0x64] + Array("ctap".utf8) + [0x01] + $0
        },
        notCanonical("duplicate", "key 1 twice", rule: "HT-CBOR-12") { [0xA2, 0x01] + $0 + [0x01] + $0 },
        notCanonical("indefinite", "a map of indefinite length", rule: "HT-CBOR-10") { [0xBF, 0x01] + $0 + [0xFF] }
            .tested("refuse a first message of indefinite length", as: "indefinite-map"),
    ]

    // MARK: - Types

    private static func info(_ type: String, _ value: CBORValue) -> Message {
        message("info-\(type)", "key 1 is not bytes (\(type))", rule: "HT-MSG-12", failure: "wrong-type") { _ in
            [1: value]
        }
    }

    private static func linking(_ type: String, _ value: CBORValue) -> Message {
        message(
            "linking-\(type)", "key 2 is not a map (\(type))", rule: "HT-MSG-15", failure: "wrong-type"
        ) {
            [1: $0, 2: value]
        }
    }

    private static func features(_ type: String, _ value: CBORValue) -> Message {
        message("features-\(type)", "key 3 is not an array (\(type))", rule: "HT-MSG-14", failure: "wrong-type") {
            [1: $0, 3: value]
        }
    }

    private static let types = [
        info("map", [1: 2]).tested("refuse getInfo that is a map, not a byte string", as: "get-info-no-bytes"),
        info("text", "info"), info("integer", 4), info("null", .null), info("array", []),
        linking("bytes", .bytes([0xA0])), linking("integer", 1), linking("null", .null), linking("array", []),
        linking("bool", true),
        features("text", "ctap")
            .tested("refuse features that are text, not a list"),
        features("integer", 1), features("null", .null), features("map", ["ctap": true]),
        features("bytes", .bytes(Array("ctap".utf8))),
    ]
}
