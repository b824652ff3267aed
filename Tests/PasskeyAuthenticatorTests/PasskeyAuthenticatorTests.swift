import CTAP
import Encodings
import Synchronization
import Testing
import UserVerification

@testable import PasskeyAuthenticator

/// Requirements for all commands.
@Suite struct PasskeyAuthenticatorTests {
    @Test("getInfo says what a hybrid client needs, in canonical CBOR")
    func getInfo() async throws {
        let authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: ScriptedApproval(.yes))
        let bytes = authenticator.getInfo()
        #expect(try CBORValue.decode(bytes.span).encoded() == bytes)
        let info = try GetInfoResponse(decoding: bytes.span)
        #expect(info.versions == ["FIDO_2_0"], "2.1 makes pinUvAuthToken mandatory where uv is there")
        #expect(info.options["pinUvAuthToken"] == nil)
        #expect(info.aaguid == PasskeyAuthenticator.aaguid)
        #expect(info.options == ["rk": true, "up": true, "uv": true, "alwaysUv": true, "makeCredUvNotRqd": false])
        #expect(info.extensions == ["credProtect", "hmac-secret", "largeBlob", "prf"])
        #expect(info.attestationFormats == ["packed", "none"])
        #expect(info.maxMessageSize == UInt64(PasskeyAuthenticator.maxMessageByteCount))
        let map = try #require(CBORValue.decode(bytes.span).mapValue)
        #expect(map[0x06] == [2], "without it python-fido2 refuses an authenticator with uv")
        #expect(map[0x07] == 1024, "without it python-fido2 asks for each credential of a list by itself")
        #expect(map[0x08] == 1023)
        #expect(info.transports == ["hybrid", "internal"])
        #expect(info.algorithms.map(\.algorithm) == [.es256, .edDSA, .rs256])
        #expect(await authenticator.respond(to: [0x04]) == [0x00] + bytes)
    }

    @Test("getInfo lists uv, alwaysUv and hmac-secret only where users can be verified")
    func getInfoWithoutVerification() async throws {
        let authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: false))
        let info = try GetInfoResponse(decoding: authenticator.getInfo().span)
        #expect(info.versions == ["FIDO_2_0", "FIDO_2_1"], "otherwise Chromium asks for a passkey of the site .dummy")
        #expect(await authenticator.respond(to: [0x0b]) == [0x00], "which is what FIDO_2_1 is listed for")
        #expect(info.options == ["rk": true, "up": true])
        #expect(info.extensions == ["credProtect", "largeBlob", "prf"])
        #expect(info.fields[0x06] == nil)
    }

    @Test("authenticatorSelection asks the user")
    func selection() async {
        let verification = ScriptedApproval(.yes, .declined, .timedOut)
        let authenticator = PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: verification)
        #expect(await authenticator.respond(to: [0x0b]) == [0x00])
        #expect(await authenticator.respond(to: [0x0b]) == [0x27])
        #expect(await authenticator.respond(to: [0x0b]) == [0x2f])
        #expect(verification.questions.map(\.operation) == [.select, .select, .select])
    }

    @Test("Events tell what happened and why something was refused")
    func events() async throws {
        let events = Mutex<[String]>([])
        let authenticator = PasskeyAuthenticator(
            store: FailingStore(), approval: AutomaticApproval(claimsVerification: true)
        ) { event in events.withLock { $0.append("\(event)") } }
        #expect(await authenticator.status(.makeCredential(Ceremony.registration())) == .other)
        #expect(await authenticator.status(.getInfo) == .ok)
        let all = events.withLock { $0 }
        #expect(all.count == 4)
        #expect(all[0].contains("approved") && all[0].contains("example.org"))
        #expect(all[1].contains("the disk is full"))
        #expect(all[2].contains("CTAP1_ERR_OTHER"))
        #expect(all[3].contains("CTAP2_OK"))
    }

    @Test("Every truncation and flipped bit of a request is answered, and nothing but a good request makes a passkey")
    func hostile() async throws {
        let store = InMemoryCredentialStore()
        let authenticator = PasskeyAuthenticator(
            store: store, approval: AutomaticApproval(claimsVerification: true))
        var request = CTAPRequest.makeCredential(Ceremony.registration()).encoded()
        for count in 0..<request.count {
            let answer = await authenticator.respond(to: Array(request.prefix(count)))
            #expect(answer.count == 1 && answer != [0x00])
        }
        #expect(await store.credentials(rpID: "example.org").isEmpty)
        for index in request.indices {
            for bit in 0..<UInt8.bitWidth {
                request[index] ^= 1 << bit
                let answer = await authenticator.respond(to: request)
                #expect(answer.first == 0x00 ? answer.count > 100 : answer.count == 1)
                request[index] ^= 1 << bit
            }
        }
    }
}

/// Finds nothing and keeps nothing.
struct FailingStore: CredentialStore {
    /// The stored credentials.
    var kept: [Credential] = []

    func credentials() async throws(CredentialStoreError) -> [Credential] { kept }
    func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential] { kept }
    func add(_ credential: Credential) async throws(CredentialStoreError) { throw Self.full }
    func update(_ credential: Credential) async throws(CredentialStoreError) { throw Self.full }
    func remove(id: [UInt8]) async throws(CredentialStoreError) { throw Self.full }

    private static let full = CredentialStoreError(.inputOutput, reason: "the disk is full")
}
