import Conformance
import Encodings
import Testing

@testable import VectorCases

/// The generator's own cryptography and numbers: the product's modules refuse to make them or have no use for them.
@Suite("Cryptography of malformed messages")
struct CraftingTests {
    /// The X of P-256's generator (SP 800-186 section 3.2.1.3).
    private static let generatorX = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

    @Test("A key and its inverse have the generator as their Diffie-Hellman point", arguments: ["a", "b", "c"])
    func inverse(label: String) throws {
        let key = VectorSeed().privateKey(label)
        let order = Magnitude(VectorSeed.privateKeyCount) + 1
        let inverse = Magnitude(key).inverse(modulo: order).bigEndianBytes(key.count)
        let secret = try CraftedPoint.sharedSecret(inverse, CraftedPoint.publicKey(of: key))
        #expect(Hexadecimal.encode(secret) == Self.generatorX)
    }

    @Test("The point with the other Y belongs to the negated key")
    func negated() throws {
        let key = VectorSeed().privateKey("negated")
        let order = Magnitude(VectorSeed.privateKeyCount) + 1
        let negatedKey = (order - Magnitude(key)).bigEndianBytes(key.count)
        #expect(try CraftedPoint.negated(CraftedPoint.publicKey(of: key)) == CraftedPoint.publicKey(of: negatedKey))
    }

    /// Source: test case 3 of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B.
    @Test("AES-128-GCM gives the published ciphertext and tag")
    func halfKey() throws {
        let key = try #require(Hexadecimal.decode("feffe9928665731c6d6a8f9467308308"))
        let nonce = try #require(Hexadecimal.decode("cafebabefacedbaddecaf888"))
        let message = try #require(
            Hexadecimal.decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"))
        let sealed = try AES128GCM.seal(message, key: key, nonce: nonce)
        #expect(
            Hexadecimal.encode(sealed)
                == "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
                + "4d5c2af327cd64a62cf35abd2ba6fab4")
    }
}
