import Cryptography
import TestPeers
import Testing

/// ECDSA with SHA-256; the numbers are RFC 6979 appendix A.2.5's, put into DER.
@Suite struct P256SignatureTests {
    static let scalar = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
    static let point = """
        04 60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6
        7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299
        """
    static let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    static let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    static let signatureOfSample = "3046022100\(r)022100\(s)"
    static let signatureOfTest = """
        3045022100 f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367
        0220 019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083
        """
    /// The order of the curve: adding it to R or S gives a number that is equal in the group, but out of range.
    static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    @Test("The published signatures are good", arguments: [("sample", signatureOfSample), ("test", signatureOfTest)])
    func published(message: String, signature: String) throws {
        #expect(try privateKey(Self.scalar).publicKey == publicKey(Self.point))
        #expect(try verify(bytes(signature), of: Array(message.utf8)))
    }

    @Test("A good signature is not one of another message or under another key")
    func otherMessageAndKey() throws {
        #expect(try !verify(bytes(Self.signatureOfSample), of: Array("Sample".utf8)))
        #expect(try !verify(bytes(Self.signatureOfSample), of: []))
        let signature = bytes(Self.signatureOfSample)
        let message = Array("sample".utf8)
        let other = try publicKey(P256AgreementTests.initiatorPoint)
        #expect(try !other.verify(signature: signature.span, of: message.span))
    }

    @Test("Every flipped bit, every truncation and an added byte make it no signature")
    func malformed() throws {
        let good = bytes(Self.signatureOfSample)
        let message = Array("sample".utf8)
        for flipped in singleBitFlips(good) { #expect(try !verify(flipped, of: message)) }
        for count in good.indices { #expect(try !verify(Array(good.prefix(count)), of: message)) }
        #expect(try !verify(good + [0], of: message))
    }

    /// The mistake, and the bytes.
    static let refusals: [(name: String, signature: String)] = [
        ("R is zero", "3026 020100 022100\(s)"),
        ("S is zero", "3026 022100\(r)020100"),
        ("R is the order", "3046 022100\(order)022100\(s)"),
        ("S is the order", "3046 022100\(r)022100\(order)"),
        ("R is negative", "3045 0220\(r)022100\(s)"),
        ("R has a zero too many", "3047 02220000\(r)022100\(s)"),
        ("the length is in a longer form", "308146 022100\(r)022100\(s)"),
        ("the length is indefinite", "3080 022100\(r)022100\(s)0000"),
        ("R and S bare, as COSE and JOSE have them", "\(r)\(s)"),
        ("a set, not a sequence", "3146 022100\(r)022100\(s)"),
        ("a third number", "3049 022100\(r)022100\(s)020101"),
    ]

    @Test("What is not DER, or out of range, is not a signature", arguments: refusals)
    func notSignatures(name: String, signature: String) throws {
        #expect(try !verify(bytes(signature), of: Array("sample".utf8)), "\(name)")
    }

    @Test("What is signed here is verified here, at any length", arguments: [0, 1, 32, 63, 64, 65, 10_000])
    func signs(count: Int) throws {
        let message = [UInt8](repeating: 0xa5, count: count)
        let key = try P256.PrivateKey.generate()
        let signature = try key.sign(message.span)
        #expect(8...72 ~= signature.count)
        #expect(try key.publicKey.verify(signature: signature.span, of: message.span))
        #expect(try !key.publicKey.verify(signature: signature.span, of: (message + [0]).span))
    }

    @Test("One key signs for many tasks at once, and each signature is good")
    func concurrently() async throws {
        let key = SharedKey(try .generate())
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let message = [UInt8(index)]
                    let signature = try key.key.sign(message.span)
                    return try key.key.publicKey.verify(signature: signature.span, of: message.span)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(good == 64)
    }

    private func verify(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
        try publicKey(Self.point).verify(signature: signature.span, of: message.span)
    }
}
