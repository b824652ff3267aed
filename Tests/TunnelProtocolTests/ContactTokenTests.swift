import Cryptography
import HybridProtocol
import Testing

@Suite("A contact token")
struct ContactTokenTests {
    private let issuer: ContactTokenIssuer
    private let token: ContactToken

    init() throws {
        issuer = try ContactTokenIssuer(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span))
        token = ContactToken(
            authenticator: try AuthenticatorID(P256.PrivateKey.generate().publicKey),
            label: try #require(ContactLabel([1, 2, 3, 4, 5, 6, 7, 8])))
    }

    @Test("is 41 bytes, the same ones always, and is known again")
    func roundTrip() throws {
        let contactID = issuer.contactID(of: token)
        #expect(contactID.count == 41)
        #expect(issuer.contactID(of: token) == contactID)
        #expect(issuer.token(contactID) == token)
        #expect(Array(contactID[17..<25]) == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("is known to a service that starts again with the same secret, and to no other")
    func secrets() throws {
        let contactID = issuer.contactID(of: token)
        let same = try ContactTokenIssuer(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span))
        let other = try ContactTokenIssuer(secret: SecretBytes.random(count: 32))
        #expect(same.token(contactID) == token)
        #expect(other.token(contactID) == nil)
    }

    @Test("of the previous secret is known too, and new ones are of the current one")
    func previousSecret() throws {
        let old = issuer.contactID(of: token)
        let current = try ContactTokenIssuer(secret: SecretBytes.random(count: 32), previous: issuer)
        let new = current.contactID(of: token)
        #expect(new != old)
        #expect(current.token(old) == token)
        #expect(current.token(new) == token)
        #expect(issuer.token(new) == nil)
        var wrong = old
        wrong[40] ^= 1
        #expect(current.token(wrong) == nil)
    }

    @Test("is unknown with any bit changed")
    func changed() throws {
        let contactID = issuer.contactID(of: token)
        for index in contactID.indices {
            for bit in 0..<8 {
                var wrong = contactID
                wrong[index] ^= 1 << bit
                #expect(issuer.token(wrong) == nil)
            }
        }
    }

    @Test("is unknown at any other length", arguments: [0, 1, 24, 25, 40, 42, 4096])
    func lengths(count: Int) throws {
        let contactID = issuer.contactID(of: token)
        #expect(
            issuer.token(Array(contactID.prefix(count)) + Array(repeating: 1, count: max(0, count - 41))) == nil)
    }

    @Test("needs a secret of 32 bytes", arguments: [0, 31, 33])
    func secretLength(count: Int) {
        #expect(throws: TunnelProtocolError(.wrongLength, reason: "")) {
            try ContactTokenIssuer(secret: SecretBytes(copying: [UInt8](repeating: 1, count: count).span))
        }
    }
}

@Suite("A contact label")
struct ContactLabelTests {
    @Test("is 8 bytes and nothing else")
    func lengths() {
        #expect(ContactLabel([255, 0, 1, 2, 3, 4, 5, 128])?.bytes == [255, 0, 1, 2, 3, 4, 5, 128])
        for count in [0, 7, 9] { #expect(ContactLabel([UInt8](repeating: 1, count: count)) == nil) }
    }
}
