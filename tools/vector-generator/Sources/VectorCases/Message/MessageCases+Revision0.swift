internal import Conformance
internal import Encodings

// First messages of revision 0, and the two ways in which they are padded (HT-MSG-41 to HT-MSG-45).

extension MessageCases {
    private static let refusal = "HT-MSG-44"

    /// The rule about a way of padding.
    private static func rule(_ padding: Revision0Padding) -> String {
        switch padding {
        case .of512Bytes: "HT-MSG-42"
        case .of256Bytes: "HT-MSG-43"
        }
    }

    mutating func addRevision0() throws {
        let plain: CBORValue = [1: .bytes(Self.info)]
        let data = plain.encoded()
        for padding in Revision0Padding.allCases { try add(padding, data) }
        try addWholeBlocks()
        try addRefusedRevision0(data)
        try refuseUnpadding("plain", data, "a message of revision 1 has no padding to take off", rule: "HT-MSG-41")
        try refuseUnpadding("empty", [], "no bytes")
        try refuseUnpadding("count-too-large", Self.countTooLarge(data), "a count larger than the message")
        try refuseUnpadding("garbage", [UInt8](repeating: 0xFF, count: 512), "512 bytes that are nothing")
    }

    private mutating func add(_ padding: Revision0Padding, _ data: [UInt8]) throws {
        let block = padding.rawValue
        let width = padding == .of512Bytes ? "two bytes" : "one byte"
        let padded = padding.padded(data)
        try acceptFirst(
            "revision-0-\(block)", "revision 0: zeros to \(block) and their count in \(width)", plaintext: padded,
            rule: Self.rule(padding))
        try unpad("\(block)", "take off a padding to \(block)", padding, plaintext: padded)
        let linking: CBORValue = [1: .bytes(Self.info), 2: Self.linkingMapOfZeros]
        try acceptFirst(
            "revision-0-\(block)-linking", "revision 0 with a linking map, which is in key 2 there",
            plaintext: padding.padded(linking.encoded()), rule: "HT-MSG-47")
        let exact = Self.firstMessage(byteCount: block - padding.countByteCount)
        try unpad(
            "\(block)-none", "CBOR that needs no zero: count 0 in \(width)", padding,
            plaintext: padding.padded(exact), flags: [.boundary])
    }

    private mutating func addWholeBlocks() throws {
        let exact = Self.firstMessage(byteCount: Revision0Padding.of512Bytes.rawValue)
        try unpad(
            "512-two-blocks", "CBOR of exactly 512 bytes needs a second block", .of512Bytes,
            plaintext: Revision0Padding.of512Bytes.padded(exact), flags: [.boundary])
        try acceptFirst(
            "revision-1-of-512", "512 bytes of CBOR without padding are revision 1", plaintext: exact,
            rule: "HT-MSG-41", flags: [.boundary])
    }

    private mutating func addRefusedRevision0(_ data: [UInt8]) throws {
        func refuse(
            _ slug: String, _ comment: String, rule: String = Self.refusal, plaintext: [UInt8], failure: String
        ) throws {
            try layer.invalid(
                "first-revision-0-\(slug)", comment, rule: rule, operation: "first-message.parse",
                input: ["plaintext": .hex(plaintext)], failure: failure)
        }
        let padding = Revision0Padding.of512Bytes
        let padded = padding.padded(data)
        let withoutCount = Array(padded.dropLast(padding.countByteCount))
        let count = padded.suffix(padding.countByteCount)
        let short = UInt16(padding.zeroCount(data) - 1)
        try refuse(
            "count-too-large", "the count of zeros is larger than the message", plaintext: Self.countTooLarge(data),
            failure: "invalid-cbor"
        )
        try refuse(
            "count-short", "the count leaves zeros behind the CBOR",
            plaintext: withoutCount + [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)],
            failure: "invalid-cbor")
        try refuse(
            "big-endian", "the count is big-endian", plaintext: withoutCount + count.reversed(), failure: "invalid-cbor"
        )
        try refuse(
            "all-zero", "512 zero bytes: no CBOR map at any padding", plaintext: .zeros(512), failure: "invalid-cbor")
        try refuse("array", "an array, padded", plaintext: padding.padded([0x80]), failure: "not-a-map")
        try refuse(
            "no-info", "a padded map without getInfo", rule: "HT-MSG-7", plaintext: padding.padded([0xA0]),
            failure: "feature-mismatch")
    }

    /// A first message of so many bytes, more than 256, without padding.
    private static func firstMessage(byteCount: Int) -> [UInt8] {
        // The map, its key, and the head of a byte string with two bytes of length.
        let headByteCount = 5
        let message: CBORValue = [1: .bytes(.zeros(byteCount - headByteCount))]
        return message.encoded()
    }

    private static func countTooLarge(_ data: [UInt8]) -> [UInt8] { data + .zeros(100) + [0xFF, 0xFF] }

    private mutating func unpad(
        _ slug: String, _ comment: String, _ padding: Revision0Padding, plaintext: [UInt8], flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "unpad-\(slug)", comment, rule: Self.rule(padding), operation: "revision-0.unpad",
            input: ["plaintext": .hex(plaintext)],
            flags: flags)
    }

    private mutating func refuseUnpadding(
        _ slug: String, _ plaintext: [UInt8], _ comment: String, rule: String = Self.refusal
    ) throws {
        try layer.invalid(
            "unpad-\(slug)", comment, rule: rule, operation: "revision-0.unpad",
            input: ["plaintext": .hex(plaintext)],
            failure: "invalid-cbor")
    }
}
