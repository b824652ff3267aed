package import Cryptography
package import Encodings

/// The contents of a QR code as a client makes them, of which the malformed ones are made.
package struct HonestInvitation: Sendable {
    /// Keys 0 to 5.
    package let map: CBORMap
    /// The client's public key, which key 0 has in compressed form.
    package let publicKey: P256.PublicKey
    /// Makes a secret of any length.
    package let secret: @Sendable (_ byteCount: Int) throws -> [UInt8]

    /// Makes the contents.
    package init(
        map: CBORMap, publicKey: P256.PublicKey, secret: @escaping @Sendable (_ byteCount: Int) throws -> [UInt8]
    ) {
        self.map = map
        self.publicKey = publicKey
        self.secret = secret
    }
}

/// The keys of a QR code's map.
package enum InvitationKey {
    package static let publicKey: CBORValue = 0
    package static let secret: CBORValue = 1
    package static let knownDomains: CBORValue = 2
    package static let time: CBORValue = 3
    package static let linking: CBORValue = 4
    package static let hint: CBORValue = 5
    package static let channels: CBORValue = 6
}

/// Malformed contents of a QR code: the CBOR that its digits stand for.
package enum InvitationMalformations {
    typealias Contents = Malformation<HonestInvitation, [UInt8]>
    private typealias Key = InvitationKey

    /// Maps with a field that is missing, of another type or length, or no point.
    package static let fields: [Malformation<HonestInvitation, [UInt8]>] =
        [
            missing, publicKeyTypes, secretTypes, secretLengths, publicKeyLengths, points, otherTypes,
        ].flatMap { $0 }

    /// The map with another value for a key; nil takes the key out.
    private static func with(
        _ slug: String, _ comment: String, key: CBORValue, _ value: CBORValue?, rule: String,
        failure: String = "wrong-type"
    ) -> Contents {
        Contents(slug, comment, rule: rule, failure: failure) {
            $0.map.with(key, value).encoded()
        }
    }

    private static let missing = [
        with("no-public-key", "key 0 is missing", key: Key.publicKey, nil, rule: "HT-QR-23", failure: "missing-field")
            .tested("refuse a QR code without key 0 (public key)"),
        with("no-secret", "key 1 is missing", key: Key.secret, nil, rule: "HT-QR-23", failure: "missing-field")
            .tested("refuse a QR code without key 1 (secret)"),
        Contents("empty-map", "an empty map", rule: "HT-QR-23", failure: "missing-field") { _ in CBORMap().encoded() },
    ]

    // MARK: - Public key and secret

    private static let secretRule = "HT-QR-27"

    private static func publicKey(_ type: String, _ value: CBORValue) -> Contents {
        with("public-key-\(type)", "key 0 is a \(type)", key: Key.publicKey, value, rule: "HT-QR-24")
    }

    private static func secret(_ type: String, _ value: CBORValue) -> Contents {
        with("secret-\(type)", "key 1 is a \(type)", key: Key.secret, value, rule: secretRule)
    }

    private static func secret(_ count: Int) -> Contents {
        Contents("secret-\(count)-bytes", "a secret of \(count) bytes", rule: secretRule, failure: "wrong-length") {
            $0.map.with(Key.secret, .bytes(try $0.secret(count))).encoded()
        }
    }

    private static func point(
        _ slug: String, _ comment: String, rule: String = "HT-QR-25", failure: String = "invalid-point",
        _ change: @escaping @Sendable (P256.PublicKey) -> [UInt8]
    ) -> Contents {
        Contents("public-key-\(slug)", comment, rule: rule, failure: failure, flags: [.curve]) {
            $0.map.with(Key.publicKey, .bytes(change($0.publicKey))).encoded()
        }
    }

    private static func point(
        _ slug: String, byteCount: Int, _ change: @escaping @Sendable (P256.PublicKey) -> [UInt8]
    ) -> Contents {
        point(slug, "key 0 of another length (\(byteCount) bytes)", failure: "wrong-length", change)
    }

    private static func x(_ key: P256.PublicKey) -> ArraySlice<UInt8> { key.compressed.dropFirst() }

    private static let publicKeyTypes = [
        publicKey("integer", 42),
        publicKey("text", .text(String(repeating: "x", count: P256.compressedByteCount)))
            .tested("refuse a public key that is text"),
        publicKey("array", [1]), publicKey("null", .null), publicKey("map", [1: 1]), publicKey("bool", true),
    ]

    private static let secretTypes = [
        secret("integer", 42),
        secret("text", .text(String(repeating: "x", count: 16))).tested("refuse a secret that is text"),
        secret("array", [1]), secret("null", .null), secret("map", [1: 1]), secret("bool", false),
    ]

    private static let secretLengths = [
        secret(0).tested("refuse a secret of 0 bytes; it has 16", as: "secret-empty"),
        secret(1),
        secret(15).tested("refuse a secret of 15 bytes; it has 16", as: "secret-15"),
        secret(17).tested("refuse a secret of 17 bytes; it has 16", as: "secret-17"),
        secret(32).tested("refuse a secret of 32 bytes; it has 16", as: "secret-32"),
    ]

    private static let publicKeyLengths = [
        point("empty", byteCount: 0) { _ in [] }.tested("refuse a public key of 0 bytes; it has 33"),
        point("32-bytes", byteCount: 32) { $0.compressed.dropLast() }
            .tested("refuse a public key of 32 bytes; it has 33", as: "public-key-32"),
        point("34-bytes", byteCount: 34) { $0.compressed + [0] }
            .tested("refuse a public key of 34 bytes; it has 33", as: "public-key-34"),
        point("x-only", byteCount: 32) { Array(x($0)) },
        point("one-byte", byteCount: 1) { _ in [0] },
        point(
            "uncompressed", "key 0 in the uncompressed form, 65 bytes", rule: "HT-QR-26", failure: "wrong-length"
        ) { $0.uncompressed }
        .tested("refuse an uncompressed public key"),
    ]

    private static let points = [
        point("off-curve", "no point of the curve has this X") {
            [$0.compressed[0]] + CraftedPoint.offCurveByX($0.uncompressed)[CraftedPoint.x]
        },
        point("off-curve-other-sign", "nor with the other sign") {
            [$0.compressed[0] ^ 1] + CraftedPoint.offCurveByX($0.uncompressed)[CraftedPoint.x]
        },
        point("x-above-prime", "X is not below the field's prime") { _ in [2] + .ones(P256.scalarByteCount) }
            .tested("refuse a public key that is not a point of the curve", as: "public-key-off-curve"),
        point("x-is-prime", "X equals the field's prime") { _ in [2] + CraftedPoint.prime },
        point("all-zero", "33 zero bytes: the form byte is 00") { _ in .zeros(P256.compressedByteCount) }
            .tested("refuse a public key of 33 zero bytes", as: "public-key-zero"),
        point("form-01", "form byte 01") { [0x01] + x($0) },
        point("form-04", "form byte 04 on 33 bytes") { [0x04] + x($0) }
            .tested("refuse a public key of 33 bytes that begins with 04, not 02 or 03", as: "public-key-form-4"),
        point("form-05", "form byte 05") { [0x05] + x($0) },
        point("form-06", "form byte 06 (hybrid form) on 33 bytes") { [0x06] + x($0) },
        point("form-ff", "form byte ff") { [0xff] + x($0) },
    ]

    // MARK: - The other fields

    private static let knownDomainsRule = "HT-QR-31"

    private static func knownDomains(_ type: String, _ value: CBORValue) -> Contents {
        with("known-domains-\(type)", "key 2 is a \(type)", key: Key.knownDomains, value, rule: knownDomainsRule)
    }

    private static func linking(_ type: String, _ value: CBORValue) -> Contents {
        with("linking-\(type)", "key 4 is not a bool (\(type))", key: Key.linking, value, rule: "HT-QR-38")
    }

    private static func hint(_ type: String, _ value: CBORValue) -> Contents {
        with("hint-\(type)", "key 5 is not text (\(type))", key: Key.hint, value, rule: "HT-QR-42")
    }

    private static let otherTypes = [
        knownDomains("text", "foo").tested("refuse a key 2 (known domains) that is text"),
        knownDomains("bytes", .bytes([2])), knownDomains("bool", true), knownDomains("null", .null),
        knownDomains("array", [2]), knownDomains("map", [:]),
        with("known-domains-negative", "key 2 is a negative integer", key: Key.knownDomains, -1, rule: "HT-QR-56")
            .tested("refuse a key 2 (known domains) that is negative"),
        linking("text", "true"), linking("bytes", .bytes([1])), linking("zero", 0),
        linking("one", 1).tested(
            "refuse a key 4 (linking) that is a number", as: "linking-number"),
        linking("null", .null), linking("array", [true]),
        hint("integer", 42).tested("refuse a key 5 (hint) that is a number", as: "hint-number"),
        hint("bytes", .bytes(Array("ga".utf8))).tested("refuse a key 5 (hint) that is a byte string"),
        hint("bool", false), hint("null", .null), hint("array", ["ga"]),
    ]
}
