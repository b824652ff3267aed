import CTAP
import Cryptography
import RelyingParty
import TestPeers
import Testing

@Suite struct PublicKeyTests {
    @Test("A key is written as a SubjectPublicKeyInfo and read back from it")
    func subjectPublicKeyInfo() throws {
        let point = try P256.PrivateKey.generate().publicKey.uncompressed
        let key = try PublicKey(point: point)
        #expect(key.subjectPublicKeyInfo.count == 91 && key.algorithm == .es256)
        #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
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
