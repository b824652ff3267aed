import CTAP
import Encodings
import LinuxSupport
import Testing

@testable import PasskeyAuthenticator
@testable import UserVerification

/// Hostile and mistaken requests.
@Suite struct HostileInputTests {
    let store = InMemoryCredentialStore()

    private func authenticator(_ verification: ScriptedApproval) -> PasskeyAuthenticator {
        PasskeyAuthenticator(store: store, approval: verification)
    }

    @Test("Names of 300 kB are cut, in the question as well as in the store")
    func longNames() async throws {
        let verification = ScriptedApproval(.yes)
        var request = Ceremony.registration()
        let long = String(repeating: "x", count: 300_000)
        request.user.name = long
        request.user.displayName = long
        request.rp.name = long
        _ = try await authenticator(verification).register(request)
        let cut = String(repeating: "x", count: Credential.maxNameByteCount)
        #expect(verification.questions[0].accounts == [.init(name: cut, displayName: cut)])
        #expect(verification.questions[0].rpName == cut)
        #expect(await store.credentials().map(\.userDisplayName) == [cut])
    }

    @Test("Lists of thousands are searched to their end")
    func longLists() async throws {
        let (_, credential) = try await authenticator(ScriptedApproval(.yes)).register(Ceremony.registration())
        let foreign = (0..<5000).map { number in [UInt8](repeating: UInt8(number & 0xff), count: 64) + [1] }
        let list = foreign + [credential.credentialID]
        let response = try await authenticator(ScriptedApproval(.yes)).signIn(Ceremony.signIn(allow: list))
        #expect(response.credential?.id == credential.credentialID)
        let excluding = CTAPRequest.makeCredential(Ceremony.registration(user: 2, exclude: list))
        #expect(await authenticator(ScriptedApproval(.yes)).status(excluding) == .credentialExcluded)
    }

    @Test("A request above the limit, or of more items than the limit, is refused before anybody is asked")
    func tooMuch() async throws {
        let verification = ScriptedApproval(.yes)
        let authenticator = authenticator(verification)
        var request = Ceremony.registration()
        request.user.name = String(repeating: "x", count: PasskeyAuthenticator.maxMessageByteCount)
        #expect(await authenticator.status(.makeCredential(request)) == .requestTooLarge)
        request = Ceremony.registration()
        request.extensions["x"] = .array(.init(repeating: 0, count: 1 << 16))
        #expect(await authenticator.status(.makeCredential(request)) == .requestTooLarge)
        let foreign = (0..<15_000).map { number in
            [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 0xff)]
        }
        let signIn = CTAPRequest.getAssertion(Ceremony.signIn(allow: foreign))
        #expect(signIn.encoded().count < PasskeyAuthenticator.maxMessageByteCount)
        #expect(await authenticator.status(signIn) == .requestTooLarge)
        request = Ceremony.registration()
        request.extensions["x"] = (0..<20).reduce(CBORValue.array([])) { inner, _ in .array([inner]) }
        #expect(await authenticator.status(.makeCredential(request)) == .invalidCBOR)
        #expect(verification.questions.isEmpty)
    }

    @Test("Extensions that are not known here are passed over, whatever they hold")
    func unknownExtensions() async throws {
        let authenticator = authenticator(ScriptedApproval(.yes))
        var registration = Ceremony.registration()
        registration.extensions = [
            "hmac-secret": false, "minPinLength": true, "credBlob": .bytes([1]), "largeBlobKey": true,
            "devicePubKey": ["x": [1, 2]], "": .null,
        ]
        let (made, _) = try await authenticator.register(registration)
        #expect(made.unsignedExtensionOutputs.isEmpty && made.largeBlobKey == nil)
        #expect(try AuthenticatorData(decoding: made.authenticatorData.span).extensions == nil)
        var signIn = Ceremony.signIn()
        signIn.extensions = ["credBlob": [1: 2], "credProtect": "whatever", "largeBlobKey": [:], "prf": [:]]
        let response = try await authenticator.signIn(signIn)
        #expect(response.unsignedExtensionOutputs.isEmpty)
    }

    @Test("Control characters and direction overrides reach no terminal, from whichever text they come")
    func controls() async throws {
        let verification = ScriptedApproval(.yes)
        var request = Ceremony.registration()
        request.user.name = "\u{1b}]0;owned\u{7}"
        request.user.displayName = "\u{2067}admin\r\n  site: \"bank.example\""
        request.rp.name = "\u{9b}31m"
        _ = try await authenticator(verification).register(request)
        let text = ApprovalPrompt(verification.questions[0]).text.english
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7f })
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("  site:") }.count == 1)
    }
}
