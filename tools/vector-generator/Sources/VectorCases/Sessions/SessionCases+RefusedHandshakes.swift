internal import Conformance
internal import Encodings

// Handshakes of QR-initiated sessions that fail (the article NoiseHandshake of HybridProtocol).

extension SessionCases {
    mutating func addRefusedHandshakes() throws {
        let another = try session("another")
        try refuseMessage1(
            "other-advert", "message 1 was made after another advert", rule: "HT-HS-18", failure: "bad-tag"
        ) {
            _ in
            another.handshake.message1
        }
        try refuseMessage1("message-1-bit", "one bit of message 1's tag flipped", rule: "HT-HS-17", failure: "bad-tag")
        {
            $0.handshake.message1.flippingLowestBit(ofByte: -1)
        }
        try refuseMessage1("message-1-short", "message 1 is a byte short", rule: "HT-HS-13", failure: "wrong-length") {
            $0.handshake.message1.dropLast()
        }
        try refuseMessage2("message-2-bit", "one bit of message 2's tag flipped", rule: "HT-HS-17", failure: "bad-tag")
        {
            $0.handshake.message2.flippingLowestBit(ofByte: -1)
        }
        try refuseMessage2("message-2-long", "message 2 is a byte long", rule: "HT-HS-21", failure: "wrong-length") {
            $0.handshake.message2 + [0x00]
        }
        try refuse(
            .client, field: "advert", "foreign-advert", "the advert is somebody else's", rule: "HT-ADV-9",
            failure: "bad-tag"
        ) { _ in another.advert }
        try refuseLengths()
        let withPayload = "is honestly sealed over a payload of one byte, so 82 bytes"
        try refuseMessage1("message-1-payload", "message 1 \(withPayload)", rule: "HT-HS-22", failure: "wrong-length") {
            try $0.handshakeMessagesWithPayload().message1
        }
        try refuseMessage2("message-2-payload", "message 2 \(withPayload)", rule: "HT-HS-22", failure: "wrong-length") {
            try $0.handshakeMessagesWithPayload().message2
        }
        try refuseMessage2(
            "message-2-reflected", "the client's own message 1 comes back", rule: "HT-HS-23", failure: "bad-tag"
        ) {
            $0.handshake.message1
        }
    }

    private mutating func refuseLengths() throws {
        let lengths: [(slug: String, comment: String, rule: String, change: ([UInt8]) -> [UInt8])] = [
            ("empty", "is empty", "HT-HS-13", { _ in [] }),
            ("point-alone", "is a point without a tag", "HT-HS-13", { Array($0.prefix(65)) }),
            ("82-bytes", "has one byte more", "HT-HS-21", { $0 + [0x00] }),
            ("twice", "is there twice", "HT-HS-21", { $0 + $0 }),
        ]
        for (slug, comment, rule, change) in lengths {
            try refuseMessage1("message-1-\(slug)", "message 1 \(comment)", rule: rule, failure: "wrong-length") {
                change($0.handshake.message1)
            }
            try refuseMessage2("message-2-\(slug)", "message 2 \(comment)", rule: rule, failure: "wrong-length") {
                change($0.handshake.message2)
            }
        }
    }

    /// Refuses message 1, at the authenticator.
    private mutating func refuseMessage1(
        _ slug: String, _ comment: String, rule: String, failure: String,
        _ message: (QRSession) throws -> [UInt8]
    ) throws {
        try refuse(.authenticator, field: "message_1", slug, comment, rule: rule, failure: failure, message)
    }

    /// Refuses message 2, at the client.
    private mutating func refuseMessage2(
        _ slug: String, _ comment: String, rule: String, failure: String,
        _ message: (QRSession) throws -> [UInt8]
    ) throws {
        try refuse(.client, field: "message_2", slug, comment, rule: rule, failure: failure, message)
    }

    private mutating func refuse(
        _ side: SessionSide, field: String, _ slug: String, _ comment: String, rule: String, failure: String,
        _ value: (QRSession) throws -> [UInt8]
    ) throws {
        let session = try session("refused/\(slug)")
        try refuse(
            side, slug, comment, rule: rule, session: session,
            changing: CaseFields([.init(field, .hex(value(session)))]),
            failure: failure, flags: [.tamper])
    }
}
