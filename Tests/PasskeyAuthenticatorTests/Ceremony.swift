import CTAP
import Cryptography
import Encodings
import Synchronization
import UserVerification

@testable import PasskeyAuthenticator

/// Answers questions as a test says, and remembers them.
final class ScriptedApproval: UserApproval {
    let canVerify: Bool
    private let answers: Mutex<[ScriptedAnswer]>
    private let asked = Mutex<[ApprovalQuestion]>([])

    /// The last answer is given again and again.
    init(canVerify: Bool = true, _ answers: ScriptedAnswer...) {
        self.canVerify = canVerify
        self.answers = Mutex(answers)
    }

    var questions: [ApprovalQuestion] { asked.withLock { $0 } }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        asked.withLock { $0.append(question) }
        let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .unavailable }
        return answer.approval(for: question)
    }
}

/// Requests and their results.
enum Ceremony {
    static let hash = [UInt8](repeating: 0xc5, count: 32)

    static func registration(
        rpID: String = "example.org", user: UInt8 = 1, exclude: [[UInt8]] = [], residentKey: Bool? = true,
        formats: [String] = []
    ) -> MakeCredentialRequest {
        MakeCredentialRequest(
            clientDataHash: hash, rp: .init(id: rpID, name: "Example"),
            user: .init(id: [user], name: "user\(user)", displayName: "User \(user)"),
            excludeList: exclude.map { .init(id: $0) },
            options: .init(residentKey: residentKey, userVerification: true),
            attestationFormatsPreference: formats)
    }

    static func signIn(rpID: String = "example.org", allow: [[UInt8]] = []) -> GetAssertionRequest {
        GetAssertionRequest(
            rpID: rpID, clientDataHash: hash, allowList: allow.map { .init(id: $0) },
            options: .init(userVerification: true))
    }
}

extension PasskeyAuthenticator {
    func status(_ request: CTAPRequest) async -> CTAPStatus { await response(request).status }

    func response(_ request: CTAPRequest) async -> CTAPResponse {
        let answer = await respond(to: request.encoded())
        return (try? CTAPResponse(decoding: answer.span)) ?? CTAPResponse(status: CTAPStatus(rawValue: 0xff))
    }

    /// Registers, and checks the parts that every registration must have.
    func register(_ request: MakeCredentialRequest) async throws -> (MakeCredentialResponse, AttestedCredential) {
        let response = await response(.makeCredential(request))
        guard response.status.isSuccess else { throw CTAPFailure(response.status, "register") }
        let made = try MakeCredentialResponse(decoding: response.payload.span)
        let data = try AuthenticatorData(decoding: made.authenticatorData.span)
        guard let credential = data.attestedCredential else { throw CTAPFailure(.other, "no credential") }
        return (made, credential)
    }

    func signIn(_ request: GetAssertionRequest) async throws -> GetAssertionResponse {
        let response = await response(.getAssertion(request))
        guard response.status.isSuccess else { throw CTAPFailure(response.status, "sign in") }
        return try GetAssertionResponse(decoding: response.payload.span)
    }
}

extension COSEKey {
    /// True if this key has signed authenticator data and client data hash.
    func verifies(_ signature: [UInt8]?, _ authenticatorData: [UInt8], _ hash: [UInt8]) throws -> Bool {
        guard let signature else { return false }
        let message = authenticatorData + hash
        if let point = es256Point {
            return try P256.PublicKey(x963: point.span).verify(signature: signature.span, of: message.span)
        }
        if let ed25519 {
            return try Ed25519.PublicKey(ed25519.span).verify(signature: signature.span, of: message.span)
        }
        guard let (modulus, exponent) = rs256 else { return false }
        return try RSA.PublicKey(modulus: modulus, exponent: exponent)
            .verify(signature: signature.span, of: message.span)
    }
}
