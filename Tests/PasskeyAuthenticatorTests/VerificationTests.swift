import CTAP
import Encodings
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// The verification of the user, and the requests that need it.
@Suite("User verification") struct VerificationTests {
    /// Answers that are approvals and prove nothing about the user.
    static let unproven: [ScriptedAnswer] = [
        .approved(verified: false, account: nil), .verifiedForAnother, .verifiedBefore(.seconds(121)),
        .verifiedBefore(.seconds(-10)),
    ]

    @Test("A yes, and a verification for another question or of another time, is presence", arguments: unproven)
    func presence(_ answer: ScriptedAnswer) async throws {
        let store = InMemoryCredentialStore()
        let authenticator = PasskeyAuthenticator(store: store, approval: ScriptedApproval(answer))
        var registration = Ceremony.registration()
        #expect(await authenticator.status(.makeCredential(registration)) == .operationDenied)
        registration.options.userVerification = nil
        #expect(await authenticator.status(.makeCredential(registration)) == .operationDenied)
        let blind = PasskeyAuthenticator(store: store, approval: ScriptedApproval(canVerify: false, answer))
        registration.extensions = ["credProtect": 3, "prf": Self.salts, "hmac-secret": true]
        let (made, _) = try await blind.register(registration)
        let data = try AuthenticatorData(decoding: made.authenticatorData.span)
        #expect(!data.flags.contains(.userVerified))
        #expect(data.extensions == ["credProtect": 3], "hmac-secret is not there without verification")
        #expect(PRFExtensionOutput(made.unsignedExtensionOutputs) == .init(enabled: true))
        var signIn = Ceremony.signIn()
        signIn.options.userVerification = nil
        #expect(await authenticator.status(.getAssertion(signIn)) == .operationDenied)
        #expect(await blind.status(.getAssertion(signIn)) == .noCredentials)
    }

    @Test("A verification for the question makes UV, the values of prf, and passkeys of credProtect 3 usable")
    func verified() async throws {
        let store = InMemoryCredentialStore()
        let authenticator = PasskeyAuthenticator(
            store: store, approval: ScriptedApproval(.verifiedBefore(.seconds(60))))
        var registration = Ceremony.registration()
        registration.extensions = ["credProtect": 3, "prf": Self.salts]
        let (made, _) = try await authenticator.register(registration)
        #expect(try AuthenticatorData(decoding: made.authenticatorData.span).flags.contains(.userVerified))
        #expect(PRFExtensionOutput(made.unsignedExtensionOutputs)?.results != nil)
        let signed = try await authenticator.signIn(Ceremony.signIn())
        #expect(try AuthenticatorData(decoding: signed.authenticatorData.span).flags.contains(.userVerified))
    }

    @Test("The lab's verification counts only for passkeys that nothing protects")
    func lab() async throws {
        let open = PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: ScriptedApproval(.lab))
        let (made, _) = try await open.register(Ceremony.registration())
        #expect(try AuthenticatorData(decoding: made.authenticatorData.span).flags.contains(.userVerified))
        let protected = PasskeyAuthenticator(store: ProtectedStore(), approval: ScriptedApproval(.lab))
        #expect(await protected.status(.makeCredential(Ceremony.registration())) == .operationDenied)
        let verified = PasskeyAuthenticator(store: ProtectedStore(), approval: ScriptedApproval(.yes))
        #expect(await verified.status(.makeCredential(Ceremony.registration())) == .ok)
    }

    @Test("At a terminal there is no verification: getInfo does not list it, and a request that needs it asks nobody")
    func terminal() async throws {
        let authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: TerminalApproval(path: "/nonexistent"))
        #expect(try GetInfoResponse(decoding: authenticator.getInfo().span).options["uv"] == nil)
        #expect(await authenticator.status(.makeCredential(Ceremony.registration())) == .invalidOption)
    }

    @Test("A yes that comes after the cancellation makes and signs nothing")
    func lateYes() async throws {
        let store = InMemoryCredentialStore()
        let registering = PasskeyAuthenticator(store: store, approval: ScriptedApproval(.yes))
        _ = try await registering.register(Ceremony.registration())
        for request in [
            CTAPRequest.makeCredential(Ceremony.registration(user: 2)), .getAssertion(Ceremony.signIn()),
            .getAssertion(Ceremony.signIn(rpID: "example.com")),
        ] {
            let status = await Task {
                await PasskeyAuthenticator(store: store, approval: LateYes()).status(request)
            }.value
            #expect(status == .keepaliveCancel)
        }
        #expect(await store.credentials().count == 1)
    }

    private static let salts: CBORValue = ["eval": ["first": .bytes([UInt8](repeating: 1, count: 32))]]
}

/// Says yes, and has verified the user, in a task that was cancelled meanwhile.
private struct LateYes: UserApproval {
    let canVerify = true

    func ask(_ question: ApprovalQuestion) async -> Approval {
        withUnsafeCurrentTask { $0?.cancel() }
        return ScriptedAnswer.yes.approval(for: question)
    }
}

/// Keeps passkeys as a vault does, as far as the authenticator can tell.
private struct ProtectedStore: CredentialStore {
    private let store = InMemoryCredentialStore()
    var protectsCredentials: Bool { true }

    func credentials() async throws(CredentialStoreError) -> [Credential] { await store.credentials() }
    func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential] {
        await store.credentials(rpID: rpID)
    }
    func add(_ credential: Credential) async throws(CredentialStoreError) { try await store.add(credential) }
    func update(_ credential: Credential) async throws(CredentialStoreError) { try await store.update(credential) }
    func remove(id: [UInt8]) async throws(CredentialStoreError) { try await store.remove(id: id) }
}
