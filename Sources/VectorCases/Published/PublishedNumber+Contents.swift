internal import JSON

extension PublishedNumber {
    /// Of the QR code's text and contents (PROTOCOL.md 1.1, 1.3).
    static let contents: [Self] = [
        .init(
            "QR map: keys 0 and 1 only", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a200582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                0000000000000000000000
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "known_domains": 0, "hint": "ga"]),
        .init(
            "QR map: point not on curve", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a200582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15d01500000000000\
                0000000000000000000000
                """
            ],
            failure: "invalid-point"),
        .init(
            "QR map: key 0 is an integer", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            ["cbor": "a200182a015000000000000000000000000000000000"],
            failure: "wrong-type"),
        known("key 2 = 4567", third: "021911d7", gives: ["known_domains": 4567]),
        .init(
            "QR map: key 2 is text", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            withThird("0263666f6f"), failure: "wrong-type"),
        known("key 4 true", third: "04f5", gives: ["linking": true]),
        known("key 4 false", third: "04f4", gives: ["linking": false]),
        .init(
            "QR map: key 4 is text", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            withThird("0463666f6f"), failure: "wrong-type"),
        known("key 5 ga", third: "05626761", gives: ["hint": "ga"]),
        known("key 5 mc", third: "05626d63", gives: ["hint": "mc"]),
        known("key 5 unknown becomes ga", third: "05625858", gives: ["hint": "ga"]),
        .init(
            "QR map: key 5 is an integer", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            withThird("05182a"), failure: "wrong-type"),
        known("unknown key 1000", third: "1903e8182a", gives: [:]),
        .init(
            "QR from Chrome decodes and re-encodes", .webauthnRS("handshake.rs"), "invitation.encode", note: roundTrip,
            [
                "public_key": "03dd39afaf50b1b5b05ac1dad0b2848a00c0f6ec4e65a25687ca4f3c71dae50bea",
                "secret": "871bcec9c1227f91ccb86c9ffacd9eac",
                "known_domains": 2,
                "timestamp": 1666589051,
                "linking": true,
                "hint": "mc",
                "channels": [0],
            ],
            gives: [
                "url": """
                FIDO:/1628707918656323825527042314383279001523025403480972438540399666553664697949544761\
                99158014113179232779520163209900691930075274801398564434658077048963842109321447142660
                """
            ]),
        .init(
            "QR from Chrome fields", .webauthnRS("handshake.rs"), "invitation.parse", note: decodedHere,
            [
                "url": """
                FIDO:/1628707918656323825527042314383279001523025403480972438540399666553664697949544761\
                99158014113179232779520163209900691930075274801398564434658077048963842109321447142660
                """
            ],
            gives: [
                "known_domains": 2,
                "hint": "mc",
                "channels": [0],
                "secret": "871bcec9c1227f91ccb86c9ffacd9eac",
                "timestamp": 1666589051,
                "linking": true,
            ]),
        .init(
            "QR from Safari on iOS decodes and re-encodes", .webauthnRS("handshake.rs"), "invitation.encode",
            note: roundTrip,
            [
                "public_key": "02f61f4ae0ac101efd66c6c728d059c7c6212cecfab79109c01c56a87099887d44",
                "secret": "f052eb83c3ff0421b46ae118fb4a928f",
                "known_domains": 2,
                "timestamp": 1670820400,
                "linking": false,
                "hint": "mc",
                "channels": [0],
            ],
            gives: [
                "url": """
                FIDO:/0899621328781328628988753195098186559512339470601660269349416522038538449305972251\
                84066237811614893181300344014421205790072080843938838513707157859599106109321447142404
                """
            ]),
        .init(
            "QR from Safari on iOS fields", .webauthnRS("handshake.rs"), "invitation.parse", note: decodedHere,
            [
                "url": """
                FIDO:/0899621328781328628988753195098186559512339470601660269349416522038538449305972251\
                84066237811614893181300344014421205790072080843938838513707157859599106109321447142404
                """
            ],
            gives: [
                "known_domains": 2,
                "hint": "mc",
                "channels": [0],
                "secret": "f052eb83c3ff0421b46ae118fb4a928f",
                "timestamp": 1670820400,
                "linking": false,
            ]),
        .init(
            "QR reject http://example.com", .webauthnRS("handshake.rs"), "invitation.parse",
            ["url": "http://example.com"],
            failure: "not-fido-url"),
        .init(
            "QR reject FIDO:/", .webauthnRS("handshake.rs"), "invitation.parse", ["url": "FIDO:/"],
            failure: "invalid-cbor"),
        .init(
            "QR reject FIDO://", .webauthnRS("handshake.rs"), "invitation.parse", ["url": "FIDO://"],
            failure: "non-digit"),
        .init(
            "QR reject FIDO:/0", .webauthnRS("handshake.rs"), "invitation.parse", ["url": "FIDO:/0"],
            failure: "digit-count"),
        .init(
            "QR reject FIDO:/999", .webauthnRS("handshake.rs"), "invitation.parse", ["url": "FIDO:/999"],
            failure: "digit-range"),
        .init(
            "QR reject FIDO:/000", .webauthnRS("handshake.rs"), "invitation.parse", ["url": "FIDO:/000"],
            failure: "not-a-map"),
    ]

    /// A map of two keys, whose secret is zeros, and a third.
    ///
    /// - Parameter third: the key and its value, CBOR in hexadecimal digits.
    private static func withThird(_ third: String) -> CaseFields {
        [
            "cbor": .string(
                "a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e0150" + zeros(16) + third)
        ]
    }

    /// Such a map that is read.
    private static func known(_ name: String, third: String, gives fields: CaseFields) -> Self {
        let secret: CaseFields = ["secret": .string(zeros(16))]
        return .init(
            "QR map: \(name)", .chromium("KnownQRs"), "invitation.decode", note: assembled, withThird(third),
            gives: secret.with(fields))
    }

    private static let assembled = "map assembled here from the test's fields, canonical CBOR"

    private static let roundTrip = "source only asserts the round trip; decoded CBOR is in the next vector"

    private static let decodedHere = "field values decoded by this oracle from the published URL"
}
