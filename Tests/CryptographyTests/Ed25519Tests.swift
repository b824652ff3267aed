import Cryptography
import TestPeers
import Testing

@Suite struct Ed25519Tests {
    /// RFC 8032 section 7.1: seed, public key, message, signature.
    static let vectors = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155\
            5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
            """
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
            085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
            """
        ),
    ]

    @Test("The vectors of RFC 8032", arguments: vectors)
    func vector(_ seed: String, _ publicKey: String, _ message: String, _ signature: String) throws {
        let (seed, message, expected) = (bytes(seed), bytes(message), bytes(signature))
        let key = try Ed25519.PrivateKey(seed: seed.span)
        #expect(hex(key.publicKey.bytes) == publicKey)
        #expect(try key.sign(message.span) == expected)
        #expect(try key.publicKey.verify(signature: expected.span, of: message.span))
    }

    @Test("A key that was drawn comes back from its seed")
    func seed() throws {
        let key = try Ed25519.PrivateKey.generate()
        let seed = try key.seed()
        #expect(seed.count == Ed25519.seedByteCount)
        let again = try Ed25519.PrivateKey(seed: seed.span)
        #expect(again.publicKey == key.publicKey)
        #expect(try Ed25519.PrivateKey.generate().publicKey != key.publicKey)
    }

    @Test("No changed signature, cut signature or other message is good")
    func changed() throws {
        let key = try Ed25519.PrivateKey.generate()
        let message: [UInt8] = [1, 2, 3]
        let other: [UInt8] = [1, 2]
        let signature = try key.sign(message.span)
        #expect(signature.count == Ed25519.signatureByteCount)
        #expect(try key.publicKey.verify(signature: signature.span, of: message.span))
        for flipped in singleBitFlips(signature) {
            #expect(try !key.publicKey.verify(signature: flipped.span, of: message.span))
        }
        for count in [0, 1, 63] {
            let cut = Array(signature.prefix(count))
            #expect(try !key.publicKey.verify(signature: cut.span, of: message.span))
        }
        let long = signature + [0]
        #expect(try !key.publicKey.verify(signature: long.span, of: message.span))
        #expect(try !key.publicKey.verify(signature: signature.span, of: other.span))
    }

    @Test("Keys of another length are refused", arguments: [0, 31, 33, 64])
    func lengths(_ count: Int) {
        let wrong = [UInt8](repeating: 1, count: count)
        #expect(refusal { () throws(CryptographyError) in try Ed25519.PrivateKey(seed: wrong.span) } == .wrongLength)
        #expect(refusal { () throws(CryptographyError) in try Ed25519.PublicKey(wrong.span) } == .wrongLength)
    }
}
