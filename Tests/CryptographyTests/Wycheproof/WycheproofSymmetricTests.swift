import Cryptography
import Testing

/// Wycheproof's cases for AES-GCM and HKDF, and cases of the same kinds for HMAC.
@Suite struct WycheproofSymmetricTests {
    struct AEADCase: WycheproofCase {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: WycheproofResult
        let key: Hexadecimal
        let iv: Hexadecimal
        let aad: Hexadecimal
        let msg: Hexadecimal
        let ct: Hexadecimal
        let tag: Hexadecimal
    }

    struct AEADGroup: Decodable, Sendable {
        let ivSize: Int
        let keySize: Int
        let tagSize: Int
        let tests: [AEADCase]

        /// True for AES-256-GCM with a nonce of 12 and a tag of 16 bytes. Nonces of other lengths are not values of our
        /// type.
        var isOurs: Bool {
            keySize == AES256GCM.keyByteCount * 8 && ivSize == AES256GCM.nonceByteCount * 8
                && tagSize == AES256GCM.tagByteCount * 8
        }
    }

    @Test("AES-256-GCM seals to what is published, and opens nothing else: 66 cases; other keys are refused: 211")
    func aesGCM() throws {
        let file = try WycheproofFile<AEADGroup>.named("Wycheproof/aes_gcm_test.json")
        let ours = file.testGroups.filter(\.isOurs).flatMap(\.tests)
        #expect(ours.count == 66)
        #expect(file.testGroups.flatMap(\.tests).count == file.numberOfTests)
        for test in ours {
            let nonce = AES256GCM.Nonce { test.iv.bytes[$0] }
            let isValid = test.result == .valid
            var sealer = try AES256GCM.Sealer(key: test.key.bytes.span)
            var message = test.msg.bytes
            try sealer.seal(&message, nonce: nonce, authenticatedData: test.aad.bytes.span)
            #expect((message == test.ct.bytes + test.tag.bytes) == isValid, "\(test.testDescription)")

            var opener = try AES256GCM.Opener(key: test.key.bytes.span)
            var sealed = test.ct.bytes + test.tag.bytes
            do throws(CryptographyError) {
                try opener.open(&sealed, nonce: nonce, authenticatedData: test.aad.bytes.span)
                #expect(isValid && sealed == test.msg.bytes, "\(test.testDescription)")
            } catch {
                #expect(!isValid && error.code == .authenticationFailed && sealed.isEmpty, "\(test.testDescription)")
            }
        }
        let otherKeys = file.testGroups.filter { $0.keySize != AES256GCM.keyByteCount * 8 }.flatMap(\.tests)
        #expect(otherKeys.count == 211)
        for test in otherKeys {
            let code = refusal { () throws(CryptographyError) in try AES256GCM.Opener(key: test.key.bytes.span) }
            #expect(code == .wrongLength, "\(test.testDescription)")
        }
    }

    struct HKDFCase: WycheproofCase {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: WycheproofResult
        let ikm: Hexadecimal
        let salt: Hexadecimal
        let info: Hexadecimal
        let size: Int
        let okm: Hexadecimal
    }

    struct Group<Case: WycheproofCase>: Decodable, Sendable {
        let tests: [Case]
    }

    @Test("HKDF-SHA-256 derives what is published, and no more than 8160 bytes: 86 cases")
    func hkdf() throws {
        let file = try WycheproofFile<Group<HKDFCase>>.named("Wycheproof/hkdf_sha256_test.json")
        let tests = file.testGroups.flatMap(\.tests)
        #expect(tests.count == 86)
        #expect(file.numberOfTests == tests.count)
        for test in tests {
            // Those that are invalid want more than there is.
            #expect((test.result == .valid) == (test.size <= HKDFSHA256.maximumByteCount), "\(test.testDescription)")
            guard test.result == .valid else { continue }
            let derived = HKDFSHA256.derive(
                secret: test.ikm.bytes.span, salt: test.salt.bytes.span, info: test.info.bytes.span,
                byteCount: test.size)
            #expect(contents(derived) == test.okm.bytes, "\(test.testDescription)")
        }
    }

    struct MACCase: WycheproofCase {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: WycheproofResult
        let key: Hexadecimal
        let msg: Hexadecimal
        let tag: Hexadecimal
    }

    @Test("HMAC-SHA-256 has the codes that Python computes, and takes no other: 216 cases")
    func hmac() throws {
        let file = try WycheproofFile<Group<MACCase>>.named("Generated/hmac_sha256_test.json")
        let tests = file.testGroups.flatMap(\.tests)
        #expect(tests.count == 216)
        #expect(file.numberOfTests == tests.count)
        for test in tests {
            var mac = HMACSHA256(key: test.key.bytes.span)
            let isValid = mac.isValid(test.tag.bytes.span, for: test.msg.bytes.span)
            #expect(isValid == (test.result == .valid), "\(test.testDescription)")
            if isValid {
                let code = mac.authenticationCode(for: test.msg.bytes.span)
                #expect(code.starts(with: test.tag.bytes), "\(test.testDescription)")
            }
        }
    }
}
