import Cryptography
import Testing

/// Wycheproof's points for ECDH with P-256: off the curve, of other curves, of no form, and edge cases of the
/// arithmetic.
@Suite struct WycheproofAgreementTests {
    struct Case: WycheproofCase {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: WycheproofResult
        let `public`: Hexadecimal
        let `private`: Hexadecimal
        let shared: Hexadecimal
    }

    struct Group: Decodable, Sendable {
        let curve: String
        let encoding: String
        let tests: [Case]
    }

    @Test("Each point agrees on the published secret, or is refused: 355 cases")
    func points() throws {
        let file = try WycheproofFile<Group>.named("Wycheproof/ecdh_secp256r1_ecpoint_test.json")
        let tests = file.testGroups.flatMap(\.tests)
        #expect(tests.count == 355)
        #expect(file.numberOfTests == tests.count)
        #expect(file.testGroups.allSatisfy { $0.curve == "secp256r1" && $0.encoding == "ecpoint" })
        for test in tests {
            let scalar = try #require(test.private.number(byteCount: P256.scalarByteCount))
            let key = try P256.PrivateKey(scalar: scalar.span)
            let point = test.public.bytes
            switch test.result {
            // We read compressed points, which makes the one acceptable case a valid one.
            case .valid, .acceptable:
                let shared = try key.sharedSecret(with: P256.PublicKey(x963: point.span))
                #expect(contents(shared) == test.shared.bytes, "\(test.testDescription)")
            case .invalid:
                let code = refusal { () throws(CryptographyError) in try P256.PublicKey(x963: point.span) }
                #expect(code == .invalidPoint, "\(test.testDescription)")
            }
        }
    }
}
