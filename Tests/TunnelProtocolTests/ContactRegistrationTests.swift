import Cryptography
import HybridProtocol
import Testing

@Suite("A registration's proof")
struct ContactRegistrationTests {
    private static let host = "cable.example.com"
    private static let challenge = [UInt8](repeating: 9, count: 32)

    private func labels(_ count: Int) throws -> [ContactLabel] {
        try (0..<count).map { try #require(ContactLabel([UInt8](repeating: UInt8($0), count: 8))) }
    }

    private func registration(_ key: borrowing P256.PrivateKey, labels count: Int = 2, listens: Bool = true) throws
        -> ContactRegistration
    {
        try ContactRegistration(
            labels: try labels(count), listens: listens, host: Self.host, challenge: Self.challenge, key: key)
    }

    /// The same registration with something put in its place on the wire.
    private func reread(_ registration: ContactRegistration, replacing old: [UInt8], by new: [UInt8]) throws
        -> ContactRegistration
    {
        var bytes = AuthenticatorMessage.register(registration).encoded()
        let place = try #require(bytes.firstRange(of: old))
        bytes.replaceSubrange(place, with: new)
        guard case .register(let changed) = try AuthenticatorMessage(decoding: bytes) else { throw Unexpected() }
        return changed
    }

    private struct Unexpected: Error {}

    private let wrongProof = TunnelProtocolError(.wrongProof, reason: "")

    @Test("names the same authenticator whatever it registers", arguments: [0, 1, 64], [true, false])
    func good(count: Int, listens: Bool) throws {
        let key = try P256.PrivateKey.generate()
        let registration = try registration(key, labels: count, listens: listens)
        let authenticator = try registration.authenticator(host: Self.host, challenge: Self.challenge)
        #expect(authenticator == AuthenticatorID(key.publicKey))
        #expect(try registration.authenticator(host: "CABLE.example.COM", challenge: Self.challenge) == authenticator)
    }

    @Test("is wrong for another host", arguments: ["cable.example.org", "xcable.example.com", "cable.example.co", "a"])
    func otherHost(host: String) throws {
        let registration = try registration(P256.PrivateKey.generate())
        #expect(throws: wrongProof) { try registration.authenticator(host: host, challenge: Self.challenge) }
    }

    @Test("is wrong for another challenge, and so when it is replayed")
    func otherChallenge() throws {
        let registration = try registration(P256.PrivateKey.generate())
        #expect(throws: wrongProof) {
            try registration.authenticator(host: Self.host, challenge: [UInt8](repeating: 8, count: 32))
        }
    }

    @Test("is wrong with other labels, or another mode")
    func otherLabels() throws {
        let registration = try registration(P256.PrivateKey.generate())
        let label: [UInt8] = [UInt8](repeating: 1, count: 8)
        let changed = [
            try reread(registration, replacing: label, by: [UInt8](repeating: 2, count: 8)),
            try reread(
                registration, replacing: [0x82, 0x48] + [UInt8](repeating: 0, count: 8) + [0x48] + label,
                by: [0x81, 0x48] + label),
            try reread(registration, replacing: [0x04, 0xF5], by: [0x04, 0xF4]),
        ]
        for registration in changed {
            #expect(throws: wrongProof) { try registration.authenticator(host: Self.host, challenge: Self.challenge) }
        }
    }

    @Test("is wrong with another's key, or with one that is not a point")
    func otherKey() throws {
        let key = try P256.PrivateKey.generate()
        let registration = try registration(key)
        let own = key.publicKey.compressed
        let other = try P256.PrivateKey.generate().publicKey.compressed
        let noPoint = [0x02] + [UInt8](repeating: 0xFF, count: 32)
        for replacement in [other, noPoint] {
            let changed = try reread(registration, replacing: own, by: replacement)
            #expect(throws: wrongProof) { try changed.authenticator(host: Self.host, challenge: Self.challenge) }
        }
    }

    @Test("is made for at most 64 labels, a host that has a name, and a challenge of 32 bytes")
    func lengths() throws {
        let key = try P256.PrivateKey.generate()
        let wrongLength = TunnelProtocolError(.wrongLength, reason: "")
        let labels = try labels(65)
        #expect(throws: wrongLength) {
            try ContactRegistration(labels: labels, listens: true, host: Self.host, challenge: Self.challenge, key: key)
        }
        for host in ["", String(repeating: "a", count: 256)] {
            #expect(throws: wrongLength) {
                try ContactRegistration(labels: [], listens: true, host: host, challenge: Self.challenge, key: key)
            }
        }
        #expect(throws: wrongLength) {
            try ContactRegistration(labels: [], listens: true, host: Self.host, challenge: [1], key: key)
        }
    }
}
