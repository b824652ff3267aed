internal import Cryptography
package import Encodings

/// The keys of a linking map.
package enum LinkingKey {
    package static let contactID = 1
    package static let linkID = 2
    package static let secret = 3
    package static let publicKey = 4
    package static let name = 5
    package static let signature = 6
}

/// Linking data as an authenticator makes them, of which the malformed ones are made.
package struct HonestLinkingData: Sendable {
    /// The linking map.
    package let map: CBORMap
    /// The Diffie-Hellman secret of the client's key and the authenticator's: 32 bytes.
    package let sharedSecret: [UInt8]
    /// The session that the map is signed for: 32 bytes.
    package let handshakeHash: [UInt8]

    /// Makes linking data.
    package init(map: CBORMap, sharedSecret: [UInt8], handshakeHash: [UInt8]) {
        self.map = map
        self.sharedSecret = sharedSecret
        self.handshakeHash = handshakeHash
    }

    /// The bytes of a field; none for the name.
    func bytes(_ key: Int) -> [UInt8] { map[key]?.bytesValue ?? [] }

    /// The map with another value for a field; nil takes it out.
    func with(_ key: Int, _ value: CBORValue?) -> CBORMap { map.with(CBORValue(Int64(key)), value) }
}

/// Malformed linking maps.
package enum LinkingMalformations {
    typealias Linking = Malformation<HonestLinkingData, CBORMap>

    // MARK: - Fields

    private struct Field {
        let key: Int
        let name: String
        /// The part of the runner's case names.
        let caseName: String
        /// The lengths that are wrong, and true for those that the runner tests.
        let lengths: [(count: Int, isTested: Bool)]
        /// The length that is right; 0 if there are several.
        var byteCount = 0
    }

    private static let allFields = [
        Field(
            key: LinkingKey.contactID, name: "contact ID", caseName: "contact-id", lengths: [(0, true), (4097, false)]),
        Field(
            key: LinkingKey.linkID, name: "link ID", caseName: "link-id", lengths: [(0, true), (7, true), (9, true)],
            byteCount: 8),
        Field(
            key: LinkingKey.secret, name: "link secret", caseName: "secret",
            lengths: [(0, true), (31, true), (33, true)], byteCount: 32),
        Field(
            key: LinkingKey.publicKey, name: "public key", caseName: "public-key",
            lengths: [(0, true), (33, false), (64, true), (66, true)], byteCount: P256.uncompressedByteCount),
        Field(key: LinkingKey.name, name: "name", caseName: "name", lengths: []),
        Field(
            key: LinkingKey.signature, name: "signature", caseName: "signature",
            lengths: [(0, true), (4, false), (16, true), (31, true), (33, true)], byteCount: HMACSHA256.byteCount),
    ]

    /// Maps with a field that is missing, of another type, or of another length.
    package static let fields: [Malformation<HonestLinkingData, CBORMap>] =
        allFields.flatMap { [missing($0)] + mistyped($0) } + allFields.flatMap(resized)

    private static func missing(_ field: Field) -> Linking {
        Linking("without-\(field.key)", "no \(field.name)", rule: "HT-LNK-23", failure: "missing-field") {
            $0.with(field.key, nil)
        }
        .tested("drop linking data without a \(field.name)", as: "\(field.caseName)-missing")
    }

    private static func mistyped(_ field: Field) -> [Linking] {
        func type(_ type: String, _ value: CBORValue) -> Linking {
            Linking(
                "\(field.key)-\(type)", "the \(field.name) is of another type: \(type)", rule: "HT-LNK-24",
                failure: "wrong-type"
            ) { $0.with(field.key, value) }
        }
        let isName = field.key == LinkingKey.name
        let string = isName ? type("bytes", .bytes(Array("Phone".utf8))) : type("text", "Phone")
        return [type("integer", 1), type("null", .null), type("array", []), type("map", [:]), type("bool", true)] + [
            string.tested(
                "drop linking data with a \(field.name) that is not \(isName ? "text" : "a byte string")",
                as: "\(field.caseName)-type")
        ]
    }

    /// The rule on the length of a field.
    private static func lengthRule(_ field: Field, _ count: Int) -> String {
        switch field.key {
        case LinkingKey.contactID: count == 0 ? "HT-LNK-28" : "HT-TUN-15"
        case LinkingKey.publicKey: "HT-LNK-25"
        case LinkingKey.signature: "HT-LNK-27"
        default: "HT-LNK-26"
        }
    }

    /// Fields of another length, of the bytes that they had or more of the same.
    private static func resized(_ field: Field) -> [Linking] {
        field.lengths.map { count, isTested in
            let resized = Linking(
                "\(field.key)-\(count)-bytes", "the \(field.name) has \(count) bytes", rule: lengthRule(field, count),
                failure: "wrong-length", flags: [.boundary]
            ) { honest in
                let bytes = honest.bytes(field.key)
                return honest.with(field.key, .bytes((0..<count).map { bytes[$0 % bytes.count] }))
            }
            guard isTested else { return resized }
            guard field.key != LinkingKey.contactID else {
                return resized.tested(
                    "drop linking data with an empty contact ID", as: "contact-id-empty")
            }
            return resized.tested(
                "drop linking data with a \(field.name) of \(count) bytes; it has \(field.byteCount)",
                as: "\(field.caseName)-of-\(count)")
        }
    }

    // MARK: - Points

    private static func point(
        _ slug: String, _ comment: String, _ change: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> Linking {
        Linking("point-\(slug)", comment, rule: "HT-LNK-29", failure: "invalid-point", flags: [.curve]) {
            try $0.with(LinkingKey.publicKey, .bytes(change($0.bytes(LinkingKey.publicKey))))
        }
    }

    /// Public keys that are not points, under a signature that would be right for their owner.
    package static let points: [Malformation<HonestLinkingData, CBORMap>] = [
        point("off-curve-y", "a Y that does not fit") { CraftedPoint.offCurveByY($0, bitOfLastByte: 7) }
            .tested(
                "drop linking data whose public key is not a point of the curve", as: "public-key-off-curve"),
        point("off-curve-x", "an X that no point has") { CraftedPoint.offCurveByX($0) },
        point("zeros", "65 zeros") { .zeros($0.count) },
        point("04-zeros", "04 and zeros: not a way to write infinity") { _ in CraftedPoint.uncompressedZeros }
            .tested("drop linking data whose public key has the coordinates 0, 0", as: "public-key-zero"),
        point("hybrid", "the hybrid form of a good point") { CraftedPoint.hybridForm($0) }
            .tested(
                "drop linking data with a public key in hybrid form (06 or 07)", as: "public-key-hybrid-form"),
        point("compressed-padded", "a compressed point, filled up with zeros") {
            try CraftedPoint.compressedAndPadded($0)
        },
        point("x-is-prime", "an X that is the prime itself") { CraftedPoint.primeAsX($0) },
        point("y-is-prime", "a Y that is the prime itself") { _ in CraftedPoint.primeAsY },
        point("ones", "coordinates above the prime") { _ in CraftedPoint.uncompressedOnes },
    ]

    // MARK: - Signatures

    private static func signature(
        _ slug: String, _ comment: String, _ make: @escaping @Sendable (HonestLinkingData) throws -> [UInt8]
    ) -> Linking {
        Linking("signature-\(slug)", comment, rule: "HT-LNK-30", failure: "bad-signature", flags: [.tamper]) {
            try $0.with(LinkingKey.signature, .bytes(make($0)))
        }
    }

    private static func flipped(_ bit: Int) -> Linking {
        signature("bit-\(bit)", "bit \(bit) of the signature flipped") {
            $0.bytes(LinkingKey.signature).flipping(bit: bit)
        }
    }

    /// Signatures that were changed.
    package static let signatures: [Malformation<HonestLinkingData, CBORMap>] = [
        flipped(0),
        flipped(7).tested(
            "drop linking data with a signature whose first bit is changed", as: "signature-first-bit"),
        flipped(8), flipped(100), flipped(127), flipped(128), flipped(200),
        flipped(255).tested(
            "drop linking data with a signature whose last byte is changed", as: "signature-last-bit"),
        signature("zeros", "a signature of zeros") { _ in .zeros(HMACSHA256.byteCount) }
            .tested("drop linking data with a signature of 32 zero bytes", as: "signature-zero"),
        signature("ones", "a signature of ones") { _ in .ones(HMACSHA256.byteCount) },
    ]

    private static func mistake(
        _ slug: String, _ make: @escaping @Sendable (HonestLinkingData) throws -> [UInt8]
    ) -> Linking { signature(slug, "a plausible mistake in making the signature: \(slug)", make) }

    /// Plausible mistakes in how the signature is made.
    package static let mistakes: [Malformation<HonestLinkingData, CBORMap>] = [
        mistake("secret-alone") { $0.sharedSecret },
        mistake("roles-exchanged") { hmac($0.sharedSecret, key: $0.handshakeHash) },
        mistake("of-nothing") { hmac([], key: $0.sharedSecret) }
            .tested(
                "drop linking data whose signature does not cover the handshake hash", as: "signature-empty-hash"),
        mistake("link-secret") { hmac($0.handshakeHash, key: $0.bytes(LinkingKey.secret)) }
            .tested("drop linking data signed with the link's secret", as: "signature-by-secret"),
        mistake("hashed-secret") {
            let hashed = HKDFSHA256.derive(
                secret: $0.sharedSecret.span, salt: Span(), info: Span(), byteCount: SHA256.byteCount)
            return hmac($0.handshakeHash, key: hashed.copiedBytes)
        },
    ]
}
