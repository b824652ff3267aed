internal import JSON

extension PublishedNumber {
    /// Of key derivation (PROTOCOL.md 3).
    static let keys: [Self] = [
        .init(
            "EID key, no salt", .libwebauthn("crypto.rs"), "key.derive",
            ["secret": "00112233445566778899aabbccddeeff", "salt": "", "purpose": 1, "length": 64],
            gives: [
                "output": """
                efafab5b2c84a11c80e3ad0770353138b414a859ccd3afcc99e3d3250dba65084ede8e38e75432617c0ccae1\
                ffe5d8143df0db0cd6d296f489419cd6411ee505
                """
            ]),
        .init(
            "EID key, 15-byte salt", .libwebauthn("crypto.rs"), "key.derive",
            [
                "secret": "00112233445566778899aabbccddeeff",
                "salt": "ffeeddccbbaa998877665544332211",
                "purpose": 1,
                "length": 64,
            ],
            gives: [
                "output": """
                168cf3dd220a7907f8bac30f559be92a3b6d937fe5594beeaf1e50e35976b7d654dd550e22ae4c801b9d1cdb\
                f0d2b1472daa1328661eb889acae3023b7ffa509
                """
            ]),
        .init(
            "tunnel ID of the zero secret", .webauthnRS("discovery.rs"), "key.derive",
            ["secret": "00000000000000000000000000000000", "salt": "", "purpose": 2, "length": 16],
            gives: ["output": "3eef97097986413b059eaa2a30d653d4"]),
        .init(
            "tunnel ID of the known session", .webauthnRS("discovery.rs"), "key.derive",
            ["secret": "01fea6f7c4807493dc256f9eacf756c9", "salt": "", "purpose": 2, "length": 16],
            gives: ["output": "367cbbf5f5085df4098476afe4b9b1d2"]),
    ]
}
