internal import CBOR
internal import Cryptography
internal import JSON

// Maps that must be refused: for a field, for the point, for the signature.

extension LinkingCases {
    private static let fields: [(key: SignedLinkingMap.Key, name: String)] = [
        (.contactID, "contact ID"), (.linkID, "link ID"), (.linkSecret, "link secret"), (.publicKey, "public key"),
        (.name, "name"), (.signature, "signature"),
    ]

    mutating func addFields() throws {
        for (key, name) in Self.fields {
            try refuse(
                "without-\(key.rawValue)", "no \(name)", honest.verifying(honest.with(key, nil)), "missing-field")
            for (type, value) in Self.otherTypes(of: key) {
                try refuse(
                    "\(key.rawValue)-\(type)", "the \(name) is of another type: \(type)",
                    honest.verifying(honest.with(key, value)), "wrong-type")
            }
        }
        try addLengths()
        try refuse("empty", "an empty map", honest.verifying([:]), "missing-field")
        let shifted = CBORMap(
            honest.map.entries.map { entry in
                CBORMap.Entry(key: CBORValue((entry.key.integerValue ?? 0) + 1), value: entry.value)
            })
        try refuse("shifted", "all keys one too high", honest.verifying(shifted), "missing-field", [.order])
    }

    private static func otherTypes(of key: SignedLinkingMap.Key) -> [(type: String, value: CBORValue)] {
        let text = "Phone"
        let stringOfOtherType: (String, CBORValue) =
            key == .name ? ("bytes", .bytes(Array(text.utf8))) : ("text", .text(text))
        return [("integer", 1), ("null", .null), ("array", []), ("map", [:]), ("bool", true), stringOfOtherType]
    }

    private mutating func addLengths() throws {
        let lengths: [SignedLinkingMap.Key: [Int]] = [
            .contactID: [0, 4097], .linkID: [0, 7, 9], .linkSecret: [0, 31, 33], .publicKey: [0, 33, 64, 66],
            .signature: [0, 4, 16, 31, 33],
        ]
        for (key, name) in Self.fields {
            for count in lengths[key] ?? [] {
                let value = honest[key]
                let resized = (0..<count).map { value[$0 % value.count] }
                try refuse(
                    "\(key.rawValue)-\(count)-bytes", "the \(name) has \(count) bytes",
                    honest.verifying(honest.with(key, .bytes(resized))), "wrong-length", [.boundary])
            }
        }
    }

    mutating func addPoints() throws {
        let point = honest[.publicKey]
        let points: [(slug: String, comment: String, point: [UInt8])] = [
            ("off-curve-y", "a Y that does not fit", CraftedPoint.offCurveByY(point, bitOfLastByte: 7)),
            ("off-curve-x", "an X that no point has", CraftedPoint.offCurveByX(point)),
            ("zeros", "65 zeros", .zeros(point.count)),
            ("04-zeros", "04 and zeros: not a way to write infinity", CraftedPoint.uncompressedZeros),
            ("hybrid", "the hybrid form of a good point", CraftedPoint.hybridForm(point)),
            (
                "compressed-padded", "a compressed point, filled up with zeros",
                try CraftedPoint.compressedAndPadded(point)
            ),
            ("x-is-prime", "an X that is the prime itself", CraftedPoint.primeAsX(point)),
            ("y-is-prime", "a Y that is the prime itself", CraftedPoint.primeAsY),
            ("ones", "coordinates above the prime", CraftedPoint.uncompressedOnes),
        ]
        for (slug, comment, point) in points {
            try refuse(
                "point-\(slug)", comment, honest.verifying(honest.with(.publicKey, .bytes(point))), "invalid-point",
                [.curve])
        }
        try verify(
            "point-negated",
            "the same X with the other Y gives the same Diffie-Hellman secret, so the signature holds; the link is to a "
                + "key that nobody can use",
            honest.verifying(honest.with(.publicKey, .bytes(CraftedPoint.negated(point)))), [.curve], .implied)
    }
}

// Signatures.

extension LinkingCases {
    mutating func addSignatures() throws {
        let signature = honest[.signature]
        for bit in [0, 7, 8, 100, 127, 128, 200, 255] {
            try refuse(
                signature: "bit-\(bit)", "bit \(bit) of the signature flipped", signature.flipping(bit: bit))
        }
        try refuse(signature: "zeros", "a signature of zeros", .zeros(signature.count))
        try refuse(signature: "ones", "a signature of ones", .ones(signature.count))
        try addOthersSignatures()
        try addMistakes()
    }

    private mutating func refuse(signature slug: String, _ comment: String, _ signature: [UInt8]) throws {
        try refuse(
            "signature-\(slug)", comment, honest.verifying(honest.with(.signature, .bytes(signature))),
            "bad-signature", [.tamper])
    }

    /// Good signatures, but of something else.
    private mutating func addOthersSignatures() throws {
        let input = honest.verifying()
        let clientPublic = try honest.input.bytes("client_public")
        let inputs: [(slug: String, comment: String, input: CaseFields)] = [
            (
                "other-session", "signed for another session",
                input.with("handshake_hash", .hex(other.handshakeHash))
            ),
            (
                "other-client", "signed for another client's QR code",
                input.with("static_private", .hex(other.clientPrivate))
            ),
            (
                "other-key", "somebody else's key under this signature",
                honest.verifying(honest.with(.publicKey, .bytes(other[.publicKey])))
            ),
            (
                "of-other-map", "the signature of another map",
                honest.verifying(honest.with(.signature, .bytes(other[.signature])))
            ),
            (
                "client-key", "the client's own key comes back",
                honest.verifying(honest.with(.publicKey, .bytes(clientPublic)))
            ),
        ]
        for (slug, comment, input) in inputs {
            try refuse("signature-\(slug)", comment, input, "bad-signature", [.order])
        }
    }

    /// What one could take for the way in which the signature is made.
    private mutating func addMistakes() throws {
        let secret = try CraftedPoint.sharedSecret(honest.clientPrivate, honest[.publicKey])
        let hashed = try HKDFSHA256.derive(
            secret: secret.span, salt: Span(), info: Span(), byteCount: SHA256.byteCount
        ).copiedBytes
        let hash = honest.handshakeHash
        let signatures: [(slug: String, signature: [UInt8])] = [
            ("secret-alone", secret),
            ("roles-exchanged", try hmac(secret, key: hash)),
            ("of-nothing", try hmac([], key: secret)),
            ("link-secret", try hmac(hash, key: honest[.linkSecret])),
            ("hashed-secret", try hmac(hash, key: hashed)),
        ]
        for (slug, signature) in signatures {
            try refuse(signature: slug, "a plausible mistake in making the signature: \(slug)", signature)
        }
    }

    /// What is not signed, so that nobody thinks that it is.
    mutating func addUnsigned() throws {
        let unsigned: [(key: SignedLinkingMap.Key, name: String)] = [
            (.contactID, "contact id"), (.linkID, "link id"), (.linkSecret, "link secret"), (.name, "name"),
        ]
        for (key, name) in unsigned {
            try verify(
                "unsigned-\(key.rawValue)",
                "another \(name) under the same signature: it covers only the session and the key",
                honest.verifying(honest.with(key, other.map[key.rawValue])))
        }
    }
}
