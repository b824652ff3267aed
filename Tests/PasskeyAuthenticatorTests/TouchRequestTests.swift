import CTAP
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// Registrations that nobody wants made, and relying parties that are none.
@Suite struct TouchRequestTests {
    private static let transports: [PasskeyAuthenticator.Transport] = [.hybrid, .usb]
    private let store = InMemoryCredentialStore()

    private func authenticator(
        _ approval: ScriptedApproval, _ transport: PasskeyAuthenticator.Transport = .hybrid
    ) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: approval, transport: transport)
    }

    /// A registration as clients send it for a touch.
    private func registration(_ rpID: String, _ name: String?, residentKey: Bool? = nil) -> MakeCredentialRequest {
        MakeCredentialRequest(
            clientDataHash: Ceremony.hash, rp: .init(id: rpID, name: nil),
            user: .init(id: [1], name: name, displayName: nil), options: .init(residentKey: residentKey))
    }

    @Test(
        "A registration that only wants a touch asks which authenticator it is, and makes nothing, by whatever transport",
        arguments: [(".dummy", "dummy"), (".dummy", nil), ("make.me.blink", "make.me.blink"), ("localhost", "dummy")],
        transports)
    func touch(_ user: (rpID: String, name: String?), _ transport: PasskeyAuthenticator.Transport) async {
        for (answer, status) in [
            (ScriptedAnswer.yes, CTAPStatus.pinNotSet), (.approved(verified: false, account: nil), .pinNotSet),
            (.declined, .operationDenied), (.timedOut, .userActionTimeout), (.cancelled, .keepaliveCancel),
        ] {
            let approval = ScriptedApproval(answer)
            let request = CTAPRequest.makeCredential(registration(user.rpID, user.name))
            #expect(await authenticator(approval, transport).status(request) == status)
            #expect(approval.questions == [ApprovalQuestion(operation: .select, rpID: "")])
        }
        #expect(await store.credentials().isEmpty)
    }

    @Test("A registration that looks alike is made, or refused")
    func alike() async throws {
        let approval = ScriptedApproval(.yes)
        let authenticator = authenticator(approval)
        _ = try await authenticator.register(registration("localhost", "alice"))
        _ = try await authenticator.register(registration("localhost", "dummy", residentKey: true))
        #expect(await store.credentials().count == 2)
        #expect(approval.questions.map(\.operation) == [.register, .register])
        let request = CTAPRequest.makeCredential(registration(".dummy", "dummy", residentKey: true))
        #expect(await authenticator.status(request) == .invalidParameter)
        #expect(approval.questions.count == 2)
    }

    @Test(
        "A relying party that is neither a domain name nor a program's is refused before anybody is asked",
        arguments: [
            ".example.com", "example..com", "exa mple.com", "ex\u{e4}mple.com", "example.com/", "example.org\u{0}",
            "example.org\u{202e}gro\u{1b}[2J", "[::1]", ":", "1x:example", "ssh:\u{1b}[2J",
            String(repeating: "a", count: 64) + ".example",
        ])
    func noRelyingParty(rpID: String) async {
        let approval = ScriptedApproval(.yes)
        let authenticator = authenticator(approval)
        let registration = CTAPRequest.makeCredential(Ceremony.registration(rpID: rpID))
        #expect(await authenticator.status(registration) == .invalidParameter)
        let signIn = CTAPRequest.getAssertion(Ceremony.signIn(rpID: rpID))
        #expect(await authenticator.status(signIn) == .invalidParameter)
        #expect(approval.questions.isEmpty)
    }

    @Test(
        "Domain names of all kinds, and the identifiers of programs, are taken",
        arguments: [
            "localhost", "example.com", "Example.com", "a_b.example", "127.0.0.1", "xn--caf-dma.example",
            "io.systemd.cryptsetup", "ssh:", "ssh:mail server", "pam://laptop", "https://example.com/appid.json",
            String(repeating: "a", count: 63) + ".example",
        ])
    func relyingParty(rpID: String) async throws {
        let authenticator = authenticator(ScriptedApproval(.yes))
        _ = try await authenticator.register(Ceremony.registration(rpID: rpID))
        _ = try await authenticator.signIn(Ceremony.signIn(rpID: rpID))
        #expect(await store.credentials().map(\.rpID) == [rpID])
    }
}
