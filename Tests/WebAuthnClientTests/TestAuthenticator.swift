import CTAP
import Cryptography
import Encodings
import Foundation
import WebAuthnClient

/// An authenticator with one passkey, whose answers can be made wrong in one thing.
struct TestAuthenticator {
    var rpID = "example.com"
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    var signCount: UInt32 = 0
    var aaguid = [UInt8](0..<16)
    var credentialID = [UInt8](repeating: 0xc1, count: 32)
    var algorithm = COSEAlgorithm.es256
    /// The private key for ES256 and EdDSA.
    var scalar = [UInt8](repeating: 7, count: 32)
    var extensions: CBORMap?
    /// Bytes appended to the authenticator data before it is signed.
    var trailing: [UInt8] = []

    /// The private key for RS256, PKCS #8; drawn once.
    private static let rsaKey = Result {
        let key = try RSA.PrivateKey.generate()
        let secret = try key.pkcs8()
        return secret.span.withUnsafeBufferPointer { Array($0) }
    }

    func publicKey() throws -> COSEKey {
        switch algorithm {
        case .edDSA: return try COSEKey(ed25519: Ed25519.PrivateKey(seed: scalar.span).publicKey.bytes)
        case .rs256:
            let der = try Self.rsaKey.get()
            let key = try RSA.PrivateKey(pkcs8: der.span)
            return COSEKey(rs256: key.publicKey.modulus, exponent: key.publicKey.exponent)
        default:
            let point = try P256.PrivateKey(scalar: scalar.span).publicKey.uncompressed
            return try COSEKey(es256: point.span)
        }
    }

    func sign(_ data: [UInt8], _ clientDataHash: [UInt8]) throws -> [UInt8] {
        let message = data + clientDataHash
        switch algorithm {
        case .edDSA: return try Ed25519.PrivateKey(seed: scalar.span).sign(message.span)
        case .rs256:
            let der = try Self.rsaKey.get()
            return try RSA.PrivateKey(pkcs8: der.span).sign(message.span)
        default: return try P256.PrivateKey(scalar: scalar.span).sign(message.span)
        }
    }

    /// Authenticator data with a credential of any key, or without one.
    func data(_ key: COSEKey?) throws -> [UInt8] {
        let id = [UInt8](rpID.utf8)
        let credential = try key.map {
            try AttestedCredential(aaguid: aaguid, credentialID: credentialID, publicKey: $0)
        }
        return try AuthenticatorData(
            rpIDHash: SHA256.hash(id.span), flags: flags, signCount: signCount, attestedCredential: credential,
            extensions: extensions
        ).encoded() + trailing
    }

    /// A new credential with packed self-attestation.
    func register(_ clientDataHash: [UInt8], key: COSEKey? = nil) throws -> MakeCredentialResponse {
        let data = try data(key ?? publicKey())
        return MakeCredentialResponse(
            format: AttestationObject.packedFormat, authenticatorData: data,
            attestationStatement: ["alg": CBORValue(algorithm.rawValue), "sig": .bytes(try sign(data, clientDataHash))])
    }

    /// A new credential without a statement.
    func registerWithoutStatement(key: COSEKey? = nil) throws -> MakeCredentialResponse {
        MakeCredentialResponse(
            format: AttestationObject.noneFormat, authenticatorData: try data(key ?? publicKey()),
            attestationStatement: [:])
    }

    /// A sign-in with a discoverable credential.
    func signIn(_ clientDataHash: [UInt8], user: [UInt8]? = nil) throws -> GetAssertionResponse {
        let data = try data(nil)
        return GetAssertionResponse(
            credential: .init(id: credentialID), authenticatorData: data, signature: try sign(data, clientDataHash),
            user: user.map { .init(id: $0, name: "", displayName: "") })
    }

    /// A relying party's record of this passkey.
    func record(user: [UInt8] = Lab.user, signCount: UInt32 = 0) throws -> RegisteredCredential {
        let key = try PublicKey(publicKey())
        return RegisteredCredential(
            id: credentialID, publicKey: key, user: .init(id: user, name: "alice", displayName: "Alice"),
            signCount: signCount, aaguid: aaguid, isBackupEligible: flags.contains(.backupEligible),
            isBackedUp: flags.contains(.backupState), transports: Transports.standard)
    }
}

/// Values that many tests share.
enum Lab {
    static let user: [UInt8] = [1, 2, 3, 4]
    static let challenge = [UInt8](repeating: 0x42, count: 32)

    static func site() throws -> RelyingParty { try RelyingParty(id: "example.com", name: "Example") }

    /// A file under Fixtures, decoded.
    static func fixture<Value: Decodable>(_ name: String) throws -> Value {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }
}

extension Registration {
    /// The code by which an answer is refused; nil if it is not.
    consuming func refusal(
        _ response: MakeCredentialResponse, clientDataJSON: [UInt8]? = nil
    ) -> RelyingPartyError.Code? {
        let clientDataJSON = clientDataJSON ?? self.clientDataJSON
        do {
            _ = try verify(response.attestationObject, clientDataJSON: clientDataJSON)
            return nil
        } catch {
            return error.code
        }
    }
}

extension SignIn {
    /// The code by which an answer is refused; nil if it is not.
    consuming func refusal(
        _ response: GetAssertionResponse, clientDataJSON: [UInt8]? = nil, known: RegisteredCredential
    ) -> RelyingPartyError.Code? {
        let clientDataJSON = clientDataJSON ?? self.clientDataJSON
        do {
            _ = try verify(response, clientDataJSON: clientDataJSON) { $0 == known.id ? known : nil }
            return nil
        } catch {
            return error.code
        }
    }
}

/// The code of the error that a relying party throws, or nil if it throws none.
func code(_ body: () throws -> Void) throws -> RelyingPartyError.Code? {
    do {
        try body()
        return nil
    } catch let error as RelyingPartyError {
        return error.code
    }
}
