import Cryptography
import TestPeers
import Testing

/// FIPS 197; the numbers are its appendix C.3's and SP 800-38A's appendices F.1.5 and F.1.6.
@Suite struct AES256BlockTests {
    struct Case: Sendable {
        let key: [UInt8]
        let plaintext: [UInt8]
        let ciphertext: [UInt8]

        init(_ key: String, _ plaintext: String, _ ciphertext: String) {
            (self.key, self.plaintext, self.ciphertext) = (bytes(key), bytes(plaintext), bytes(ciphertext))
        }
    }

    static let modesKey = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
    static let cases = [
        Case(
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"),
        Case(modesKey, "6bc1bee22e409f96e93d7e117393172a", "f3eed1bdb5d2a03c064b5a7e3db181f8"),
        Case(modesKey, "ae2d8a571e03ac9c9eb76fac45af8e51", "591ccb10d410ed26dc5ba74a31362870"),
        Case(modesKey, "30c81c46a35ce411e5fbc1191a0a52ef", "b6ed21b99ca6f4f9f153e7b1beafed1d"),
        Case(modesKey, "f69f2445df4f9b17ad2b417be66c3710", "23304b7a39f9f3ff067d8d8f9e24ecc7"),
    ]

    @Test("The published blocks come out in both directions", arguments: cases)
    func published(_ test: Case) throws {
        var encrypt = try AES256Block(key: test.key.span, .encrypt)
        var decrypt = try AES256Block(key: test.key.span, .decrypt)
        #expect(try encrypt.transform(test.plaintext.span) == test.ciphertext)
        #expect(try decrypt.transform(test.ciphertext.span) == test.plaintext)
    }

    @Test("One key serves many blocks: nothing is chained from one to the next")
    func reuse() throws {
        let key = bytes(Self.modesKey)
        var encrypt = try AES256Block(key: key.span, .encrypt)
        var decrypt = try AES256Block(key: key.span, .decrypt)
        for test in (0..<3).flatMap({ _ in Self.cases.dropFirst() }) {
            #expect(try encrypt.transform(test.plaintext.span) == test.ciphertext)
            #expect(try decrypt.transform(test.ciphertext.span) == test.plaintext)
        }
    }

    @Test("A key of another length is refused", arguments: [0, 16, 24, 31, 33])
    func keyLength(count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        let code = refusal { () throws(CryptographyError) in try AES256Block(key: key.span, .encrypt) }
        #expect(code == .wrongLength)
    }

    @Test("A block of another length is refused, and the next one is not touched by it", arguments: [0, 1, 15, 17, 32])
    func blockLength(count: Int) throws {
        let test = Self.cases[0]
        let block = [UInt8](repeating: 1, count: count)
        var encrypt = try AES256Block(key: test.key.span, .encrypt)
        let code = refusal { () throws(CryptographyError) in try encrypt.transform(block.span) }
        #expect(code == .wrongLength)
        #expect(try encrypt.transform(test.plaintext.span) == test.ciphertext)
    }
}
