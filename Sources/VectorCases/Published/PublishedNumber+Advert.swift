internal import JSON

extension PublishedNumber {
    /// Of the advert (PROTOCOL.md 4).
    static let advert: [Self] = [
        .init(
            "EID parse", .webauthnRS("discovery.rs"), "advert.parse", ["plaintext": "00098b736b36a98cb9a42f090a0bff01"],
            gives: ["domain_id": 511, "routing_id": "090a0b", "nonce": "098b736b36a98cb9a42f"]),
        .init(
            "EID parse, domain 255", .webauthnRS("discovery.rs"), "advert.parse",
            ["plaintext": "00098b736b36a98cb9a42f090a0bff00"],
            failure: "unassigned-domain"),
        .init(
            "EID parse, reserved byte 1", .webauthnRS("discovery.rs"), "advert.parse",
            ["plaintext": "01098b736b36a98cb9a42f090a0bff01"],
            failure: "reserved-byte"),
        .init(
            "EID parse, 0 bytes", .webauthnRS("discovery.rs"), "advert.parse", note: lengths, ["plaintext": ""],
            failure: "wrong-length"),
        .init(
            "EID parse, 14 bytes", .webauthnRS("discovery.rs"), "advert.parse", note: lengths,
            ["plaintext": "0000000000000000000000000000"],
            failure: "wrong-length"),
        .init(
            "EID parse, 15 bytes", .webauthnRS("discovery.rs"), "advert.parse", note: lengths,
            ["plaintext": "000000000000000000000000000000"],
            failure: "wrong-length"),
        .init(
            "EID parse, 17 bytes", .webauthnRS("discovery.rs"), "advert.parse", note: lengths,
            ["plaintext": "0000000000000000000000000000000000"],
            failure: "wrong-length"),
        .init(
            "advert of the known session", .webauthnRS("discovery.rs"), "advert.open",
            note: "source gives domain 0, routing 026555, nonce 8bb5c5c9a44d913a5eb2",
            ["eid_key": knownKey, "advert": "027d84ed6076b55e247c830f82955e4d126e7f43"],
            gives: ["plaintext": "008bb5c5c9a44d913a5eb20265550000"]),
        .init(
            "advert of the known session, sealed again", .webauthnRS("discovery.rs"), "advert.seal",
            ["eid_key": knownKey, "plaintext": "008bb5c5c9a44d913a5eb20265550000"],
            gives: ["advert": "027d84ed6076b55e247c830f82955e4d126e7f43"]),
        .init(
            "advert with a suffix opens the same", .libwebauthn("crypto.rs (rule)"), "advert.open",
            ["eid_key": knownKey, "advert": "027d84ed6076b55e247c830f82955e4d126e7f43a101191234"],
            gives: ["plaintext": "008bb5c5c9a44d913a5eb20265550000"]),
        .init(
            "advert with changed body", .webauthnRS("discovery.rs"), "advert.open",
            ["eid_key": knownKey, "advert": "037d84ed6076b55e247c830f82955e4d126e7f43"],
            failure: "bad-tag"),
        .init(
            "advert with changed tag", .webauthnRS("discovery.rs"), "advert.open",
            ["eid_key": knownKey, "advert": "027d84ed6076b55e247c830f82955e4d136e7f43"],
            failure: "bad-tag"),
        .init(
            "advert of 19 bytes", .webauthnRS("discovery.rs"), "advert.open",
            ["eid_key": knownKey, "advert": "027d84ed6076b55e247c830f82955e4d126e7f"],
            failure: "too-short"),
        .init(
            "advert under another secret", .webauthnRS("discovery.rs"), "advert.open",
            [
                "eid_key": """
                5bb826f01e9c8344e2fd4eed6f2068c6d73875044660738090642d7cb0d0ad018d8ab27a807018ed049c6e88\
                575f21e620fdb49fed45255499f20d304877897f
                """, "advert": "027d84ed6076b55e247c830f82955e4d126e7f43",
            ],
            failure: "bad-tag"),
        .init(
            "libwebauthn self-made advert, zero plaintext", .libwebauthn("crypto.rs (key 00..3f)"), "advert.open",
            note: "advert bytes sealed here as the source test does",
            [
                "eid_key": """
                000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b\
                2c2d2e2f303132333435363738393a3b3c3d3e3f
                """, "advert": "f29000b62a499fd0a9f39a6add2e7780724a9a57",
            ],
            gives: ["plaintext": "00000000000000000000000000000000"]),
        .init(
            "advert suffix: PSM 0x1234", .libwebauthn("advertisement.rs"), "advert.suffix", ["suffix": "a101191234"],
            gives: ["psm": 4660]),
        .init(
            "advert suffix: channel 0 only", .libwebauthn("advertisement.rs"), "advert.suffix", ["suffix": "a100182a"],
            gives: ["psm": .null]),
        .init(
            "advert suffix: PSM out of range", .libwebauthn("advertisement.rs"), "advert.suffix",
            ["suffix": "a1011a00010000"],
            gives: ["psm": .null]),
        .init(
            "advert suffix: PSM is text", .libwebauthn("advertisement.rs"), "advert.suffix",
            ["suffix": "a101646e6f7065"],
            gives: ["psm": .null]),
        .init(
            "advert suffix: empty map", .libwebauthn("advertisement.rs"), "advert.suffix", ["suffix": "a0"],
            gives: ["psm": .null]),
        .init(
            "advert suffix: empty", .libwebauthn("advertisement.rs"), "advert.suffix", note: ignored, ["suffix": ""],
            gives: [:]),
        .init(
            "advert suffix: garbage", .libwebauthn("advertisement.rs"), "advert.suffix", note: ignored,
            ["suffix": "ff0013"],
            gives: [:]),
        .init(
            "advert suffix: not a map", .libwebauthn("advertisement.rs"), "advert.suffix", note: ignored,
            ["suffix": "01"],
            gives: [:]),
    ]

    /// The key of webauthn-rs's session: 64 bytes.
    private static let knownKey: JSONValue = """
        66e7d568ef48471de6b84f6f2e7af841cf901e384174f1e668c6b93a1cc4e2d8927395271dcf6397ca338711\
        157764814f141a8fd4bde2dfa53100c5f4d64794
        """

    private static let lengths = "source tries 0..14 and 17"

    private static let ignored = "the source's parser reports an error, which its caller ignores"
}
