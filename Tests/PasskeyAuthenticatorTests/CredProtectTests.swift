import CBOR
import CTAP
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// The extension credProtect (CTAP 2.2 section 12.1).
@Suite struct CredProtectTests {
    let store = InMemoryCredentialStore()
    static let unverified = ScriptedAnswer.approved(verified: false, account: nil)

    private func authenticator(_ verification: ScriptedApproval) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: verification)
    }

    private func register(_ level: UInt64?, user: UInt8 = 1) async throws -> AttestedCredential {
        var request = Ceremony.registration(user: user)
        request.extensions["credProtect"] = level.map(CBORValue.unsigned)
        let (made, credential) = try await authenticator(ScriptedApproval(.yes)).register(request)
        let data = try AuthenticatorData(decoding: made.authenticatorData.span)
        #expect(data.extensions == level.map { ["credProtect": .unsigned($0)] })
        #expect(data.flags.contains(.extensions) == (level != nil))
        #expect(made.unsignedExtensionOutputs.isEmpty)
        return credential
    }

    private static func signIn(allow: [[UInt8]]) -> GetAssertionRequest {
        var request = Ceremony.signIn(allow: allow)
        request.options.userVerification = nil
        return request
    }

    @Test(
        "A credential is found without verification as its level says",
        arguments: [
            (nil, false, .ok), (1, false, .ok), (1, true, .ok), (2, false, .noCredentials), (2, true, .ok),
            (3, false, .noCredentials), (3, true, .noCredentials),
        ] as [(UInt64?, Bool, CTAPStatus)])
    func withoutVerification(_ level: UInt64?, _ named: Bool, _ status: CTAPStatus) async throws {
        let credential = try await register(level)
        let request = Self.signIn(allow: named ? [credential.credentialID] : [])
        let blind = ScriptedApproval(canVerify: false, Self.unverified)
        #expect(await authenticator(blind).status(.getAssertion(request)) == status)
        #expect(blind.questions.isEmpty == (status == .noCredentials))
    }

    @Test("Where users can be verified, the question says that it takes that, and an approval without it is not enough")
    func asked() async throws {
        _ = try await register(3)
        let verification = ScriptedApproval(Self.unverified, .yes)
        let authenticator = authenticator(verification)
        #expect(await authenticator.status(.getAssertion(Self.signIn(allow: []))) == .operationDenied)
        #expect(await authenticator.status(.getAssertion(Self.signIn(allow: []))) == .ok)
        #expect(verification.questions.map(\.requiresVerification) == [true, true])
    }

    @Test("Of several accounts, one that needs verification cannot be chosen without it")
    func chosen() async throws {
        let open = try await register(1)
        _ = try await register(3, user: 2)
        let verification = ScriptedApproval(.approved(verified: false, account: 0), Self.unverified)
        let authenticator = authenticator(verification)
        #expect(await authenticator.status(.getAssertion(Self.signIn(allow: []))) == .operationDenied)
        let response = try await authenticator.signIn(Self.signIn(allow: []))
        #expect(response.credential?.id == open.credentialID)
        #expect(!verification.questions[0].requiresVerification)
    }

    @Test(
        "That a credential of level 3 is excluded shows only to a verified user",
        arguments: [
            (.yes, .credentialExcluded), (.declined, .operationDenied), (.timedOut, .userActionTimeout),
            (.approved(verified: false, account: nil), .operationDenied),
        ] as [(ScriptedAnswer, CTAPStatus)])
    func excluded(_ answer: ScriptedAnswer, _ status: CTAPStatus) async throws {
        let credential = try await register(3)
        let request = Ceremony.registration(user: 2, exclude: [credential.credentialID])
        #expect(await authenticator(ScriptedApproval(answer)).status(.makeCredential(request)) == status)
    }
}
