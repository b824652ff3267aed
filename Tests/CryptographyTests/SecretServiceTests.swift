import Cryptography
import TestPeers
import Testing

/// Refusals of ``OakleyGroup2`` and ``AES128CBC``; their results are compared with a peer's in ``PeerTests``.
@Suite struct SecretServiceTests {
    /// The prime of RFC 2409 section 6.2, less one.
    static let largest =
        bytes(
            """
            ffffffffffffffff c90fdaa22168c234 c4c6628b80dc1cd1 29024e088a67cc74 020bbea63b139b22 514a08798e3404dd
            ef9519b3cd3a431b 302b0a6df25f1437 4fe1356d6d51c245 e485b576625e7ec6 f44c42e9a637ed6b 0bff5cb6f406b7ed
            ee386bfb5a899fa5 ae9f24117c4b1fe6 49286651ece65381 fffffffffffffffe
            """)

    @Test(
        "A value whose powers are few or none is refused",
        arguments: [
            [], [0], [1], [0, 1], largest, [UInt8](repeating: 0xff, count: 128), [UInt8](repeating: 2, count: 129),
        ])
    func values(_ value: [UInt8]) throws {
        let group = try OakleyGroup2()
        #expect(refusal { () throws(CryptographyError) in try group.sharedSecret(with: value.span) } == .invalidPoint)
    }

    @Test("Blocks without padding at their end, and parts of blocks, are refused", arguments: [0, 1, 15, 17, 32])
    func padding(count: Int) throws {
        // The first random block without padding: most are.
        let key = [UInt8](repeating: 1, count: AES128CBC.keyByteCount)
        let message = [UInt8](repeating: 3, count: count)
        let code = refusal { () throws(CryptographyError) in
            try AES128CBC.decrypt(message.span, key: key.span, vector: key.span)
        }
        #expect(code == .authenticationFailed)
    }

    @Test("Keys and vectors have 16 bytes", arguments: [(15, 16), (32, 16), (16, 0), (16, 17)])
    func lengths(key: Int, vector: Int) {
        let (key, vector) = ([UInt8](repeating: 0, count: key), [UInt8](repeating: 0, count: vector))
        let code = refusal { () throws(CryptographyError) in
            try AES128CBC.encrypt(key.span, key: key.span, vector: vector.span)
        }
        #expect(code == .wrongLength)
    }
}
