import CTAP
import Encodings
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
        #expect(blind.questions.map(\.operation) == [status == .ok ? .signIn : .noPasskey])
    }

    @Test(
        "Without a question a credential is found as its level says",
        arguments: [(1, .ok), (2, .ok), (3, .noCredentials)] as [(UInt64, CTAPStatus)])
    func silently(_ level: UInt64, _ status: CTAPStatus) async throws {
        let credential = try await register(level)
        var request = Self.signIn(allow: [credential.credentialID])
        request.options.userPresence = false
        let approval = ScriptedApproval(.yes)
        #expect(await authenticator(approval).status(.getAssertion(request)) == status)
        #expect(approval.questions.isEmpty)
        request.allowList = []
        let unverified = ScriptedApproval(Self.unverified)
        #expect(await authenticator(unverified).status(.getAssertion(request)) == .operationDenied)
    }

    @Test("Where users can be verified, an approval without it is not enough for any level", arguments: [nil, 1, 2, 3])
    func asked(_ level: UInt64?) async throws {
        _ = try await register(level)
        let verification = ScriptedApproval(Self.unverified, .yes)
        let authenticator = authenticator(verification)
        #expect(await authenticator.status(.getAssertion(Self.signIn(allow: []))) == .operationDenied)
        #expect(await authenticator.status(.getAssertion(Self.signIn(allow: []))) == .ok)
        #expect(verification.questions.map(\.requiresVerification) == [true, true])
    }

    @Test("Of several accounts, one that needs verification is not offered where there is none")
    func offered() async throws {
        let open = try await register(1)
        _ = try await register(3, user: 2)
        let verification = ScriptedApproval(canVerify: false, Self.unverified)
        let response = try await authenticator(verification).signIn(Self.signIn(allow: []))
        #expect(response.credential?.id == open.credentialID)
        #expect(verification.questions[0].accounts.map(\.name) == ["user1"])
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

    @Test("Where nobody can be verified, a credential of level 3 is passed over in the exclude list, and no other is")
    func excludedWithoutVerification() async throws {
        let hidden = try await register(3)
        var request = Ceremony.registration(user: 2, exclude: [hidden.credentialID])
        request.options.userVerification = nil
        let blind = ScriptedApproval(canVerify: false, .declined, Self.unverified)
        #expect(await authenticator(blind).status(.makeCredential(request)) == .operationDenied)
        let (_, made) = try await authenticator(blind).register(request)
        request.excludeList.append(.init(id: made.credentialID))
        request.user.id = [3]
        #expect(await authenticator(blind).status(.makeCredential(request)) == .credentialExcluded)
        #expect(blind.questions.map(\.operation) == [.register, .register, .alreadyRegistered])
    }
}
