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
        .init(
            "QR map: key 2 = 4567", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                0000000000000000000000021911d7
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "known_domains": 4567]),
        .init(
            "QR map: key 2 is text", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                00000000000000000000000263666f6f
                """
            ],
            failure: "wrong-type"),
        .init(
            "QR map: key 4 true", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000004f5
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "linking": true]),
        .init(
            "QR map: key 4 false", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000004f4
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "linking": false]),
        .init(
            "QR map: key 4 is text", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                00000000000000000000000463666f6f
                """
            ],
            failure: "wrong-type"),
        .init(
            "QR map: key 5 ga", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000005626761
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "hint": "ga"]),
        .init(
            "QR map: key 5 mc", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000005626d63
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "hint": "mc"]),
        .init(
            "QR map: key 5 unknown becomes ga", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000005625858
                """
            ],
            gives: ["secret": "00000000000000000000000000000000", "hint": "ga"]),
        .init(
            "QR map: key 5 is an integer", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                000000000000000000000005182a
                """
            ],
            failure: "wrong-type"),
        .init(
            "QR map: unknown key 1000", .chromium("KnownQRs"), "invitation.decode", note: assembled,
            [
                "cbor": """
                a300582103364c15eec34331d2865757421d497e569e1eba6cff9a69d32e90f19e7f6fd15e01500000000000\
                00000000000000000000001903e8182a
                """
            ],
            gives: ["secret": "00000000000000000000000000000000"]),
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

    private static let assembled = "map assembled here from the test's fields, canonical CBOR"

    private static let roundTrip = "source only asserts the round trip; decoded CBOR is in the next vector"

    private static let decodedHere = "field values decoded by this oracle from the published URL"
}
