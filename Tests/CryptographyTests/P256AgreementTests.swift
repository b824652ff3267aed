import Cryptography
import TestPeers
import Testing

/// Diffie-Hellman; the numbers are RFC 5903 section 8.1's.
@Suite struct P256AgreementTests {
    static let initiatorScalar = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
    static let initiatorPoint = """
        04 dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180
        5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3
        """
    static let responderScalar = "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"
    static let responderPoint = "04" + P256PublicKeyTests.x + P256PublicKeyTests.y
    static let shared = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"

    @Test("The published scalars have the published points")
    func publicHalves() throws {
        #expect(try privateKey(Self.initiatorScalar).publicKey == publicKey(Self.initiatorPoint))
        #expect(try privateKey(Self.responderScalar).publicKey == publicKey(Self.responderPoint))
    }

    @Test("Both ends of the published exchange have the published secret: X, unhashed")
    func published() throws {
        let initiators = try privateKey(Self.initiatorScalar).sharedSecret(with: publicKey(Self.responderPoint))
        let responders = try privateKey(Self.responderScalar).sharedSecret(with: publicKey(Self.initiatorPoint))
        #expect(hex(contents(initiators)) == Self.shared)
        #expect(hex(contents(responders)) == Self.shared)
    }

    @Test("The peer's point may have come compressed")
    func compressedPeer() throws {
        let peer = try publicKey("03" + P256PublicKeyTests.x)
        #expect(try hex(contents(privateKey(Self.initiatorScalar).sharedSecret(with: peer))) == Self.shared)
    }

    @Test("A key agrees with itself and with the generator")
    func edges() throws {
        let one = try privateKey(String(repeating: "00", count: 31) + "01")
        let key = try privateKey(Self.initiatorScalar)
        let x = key.publicKey.uncompressed[1..<33]
        #expect(try contents(one.sharedSecret(with: key.publicKey)) == Array(x))
        #expect(try contents(key.sharedSecret(with: one.publicKey)) == Array(x))
        #expect(try contents(key.sharedSecret(with: key.publicKey)).count == P256.scalarByteCount)
    }

    @Test("One private key serves many tasks at once")
    func concurrently() async throws {
        let key = SharedKey(try privateKey(Self.initiatorScalar))
        let peer = try publicKey(Self.responderPoint)
        let secrets = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 {
                group.addTask { try hex(contents(key.key.sharedSecret(with: peer))) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(secrets == [Self.shared])
    }
}

/// A private key that several tasks hold.
final class SharedKey: Sendable {
    let key: P256.PrivateKey

    init(_ key: consuming P256.PrivateKey) { self.key = key }
}

func privateKey(_ scalar: String) throws(CryptographyError) -> P256.PrivateKey {
    let scalar = bytes(scalar)
    return try P256.PrivateKey(scalar: scalar.span)
}
