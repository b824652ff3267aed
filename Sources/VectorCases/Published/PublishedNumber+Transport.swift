internal import JSON

extension PublishedNumber {
    /// Of padding and frames (PROTOCOL.md 6.1).
    static let transport: [Self] = [
        .init(
            "Chromium-captured frame: padding", .webauthnRS("noise.rs construction"), "transport.pad",
            [
                "message": capturedMessage
            ],
            gives: [
                "padded": """
                0101a60158203889285c8c6323950ced074984f9f9463bc1739bb621a9e5f1ee8dd9393ba28002a262696478\
                18776562617574686e2e6669727374796561722e69642e6175646e616d657818776562617574686e2e666972\
                7374796561722e69642e617503a362696450d6d7aa298fe84a06aaded7e49d900a62646e616d6561616b6469\
                73706c61794e616d6561610482a263616c672664747970656a7075626c69632d6b6579a263616c6739010064\
                747970656a7075626c69632d6b65790581a2626964440001020364747970656a7075626c69632d6b657907a1\
                627576f5000000000000000000000000000000000000000000000000000000000000001f
                """
            ]),
        .init(
            "Chromium-captured frame: seal", .webauthnRS("noise.rs construction"), "transport.seal",
            note: "source's other key (read): "
                + "e34f1aa3747238c04d3bd25e07ef1b35fef359000d755615cd85be27cfc807d1",
            [
                "key": capturedKey,
                "message": capturedMessage, "counter": 0,
            ],
            gives: [
                "frame": capturedFrame
            ]),
        .init(
            "Chromium-captured frame: open", .webauthnRS("noise.rs construction"), "transport.open",
            [
                "key": capturedKey, "counter": 0,
                "frame": capturedFrame,
            ],
            gives: [
                "message": capturedMessage
            ]),
        .init(
            "unpad normal", .libwebauthn("protocol.rs"), "transport.unpad", ["padded": "aabbccdd00000003"],
            gives: ["message": "aabbccdd"]),
        .init("unpad empty", .libwebauthn("protocol.rs"), "transport.unpad", ["padded": ""], failure: "empty"),
        .init(
            "unpad overlong", .libwebauthn("protocol.rs"), "transport.unpad", ["padded": "05"],
            failure: "bad-padding"),
    ]

    /// A request of Chromium's, as it was sealed, under which key, and what came of it.
    private static let capturedMessage: JSONValue = """
        0101a60158203889285c8c6323950ced074984f9f9463bc1739bb621a9e5f1ee8dd9393ba28002a262696478\
        18776562617574686e2e6669727374796561722e69642e6175646e616d657818776562617574686e2e666972\
        7374796561722e69642e617503a362696450d6d7aa298fe84a06aaded7e49d900a62646e616d6561616b6469\
        73706c61794e616d6561610482a263616c672664747970656a7075626c69632d6b6579a263616c6739010064\
        747970656a7075626c69632d6b65790581a2626964440001020364747970656a7075626c69632d6b657907a1\
        627576f5
        """

    private static let capturedKey: JSONValue = "1fba3cce17622c68268d9f75b5a8a3351b517f096fb5e294941af7e3a6a8d6e1"

    private static let capturedFrame: JSONValue = """
        5062cf34571e0827a7c0207f7c00184567d613eab0da080ad042d80664c59df7b01a13db17fd277575ccff53\
        b6a34fdb4fbcf832f3d360f8e5a7daee7f265a9253a904d6ebff2f9370d35536d8bf054830aaadffb996b420\
        b2b3170ac80a83796823ed3c284b177c23400ca0124d6a68263d39783cfef0273fdf3bfcfa0a6c33df319b12\
        6f6e8290d22c4cd32a7a978856ba2273d1be1c0a291e5ee197416aa0f7a104e4d0ac582b708482326d5ff0f1\
        768c1416d016b1f89242e70e80312fe6b6d4029a40ada374b31e7d66fac3ba7283944b9b60da4b98f6780409\
        5fd39cd1d45d75c93d2d86cbfc21616f9f1a576ccf8c862ee185125fc1ed7ed2486e2c5fbfc39c919597dd86\
        c338e7df553d51e8
        """
}
