import Cryptography
import TestPeers
import Testing

@Suite struct RSATests {
    @Test("A key that was drawn has 2048 bits, signs, and comes back from PKCS #8")
    func generated() throws {
        let key = try RSA.PrivateKey.generate()
        #expect(key.publicKey.modulus.count == RSA.generatedBitCount / UInt8.bitWidth)
        #expect(key.publicKey.modulus.first.map { $0 >= 0x80 } == true)
        #expect(key.publicKey.exponent == [1, 0, 1])
        let again = try privateKey(contents(key.pkcs8()))
        #expect(again.publicKey == key.publicKey)
        let message: [UInt8] = [1, 2, 3]
        let other: [UInt8] = [1, 2]
        let signature = try again.sign(message.span)
        #expect(signature.count == key.publicKey.modulus.count)
        #expect(try key.publicKey.verify(signature: signature.span, of: message.span))
        #expect(try !key.publicKey.verify(signature: signature.span, of: other.span))
        for index in stride(from: 0, to: signature.count, by: 5) {
            var changed = signature
            changed[index] ^= 1
            #expect(try !key.publicKey.verify(signature: changed.span, of: message.span))
        }
        let none: [UInt8] = []
        #expect(try !key.publicKey.verify(signature: none.span, of: message.span))
    }

    @Test("A public key is its two numbers, and its SubjectPublicKeyInfo")
    func publicKey() throws {
        let key = try RSA.PrivateKey.generate().publicKey
        let same = try RSA.PublicKey(modulus: key.modulus, exponent: key.exponent)
        #expect(same == key)
        let der = try key.subjectPublicKeyInfo()
        #expect(der.count == 294)
        #expect(try RSA.PublicKey(subjectPublicKeyInfo: der.span) == key)
        for wrong in [[], Array(der.dropLast()), der + [0], Array(der.dropFirst())] {
            #expect(
                refusal { () throws(CryptographyError) in try RSA.PublicKey(subjectPublicKeyInfo: wrong.span) }
                    == .invalidKey)
        }
    }

    @Test("Numbers that are not a public key are refused")
    func badNumbers() throws {
        let modulus = try RSA.PrivateKey.generate().publicKey.modulus
        var even = modulus
        even[255] &= 0xfe
        let odd: [UInt8] = [1, 0, 1]
        let wrong: [([UInt8], [UInt8])] = [
            ([], odd), (modulus, []), (even, odd), (modulus, [1]), (modulus, [2]), (modulus, [0, 3]),
            ([0] + modulus, odd),
            (Array(modulus.dropFirst()), odd), (modulus, [1, 0, 0, 0, 1]),
            ([UInt8](repeating: 0xff, count: 513), odd),
        ]
        for (modulus, exponent) in wrong {
            let code = refusal { () throws(CryptographyError) in
                try RSA.PublicKey(modulus: modulus, exponent: exponent)
            }
            #expect(code == .invalidKey, "\(modulus.count) bytes, exponent \(exponent)")
        }
    }

    @Test("What is not a private RSA key, or one of another kind, is refused")
    func badPrivateKeys() throws {
        let whole = try contents(RSA.PrivateKey.generate().pkcs8())
        // An Ed25519 key in PKCS #8 (RFC 8410 section 10.3).
        let other = bytes("302e020100300506032b657004220420") + [UInt8](repeating: 7, count: 32)
        for wrong in [[], [0x30], Array(whole.dropLast()), whole + [0], other] {
            #expect(refusal { () throws(CryptographyError) in try privateKey(wrong) } == .invalidKey)
        }
    }

    private func privateKey(_ der: [UInt8]) throws(CryptographyError) -> RSA.PrivateKey {
        try RSA.PrivateKey(pkcs8: der.span)
    }
}
