internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `message`: the plaintext of the sealed frames (the article Messages of HybridProtocol).
struct MessageCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "message", prefix: "message",
        about: "What the sealed frames hold: the first message, then typed messages, updates.")

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        try cases.addTypes()
        try cases.addRefusedMessages()
        try cases.addUpdates()
        try cases.addWrittenUpdates()
        try cases.addFirstMessages()
        return cases.layer
    }

    /// A linking map that looks like one; it is not verified here.
    func linkingMap() throws -> CBORValue {
        [
            1: .bytes(seed.bytes("contact", 40)), 2: .bytes(seed.bytes("link", 8)),
            3: .bytes(seed.bytes("link-secret", 32)), 4: .bytes([4] + .zeros(64)), 5: "Phone",
            6: .bytes(seed.bytes("signature", 32)),
        ]
    }
}

// Messages after the first one.

extension MessageCases {
    private mutating func addTypes() throws {
        let getAssertion: CBORValue = [
            1: "example.com", 2: .bytes(seed.bytes("message/hash", 32)), 5: ["uv": true],
        ]
        let response: CBORValue = [1: "x"]
        try decode("shutdown", "shutdown is its type byte alone", rule: "HT-MSG-31", MessageType.shutdown.message())
        try decode(
            "ctap-request", "a CTAP request: command and CBOR", rule: "HT-CTAP-1", ctap([0x02] + getAssertion.encoded())
        )
        try decode("ctap-get-info", "a CTAP command without parameters", rule: "HT-CTAP-1", ctap([0x04]))
        try decode("ctap-unknown-command", "the command is for CTAP to judge", rule: "HT-MSG-16", ctap([0xEE]))
        try decode(
            "ctap-response", "a CTAP response: status 00 and CBOR", rule: "HT-CTAP-2", ctap([0x00] + response.encoded())
        )
        try decode("ctap-status-only", "a CTAP response that is a status alone", rule: "HT-CTAP-2", ctap([0x27]))
        try decode("ctap-garbage", "the payload is for CTAP to judge", rule: "HT-MSG-16", ctap([0x02, 0xFF, 0xFF]))
        try decode("update", "an update", rule: "HT-MSG-16", MessageType.update.message([0xA0]))
        try decode("json", "JSON", rule: "HT-DC-9", json(#"{"origin":"https://example.com"}"#))
        try decode("json-utf-8", "JSON beyond ASCII", rule: "HT-DC-9", json(#"{"name":"Zoë 𝄞"}"#))
        try decode(
            "json-not-an-object", "JSON that is no object: for the next layer to judge", rule: "HT-DC-10", json("null"))
        try decode(
            "ctap-large", "a CTAP message of 20,000 bytes", rule: "HT-MSG-16",
            ctap(seed.bytes("message/large", 20_000)))
    }

    private mutating func addRefusedMessages() throws {
        try refuse("empty", "an empty plaintext", rule: "HT-MSG-18", plaintext: [], failure: "empty")
        try refuseUnknownTypes()
        let payloads: [(String, [UInt8])] = [
            ("zero", [0x00]), ("ctap", [0x01, 0x04]), ("map", [0xA0]), ("padding", .zeros(31)),
        ]
        for (slug, payload) in payloads {
            try refuse(
                "shutdown-with-\(slug)", "shutdown has no payload (\(slug))",
                rule: "HT-MSG-33", plaintext: MessageType.shutdown.message(payload),
                failure: "non-empty-payload")
        }
        try refuse(
            "ctap-empty", "CTAP without even a command or a status", rule: "HT-CTAP-3", plaintext: ctap([]),
            failure: "empty")
        try refuse(
            "json-empty", "JSON without any text", rule: "HT-DC-13", plaintext: json(""), failure: "empty")
        try refuseText("continuation", [0x80], in: #"{"a":"#)
        try refuseText("latin-1", [0xE9], in: #"{"a":"#)
        try refuseText("cut", [0xE2, 0x82], in: #"{"a":"#)
        try refuseText("surrogate", [0xED, 0xA0, 0x80])
        try refuseText("overlong", [0xC0, 0xAF])
        try refuse(
            "json-not-utf-8-utf-16", "JSON text that is not UTF-8: utf-16", rule: "HT-DC-12",
            plaintext: MessageType.json.message([0xFF, 0xFE] + Array("{\0}\0".utf8)), failure: "invalid-text")
    }

    private mutating func refuseUnknownTypes() throws {
        let firstUnknown: UInt8 = 0x04
        for type: UInt8 in [firstUnknown, 0x05, 0x10, 0x7F, 0x80, 0xA1, 0xFF] {
            try refuse(
                "type-\(Hexadecimal.encode([type]))", "type \(Hexadecimal.encode([type])) is unknown",
                rule: "HT-MSG-17", plaintext: [type, 0xA0],
                failure: "unknown-type",
                flags: type == firstUnknown ? [.boundary] : [])
        }
        try refuse(
            "type-04-alone", "an unknown type without payload", rule: "HT-MSG-17", plaintext: [firstUnknown],
            failure: "unknown-type")
        let firstMessage: CBORValue = [1: .bytes([0xA0])]
        try refuse(
            "first-message-again", "a first message where a typed one must be: a1 is no type",
            rule: "HT-MSG-17", plaintext: firstMessage.encoded(),
            failure: "unknown-type", flags: [.order])
    }

    /// Refuses a JSON string, or a member of an object, with bytes in it that are no UTF-8.
    private mutating func refuseText(_ slug: String, _ bytes: [UInt8], in object: String = "") throws {
        let text = Array((object + "\"").utf8) + bytes + Array((object.isEmpty ? "\"" : "\"}").utf8)
        try refuse(
            "json-not-utf-8-\(slug)", "JSON text that is not UTF-8: \(slug)", rule: "HT-DC-12",
            plaintext: MessageType.json.message(text), failure: "invalid-text")
    }

    private mutating func decode(_ slug: String, _ comment: String, rule: String, _ plaintext: [UInt8]) throws {
        try layer.valid(slug, comment, rule: rule, operation: "message.decode", input: ["plaintext": .hex(plaintext)])
    }

    private mutating func refuse(
        _ slug: String,
        _ comment: String,
        rule: String,
        plaintext: [UInt8],
        failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            slug, comment, rule: rule, operation: "message.decode", input: ["plaintext": .hex(plaintext)],
            failure: failure,
            flags: flags)
    }

    private func ctap(_ payload: [UInt8]) -> [UInt8] { MessageType.ctap.message(payload) }

    private func json(_ text: String) -> [UInt8] { MessageType.json.message(text) }
}
