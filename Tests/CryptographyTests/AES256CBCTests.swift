import Cryptography
import TestPeers
import Testing

/// ``AES256CBC``.
@Suite struct AES256CBCTests {
    static let key = bytes("603deb1015ca71be 2b73aef0857d7781 1f352c073b6108d7 2d9810a30914dff4")
    static let vector = bytes("0001020304050607 08090a0b0c0d0e0f")

    @Test("The first block of NIST's example comes out, and its message again (SP 800-38A, F.2.5 and F.2.6)")
    func example() throws {
        let message = bytes("6bc1bee22e409f96 e93d7e117393172a")
        let encrypted = try AES256CBC.encrypt(message.span, key: Self.key.span, vector: Self.vector.span)
        #expect(hex(encrypted) == "f58c4c04d6e5f1ba779eabfb5f7bfbd6")
        let decrypted = try AES256CBC.decrypt(encrypted.span, key: Self.key.span, vector: Self.vector.span)
        #expect(contents(decrypted) == message)
    }

    @Test("Parts of blocks are refused", arguments: [1, 15, 17, 33])
    func parts(count: Int) throws {
        let message = [UInt8](repeating: 3, count: count)
        for isEncrypting in [true, false] {
            let code = refusal { () throws(CryptographyError) in
                if isEncrypting {
                    _ = try AES256CBC.encrypt(message.span, key: Self.key.span, vector: Self.vector.span)
                } else {
                    _ = try AES256CBC.decrypt(message.span, key: Self.key.span, vector: Self.vector.span)
                }
            }
            #expect(code == .authenticationFailed)
        }
    }

    @Test("Keys have 32 bytes, and vectors 16", arguments: [(16, 16), (31, 16), (32, 0), (32, 17)])
    func lengths(key: Int, vector: Int) {
        let (key, vector) = ([UInt8](repeating: 0, count: key), [UInt8](repeating: 0, count: vector))
        let code = refusal { () throws(CryptographyError) in
            _ = try AES256CBC.encrypt(Self.vector.span, key: key.span, vector: vector.span)
        }
        #expect(code == .wrongLength)
    }
}
