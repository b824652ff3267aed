import Cryptography
import Testing

/// Wycheproof's signatures: encodings, ranges, edge cases of the arithmetic, forgeries.
@Suite struct WycheproofSignatureTests {
    struct Case: WycheproofCase {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: WycheproofResult
        let msg: Hexadecimal
        let sig: Hexadecimal
    }

    struct Group<Key: Decodable & Sendable>: Decodable, Sendable {
        let publicKey: Key
        let tests: [Case]
    }

    struct Point: Decodable, Sendable { let uncompressed: Hexadecimal }
    struct Edwards: Decodable, Sendable { let pk: Hexadecimal }
    struct Numbers: Decodable, Sendable {
        let modulus: Hexadecimal
        let publicExponent: Hexadecimal
    }

    /// Judges every case, and returns those among the acceptable ones that were accepted.
    private func check<Key>(
        _ file: WycheproofFile<Group<Key>>, count: Int, _ verify: (Key, Case) throws -> Bool
    ) throws -> [Case] {
        var accepted: [Case] = []
        var judged = 0
        for group in file.testGroups {
            for test in group.tests {
                let isGood = try verify(group.publicKey, test)
                judged += 1
                switch test.result {
                case .valid: #expect(isGood, "\(test.testDescription)")
                case .invalid: #expect(!isGood, "\(test.testDescription)")
                case .acceptable: if isGood { accepted.append(test) }
                }
            }
        }
        #expect(judged == count)
        #expect(file.numberOfTests == count)
        return accepted
    }

    @Test("ECDSA with P-256 and SHA-256: 484 cases")
    func ecdsa() throws {
        let file = try WycheproofFile<Group<Point>>.named("Wycheproof/ecdsa_secp256r1_sha256_test.json")
        _ = try check(file, count: 484) { key, test in
            try P256.PublicKey(x963: key.uncompressed.bytes.span)
                .verify(signature: test.sig.bytes.span, of: test.msg.bytes.span)
        }
    }

    @Test("Ed25519: 210 cases; keys of small or mixed order are taken where the equation without cofactor holds")
    func ed25519() throws {
        let file = try WycheproofFile<Group<Edwards>>.named("Wycheproof/ed25519_test.json")
        let accepted = try check(file, count: 210) { key, test in
            try Ed25519.PublicKey(key.pk.bytes.span).verify(signature: test.sig.bytes.span, of: test.msg.bytes.span)
        }
        #expect(Set(accepted.flatMap(\.flags)).isSubset(of: ["SmallOrderPublicKey", "MixedOrderPublicKey"]))
    }

    @Test("RSA with 2048 bits, PKCS #1 v1.5 and SHA-256: 259 cases; a hash without its NULL is refused")
    func rsa() throws {
        let file = try WycheproofFile<Group<Numbers>>.named("Wycheproof/rsa_signature_2048_sha256_test.json")
        let accepted = try check(file, count: 259) { key, test in
            let modulus = Array(key.modulus.bytes.drop { $0 == 0 })
            let exponent = Array(key.publicExponent.bytes.drop { $0 == 0 })
            return try RSA.PublicKey(modulus: modulus, exponent: exponent)
                .verify(signature: test.sig.bytes.span, of: test.msg.bytes.span)
        }
        #expect(accepted.isEmpty)
    }
}
