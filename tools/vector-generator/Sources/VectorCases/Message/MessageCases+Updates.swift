internal import Conformance
internal import Encodings
internal import HybridProtocol

// Updates, read and written (the article Linking of HybridProtocol).

extension MessageCases {
    /// The length up to which updates are filled, with their type byte.
    private static let blockByteCount = 512

    mutating func addUpdates() throws {
        try accept("empty-map", "an update with nothing in it", rule: "HT-LNK-20", update: [:])
        try accept(
            "filler", "zero filler only: what Chromium's phone sends when there is nothing to link",
            rule: "HT-LNK-20", update: [0: .bytes(.zeros(400))])
        try accept("filler-empty", "filler of no bytes", rule: "HT-LNK-20", update: [0: .bytes([])])
        try accept(
            "linking", "a linking map; its contents are another layer's", rule: "HT-MSG-27",
            update: [1: try linkingMap()])
        try accept(
            "filler-and-linking", "both", rule: "HT-MSG-27",
            update: [0: .bytes(.zeros(200)), 1: try linkingMap()])
        try accept(
            "unknown-key", "an unknown key is ignored", rule: "HT-LNK-21", update: [0: .bytes([]), 7: 1],
            flags: [.lenient])
        let fillerByteCount = Self.blockByteCount - MessageType.update.message([0xA1, 0x00, 0x59, 0x00, 0x00]).count
        try accept(
            "512", "type byte and update together 512 bytes, as from Chromium's phone", rule: "HT-LNK-20",
            update: [0: .bytes(.zeros(fillerByteCount))], flags: [.foreign])
        try addRefusedUpdates()
    }

    private mutating func addRefusedUpdates() throws {
        let filler: CBORValue = [0: .bytes(.zeros(10))]
        let noMap = "HT-MSG-46"
        try refuse("no-payload", "an update without a map", rule: noMap, payload: [], failure: "invalid-cbor")
        try refuse("not-a-map", "an update that is an array", rule: noMap, payload: [0x80], failure: "not-a-map")
        try refuse("trailing", "bytes after the map", rule: noMap, payload: [0xA0, 0x00], failure: "invalid-cbor")
        try refuse(
            "cut", "a map that is cut off", rule: noMap, payload: filler.encoded().dropLast(), failure: "invalid-cbor")
        try refuse(
            "unsorted", "keys out of order", rule: "HT-CBOR-11", payload: [0xA2, 0x01, 0xA0, 0x00, 0x40],
            failure: "invalid-cbor", flags: [.notCanonicalCBOR])
        let noMaps: [(String, CBORValue)] = [("bytes", .bytes([0xA0])), ("integer", 1), ("null", .null), ("array", [])]
        for (slug, value) in noMaps {
            let update: CBORValue = [1: value]
            try refuse(
                "linking-\(slug)", "key 1 is not a map (\(slug))", rule: "HT-LNK-40", payload: update.encoded(),
                failure: "wrong-type")
        }
    }

    /// Lengths all around the places where no filler makes 512 bytes.
    mutating func addWrittenUpdates() throws {
        try write(
            "filler", "an update that says nothing has 512 bytes with its type byte", rule: "HT-LNK-18", linking: nil)
        try write("linking", "with a linking map it has as many", rule: "HT-LNK-17", linking: linkingMap())
        // The head of a byte string grows with it.
        let cannotBeFilledExactly = [1, 26, 259]
        for left in [0, 1, 2, 3, 25, 26, 27, 28, 257, 258, 259, 260, 261, 300] {
            let linking = (0..<Self.blockByteCount).lazy.map { Self.linking(byteCount: $0) }
                .first { MessageType.update.message(Self.update($0)).count == Self.blockByteCount - left }
            try write(
                "left-\(left)", "\(left) bytes are left to fill", rule: "HT-LNK-17", linking: linking,
                flags: cannotBeFilledExactly.contains(left) ? [.boundary] : [])
        }
        for count in [600, 1010, 4096] {
            try write(
                "long-\(count)", "what does not fit 512 bytes has the next multiple",
                rule: "HT-LNK-17", linking: Self.linking(byteCount: count))
        }
    }

    /// A linking map of about so many bytes.
    private static func linking(byteCount: Int) -> CBORValue { [1: .bytes(.zeros(byteCount))] }

    private static func update(_ linking: CBORValue) -> [UInt8] {
        let update: CBORValue = [1: linking]
        return update.encoded()
    }

    private mutating func write(
        _ slug: String,
        _ comment: String,
        rule: String,
        linking: CBORValue?,
        flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "update-encode-\(slug)", comment, rule: rule, operation: "update.encode",
            input: ["linking": linking.map { .hex($0.encoded()) } ?? .null], flags: flags)
    }

    private mutating func accept(
        _ slug: String,
        _ comment: String,
        rule: String,
        update: CBORValue,
        flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "update-\(slug)", comment, rule: rule, operation: "update.parse",
            input: ["payload": .hex(update.encoded())],
            flags: flags)
    }

    private mutating func refuse(
        _ slug: String,
        _ comment: String,
        rule: String,
        payload: [UInt8],
        failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "update-\(slug)", comment, rule: rule, operation: "update.parse", input: ["payload": .hex(payload)],
            failure: failure, flags: flags)
    }
}
