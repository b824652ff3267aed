internal import Conformance
internal import Cryptography
internal import Encodings

// Maps that must be refused: for a field, for the point, for the signature.

extension LinkingCases {
    private mutating func refuse(_ malformations: [Malformation<HonestLinkingData, CBORMap>]) throws {
        try layer.invalid(
            malformations, of: honest.data, prefix: "verify-", operation: "linking.verify"
        ) { [honest] in honest.verifying($0) }
    }

    mutating func addFields() throws {
        try refuse(LinkingMalformations.fields)
        try refuse("empty", "an empty map", rule: "HT-LNK-23", input: honest.verifying([:]), failure: "missing-field")
        let shifted = CBORMap(
            honest.map.entries.map { entry in
                CBORMap.Entry(key: CBORValue((entry.key.integerValue ?? 0) + 1), value: entry.value)
            })
        try refuse(
            "shifted", "all keys one too high", rule: "HT-LNK-23", input: honest.verifying(shifted),
            failure: "missing-field",
            flags: [.order])
    }

    mutating func addPoints() throws {
        try refuse(LinkingMalformations.points)
        try verify(
            "point-negated",
            "the same X with the other Y gives the same Diffie-Hellman secret, so the signature holds; the link is to "
                + "a key that nobody can use",
            rule: "HT-LNK-30",
            input: honest.verifying(honest.with(.publicKey, .bytes(CraftedPoint.negated(honest[.publicKey])))),
            flags: [.curve])
    }
}

// Signatures.

extension LinkingCases {
    mutating func addSignatures() throws {
        try refuse(LinkingMalformations.signatures)
        try addOthersSignatures()
        try refuse(LinkingMalformations.mistakes)
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
            try refuse(
                "signature-\(slug)", comment, rule: "HT-LNK-30", input: input, failure: "bad-signature", flags: [.order]
            )
        }
    }

    /// Parts that the signature does not cover: a change of them is accepted.
    mutating func addUnsigned() throws {
        let unsigned: [(key: SignedLinkingMap.Key, name: String)] = [
            (.contactID, "contact id"), (.linkID, "link id"), (.linkSecret, "link secret"), (.name, "name"),
        ]
        for (key, name) in unsigned {
            try verify(
                "unsigned-\(key.rawValue)",
                "another \(name) under the same signature: it covers only the session and the key",
                rule: "HT-LNK-39",
                input: honest.verifying(honest.with(key, other.map[key.rawValue])))
        }
    }
}
