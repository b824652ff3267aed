import CTAP
import Cryptography
import Encodings
import TestPeers
import Testing
import WebAuthnClient

@Suite struct PublicKeyTests {
    @Test("A key is written as a SubjectPublicKeyInfo and read back from it")
    func subjectPublicKeyInfo() throws {
        let point = try P256.PrivateKey.generate().publicKey.uncompressed
        let key = try PublicKey(point: point)
        #expect(key.subjectPublicKeyInfo.count == 91 && key.algorithm == .es256)
        #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
    }

    @Test(
        "A key of every algorithm is written and read back, and verifies its own signatures only",
        arguments: RelyingParty.algorithms)
    func algorithms(_ algorithm: COSEAlgorithm) throws {
        var authenticator = TestAuthenticator()
        authenticator.algorithm = algorithm
        let key = try PublicKey(authenticator.publicKey())
        #expect(key.algorithm == algorithm)
        #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
        let registration = try Lab.site().beginRegistration(
            userName: "alice", userID: Lab.user, attestation: .direct, algorithms: [algorithm])
        #expect(registration.request.parameters.map(\.algorithm) == [algorithm])
        let made = try authenticator.register(registration.request.clientDataHash)
        let verified = try registration.verify(made)
        #expect(verified.credential.publicKey == key && verified.attestation == .selfSigned)
        let signIn = try Lab.site().beginSignIn()
        var answer = try authenticator.signIn(signIn.request.clientDataHash, user: Lab.user)
        answer.signature[answer.signature.count - 1] ^= 1
        #expect(signIn.refusal(answer, known: verified.credential) == .badSignature)
        let second = try Lab.site().beginSignIn()
        answer = try authenticator.signIn(second.request.clientDataHash, user: Lab.user)
        #expect(second.refusal(answer, known: verified.credential) == nil)
    }

    @Test("Keys that do not fit their algorithm are refused")
    func noKeys() throws {
        var authenticator = TestAuthenticator()
        authenticator.algorithm = .rs256
        let numbers = try #require(try authenticator.publicKey().rs256)
        let wrong = [
            try COSEKey([1: 1, 3: -8, -1: 6, -2: .bytes([1])]),
            try COSEKey([1: 1, 3: -8, -1: 4, -2: .bytes(Lab.challenge)]),
            try COSEKey([1: 3, 3: -257, -1: .bytes(numbers.modulus)]),
            COSEKey(rs256: [UInt8](numbers.modulus.dropFirst()), exponent: numbers.exponent),
            COSEKey(rs256: numbers.modulus, exponent: [1]), try COSEKey([1: 3, 3: -37]),
        ]
        for key in wrong { #expect(try code { _ = try PublicKey(key) } == .badPublicKey) }
    }

    @Test("A point in another form, off the curve or at infinity is refused")
    func points() throws {
        let key = try P256.PrivateKey.generate().publicKey
        var moved = key.uncompressed
        moved[moved.count - 1] ^= 1
        let hybrid = [6] + key.uncompressed.dropFirst()
        let points: [[UInt8]] = [[], [0], key.compressed, moved, key.uncompressed + [0], hybrid]
        for point in points {
            #expect(try code { _ = try PublicKey(point: point) } == .badPublicKey, "\(hex(point))")
        }
    }

    @Test("Another SubjectPublicKeyInfo is refused, wherever it differs")
    func otherForms() throws {
        let right = try TestAuthenticator().record().publicKey.subjectPublicKeyInfo
        for index in right.indices {
            var wrong = right
            wrong[index] ^= 1
            #expect(try code { _ = try PublicKey(subjectPublicKeyInfo: wrong) } == .badPublicKey, "byte \(index)")
            let cut = [UInt8](right.prefix(index))
            #expect(try code { _ = try PublicKey(subjectPublicKeyInfo: cut) } == .badPublicKey, "\(index) bytes")
        }
    }
}
