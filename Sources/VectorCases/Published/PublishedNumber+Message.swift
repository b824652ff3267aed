internal import JSON

extension PublishedNumber {
    /// Of the messages in the frames (PROTOCOL.md 7).
    static let message: [Self] = [
        .init(
            "shutdown message", .webauthnRS("framing.rs"), "message.decode", ["plaintext": "00"],
            gives: ["type": "shutdown", "payload": ""]),
        .init(
            "update message", .webauthnRS("framing.rs"), "message.decode", ["plaintext": "0201020304"],
            gives: ["type": "update", "payload": "01020304"]),
        .init(
            "unknown message type", .webauthnRS("framing.rs"), "message.decode",
            note: "webauthn-rs represents it as Unknown; Chromium closes the connection",
            ["plaintext": "ffffffffffffffffffffffffffffffff"],
            failure: "unknown-type"),
        .init(
            "framed sample makeCredential request", .webauthnRS("framing.rs"), "message.decode", note: typed,
            [
                "plaintext": """
                0101a5015820687134968222ec17202e42505f8ed2b16ae22f16bb05b88c25db9e602645f14102a262696469\
                746573742e63746170646e616d6569746573742e6374617003a362696458202b6689bb18f4169f069fbcdf50\
                cb6ea3c60a861b9a7b63946983e0b577b78c70646e616d6571746573746374617040637461702e636f6d6b64\
                6973706c61794e616d65695465737420437461700483a263616c672664747970656a7075626c69632d6b6579\
                a263616c6739010064747970656a7075626c69632d6b6579a263616c67382464747970656a7075626c69632d\
                6b657907a162726bf5
                """
            ],
            gives: [
                "type": "ctap",
                "payload": """
                01a5015820687134968222ec17202e42505f8ed2b16ae22f16bb05b88c25db9e602645f14102a26269646974\
                6573742e63746170646e616d6569746573742e6374617003a362696458202b6689bb18f4169f069fbcdf50cb\
                6ea3c60a861b9a7b63946983e0b577b78c70646e616d6571746573746374617040637461702e636f6d6b6469\
                73706c61794e616d65695465737420437461700483a263616c672664747970656a7075626c69632d6b6579a2\
                63616c6739010064747970656a7075626c69632d6b6579a263616c67382464747970656a7075626c69632d6b\
                657907a162726bf5
                """,
            ]),
        .init(
            "framed sample makeCredential response", .webauthnRS("framing.rs"), "message.decode", note: typed,
            [
                "plaintext": """
                01a301667061636b65640258a20021f5fc0b85cd22e60623bcd7d1ca48948909249b4776eb515154e57b66ae\
                12c500000055f8a011f38c0a4d15800617111f9edc7d0010f4d57b23dd0cb785680cdaa7f7e44f60a5010203\
                262001215820df017d0b286795bea153d166a0a15b4f6b67a3af4a101e10e8496f3dd3c5d1a922582094b225\
                51e6325d7733c41bb2f5a642adee417c97e0906197b5b0cd8b8d6c6ba7a16b686d61632d736563726574f503\
                a363616c6726637369675847304502207ccac57a1e43df24b0847eebf119d28dcdc5048f7dcd8edd79e79721\
                c41bcf2d022100d89ec75b92ce8ff9e46fe7f8c87995694a63e5b78ab85c47b9da1c580a8ec83a6378356381\
                5901973082019330820138a003020102020900859b726cb24b4c29300a06082a8648ce3d0403023047310b30\
                0906035504061302555331143012060355040a0c0b59756269636f205465737431223020060355040b0c1941\
                757468656e74696361746f72204174746573746174696f6e301e170d3136313230343131353530305a170d32\
                36313230323131353530305a3047310b300906035504061302555331143012060355040a0c0b59756269636f\
                205465737431223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e305930\
                1306072a8648ce3d020106082a8648ce3d03010703420004ad11eb0e8852e53ad5dfed86b41e6134a18ec4e1\
                af8f221a3c7d6e636c80ea13c3d504ff2e76211bb44525b196c44cb4849979cf6f896ecd2bb860de1bf4376b\
                a30d300b30090603551d1304023000300a06082a8648ce3d0403020349003046022100e9a39f1b03197525f7\
                373e10ce77e78021731b94d0c03f3fda1fd22db3d030e7022100c4faec3445a820cf43129cdb00aabefd9ae2\
                d874f9c5d343cb2f113da23723f3
                """
            ],
            gives: [
                "type": "ctap",
                "payload": """
                a301667061636b65640258a20021f5fc0b85cd22e60623bcd7d1ca48948909249b4776eb515154e57b66ae12\
                c500000055f8a011f38c0a4d15800617111f9edc7d0010f4d57b23dd0cb785680cdaa7f7e44f60a501020326\
                2001215820df017d0b286795bea153d166a0a15b4f6b67a3af4a101e10e8496f3dd3c5d1a922582094b22551\
                e6325d7733c41bb2f5a642adee417c97e0906197b5b0cd8b8d6c6ba7a16b686d61632d736563726574f503a3\
                63616c6726637369675847304502207ccac57a1e43df24b0847eebf119d28dcdc5048f7dcd8edd79e79721c4\
                1bcf2d022100d89ec75b92ce8ff9e46fe7f8c87995694a63e5b78ab85c47b9da1c580a8ec83a637835638159\
                01973082019330820138a003020102020900859b726cb24b4c29300a06082a8648ce3d0403023047310b3009\
                06035504061302555331143012060355040a0c0b59756269636f205465737431223020060355040b0c194175\
                7468656e74696361746f72204174746573746174696f6e301e170d3136313230343131353530305a170d3236\
                313230323131353530305a3047310b300906035504061302555331143012060355040a0c0b59756269636f20\
                5465737431223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e30593013\
                06072a8648ce3d020106082a8648ce3d03010703420004ad11eb0e8852e53ad5dfed86b41e6134a18ec4e1af\
                8f221a3c7d6e636c80ea13c3d504ff2e76211bb44525b196c44cb4849979cf6f896ecd2bb860de1bf4376ba3\
                0d300b30090603551d1304023000300a06082a8648ce3d0403020349003046022100e9a39f1b03197525f737\
                3e10ce77e78021731b94d0c03f3fda1fd22db3d030e7022100c4faec3445a820cf43129cdb00aabefd9ae2d8\
                74f9c5d343cb2f113da23723f3
                """,
            ]),
        .init(
            "post-handshake from Android Chrome", .webauthnRS("tunnel.rs"), "first-message.parse", note: noFeatures,
            [
                "plaintext": """
                a101585ca50182684649444f5f325f30684649444f5f325f3102826c6465766963655075624b657963707266\
                03500000000000000000000000000000000004a262726bf5627576f50983656361626c656668796272696468\
                696e7465726e616c
                """
            ],
            gives: [
                "features": ["ctap"],
                "get_info": """
                a50182684649444f5f325f30684649444f5f325f3102826c6465766963655075624b65796370726603500000\
                000000000000000000000000000004a262726bf5627576f50983656361626c656668796272696468696e7465\
                726e616c
                """,
            ]),
        .init(
            "post-handshake from iOS 16", .webauthnRS("tunnel.rs"), "first-message.parse", note: noFeatures,
            [
                "plaintext": """
                a101583aa40181684649444f5f325f300350f24a8e70d0d3f82c293732523cc4de5a04a262726bf5627576f5\
                098268696e7465726e616c66687962726964
                """
            ],
            gives: [
                "features": ["ctap"],
                "get_info": """
                a40181684649444f5f325f300350f24a8e70d0d3f82c293732523cc4de5a04a262726bf5627576f509826869\
                6e7465726e616c66687962726964
                """,
            ]),
        .init(
            "revision-0 padded empty map", .chromium("PaddedCBOR"), "revision-0.unpad",
            ["plaintext": .string("a" + zeros(509) + "0fd01")],
            gives: ["cbor": "a0"]),
        .init(
            "revision-0 padded 512-byte value", .chromium("PaddedCBOR"), "revision-0.unpad",
            ["plaintext": .string("a1015902" + zeros(1018) + "f901")],
            gives: ["cbor": .string("a1015902" + zeros(513))]),
    ]

    private static let typed = "revision 0 sends the payload with no type byte"

    private static let noFeatures = "no key 3, so ctap is implied; the source asserts the parsed fields of get_info"
}
