import CTAP
import Encodings
import Synchronization
import Testing

@testable import PasskeyAuthenticator

/// The extension largeBlob inside the ceremony, and the other traces of a sign-in in the store.
@Suite struct LargeBlobTests {
    let store = InMemoryCredentialStore()

    private func authenticator(_ store: (any CredentialStore)? = nil, now: Int64 = 0) -> PasskeyAuthenticator {
        PasskeyAuthenticator(
            store: store ?? self.store, approval: ScriptedApproval(.yes), now: { now })
    }

    private func register(_ support: LargeBlobExtension.Support?) async throws -> LargeBlobExtension.Supported? {
        var request = Ceremony.registration()
        request.extensions["largeBlob"] = support?.value
        let (made, _) = try await authenticator().register(request)
        #expect(made.largeBlobKey == nil)
        return LargeBlobExtension.Supported(made.unsignedExtensionOutputs)
    }

    private func signIn(
        _ access: LargeBlobExtension.Access?, _ store: (any CredentialStore)? = nil
    ) async throws -> LargeBlobExtension.Outcome? {
        var request = Ceremony.signIn(allow: await self.store.credentials().map(\.id))
        request.extensions["largeBlob"] = access?.value
        let response = try await authenticator(store).signIn(request)
        #expect(response.largeBlobKey == nil)
        return LargeBlobExtension.Outcome(response.unsignedExtensionOutputs)
    }

    private static func contents(_ count: Int, size: UInt64 = 9) -> LargeBlobExtension.Contents {
        .init(compressed: [UInt8](repeating: 0x55, count: count), originalSize: size)
    }

    @Test("Support is said where it is asked for", arguments: LargeBlobExtension.Support.allCases)
    func support(_ asked: LargeBlobExtension.Support) async throws {
        #expect(try await register(nil) == nil)
        #expect(try await register(asked)?.isSupported == true)
    }

    @Test("What was written is read until something else is written, also nothing")
    func readAndWrite() async throws {
        _ = try await register(.required)
        #expect(try await signIn(.read) == nil)
        #expect(try await signIn(nil) == nil)
        for contents in [Self.contents(100), Self.contents(LargeBlob.maxByteCount, size: 1 << 20), Self.contents(0)] {
            #expect(try await signIn(.write(contents)) == .written(true))
            #expect(try await signIn(.read) == .contents(contents))
            #expect(try await signIn(nil) == nil)
        }
    }

    @Test("A write without an allow list is not carried out, and the sign-in succeeds all the same")
    func unnamed() async throws {
        _ = try await register(.required)
        #expect(try await signIn(.write(Self.contents(1))) == .written(true))
        var request = Ceremony.signIn()
        request.extensions["largeBlob"] = LargeBlobExtension.Access.write(Self.contents(2)).value
        let response = try await authenticator().signIn(request)
        #expect(LargeBlobExtension.Outcome(response.unsignedExtensionOutputs) == .written(false))
        #expect(try await signIn(.read) == .contents(Self.contents(1)))
    }

    @Test("A client that chooses among the accounts gets the blob of each, and of each is kept when it was used")
    func clientChooses() async throws {
        _ = try await register(.required)
        #expect(try await signIn(.write(Self.contents(1))) == .written(true))
        _ = try await authenticator().register(Ceremony.registration(user: 2))
        let authenticator = PasskeyAuthenticator(
            store: store, approval: ScriptedApproval(.yes), accountChoice: .client, now: { 1_800_000_000 })
        var request = Ceremony.signIn()
        request.extensions["largeBlob"] = LargeBlobExtension.Access.read.value
        let first = try await authenticator.signIn(request)
        #expect(LargeBlobExtension.Outcome(first.unsignedExtensionOutputs) == nil, "the newest has none")
        let payload = await authenticator.response(.getNextAssertion).payload
        let second = try GetAssertionResponse(decoding: payload.span)
        #expect(LargeBlobExtension.Outcome(second.unsignedExtensionOutputs) == .contents(Self.contents(1)))
        #expect(await store.credentials().map(\.lastUsed) == [1_800_000_000, 1_800_000_000])
    }

    @Test(
        "Contents that are too large, or say that they are, are not written, and the sign-in succeeds all the same",
        arguments: [(LargeBlob.maxByteCount + 1, 9), (1, 1 << 20 | 1), (1, .max)] as [(Int, UInt64)])
    func tooLarge(_ count: Int, _ size: UInt64) async throws {
        _ = try await register(.preferred)
        #expect(try await signIn(.write(Self.contents(1))) == .written(true))
        #expect(try await signIn(.write(Self.contents(count, size: size))) == .written(false))
        #expect(try await signIn(.read) == .contents(Self.contents(1)))
    }

    @Test("A store that cannot be written fails the blob and not the sign-in")
    func storeFails() async throws {
        _ = try await register(.preferred)
        let failing = FailingStore(kept: await store.credentials())
        #expect(try await signIn(.write(Self.contents(1)), failing) == .written(false))
        let events = Mutex<[String]>([])
        let authenticator = PasskeyAuthenticator(
            store: failing, approval: ScriptedApproval(.yes)
        ) { event in events.withLock { $0.append("\(event)") } }
        _ = try await authenticator.signIn(Ceremony.signIn())
        #expect(events.withLock { $0 }.contains { $0.hasPrefix("useNotKept") })
    }

    @Test(
        "Wrong inputs are refused before anybody is asked",
        arguments: [
            1, [:], ["read": false], ["read": true, "originalSize": 1], ["write": .bytes([1]), "originalSize": -1],
        ] as [CBORValue])
    func wrong(_ input: CBORValue) async throws {
        _ = try await register(.preferred)
        let verification = ScriptedApproval(.yes)
        let authenticator = PasskeyAuthenticator(store: store, approval: verification)
        var request = Ceremony.signIn()
        request.extensions["largeBlob"] = input
        #expect(await authenticator.status(.getAssertion(request)) == .invalidCBOR)
        #expect(verification.questions.isEmpty)
    }

    @Test("When a passkey was made and last used is kept")
    func times() async throws {
        _ = try await authenticator(now: 1_800_000_000).register(Ceremony.registration())
        var kept = try #require(await store.credentials().first)
        #expect(kept.created == 1_800_000_000 && kept.lastUsed == nil)
        _ = try await authenticator(now: 1_800_000_100).signIn(Ceremony.signIn())
        kept = try #require(await store.credentials().first)
        #expect(kept.created == 1_800_000_000 && kept.lastUsed == 1_800_000_100)
        #expect(PasskeyAuthenticator.systemTime() > 1_700_000_000)
    }

    @Test("Once a credential is said to be backed up, BS is set; BE stays as it was")
    func backup() async throws {
        _ = try await register(nil)
        var kept = try #require(await store.credentials().first)
        kept.isBackedUp = true
        try await store.update(kept)
        let data = try await authenticator().signIn(Ceremony.signIn()).authenticatorData
        #expect(
            try AuthenticatorData(decoding: data.span).flags
                == [.userPresent, .userVerified, .backupEligible, .backupState])
    }
}
