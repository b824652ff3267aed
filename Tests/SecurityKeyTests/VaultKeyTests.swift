import CTAP
import Cryptography
import Foundation
import PasskeyAuthenticator
import SecurityKey
import Synchronization
import TestPeers
import Testing
import UserVerification
import Vault

/// Says yes, or waits until it is cancelled; and counts the questions.
private final class CountingApproval: UserApproval {
    let canVerify = false
    private let waits: Bool
    private let count = Atomic(0)

    init(waits: Bool = false) { self.waits = waits }

    var questionCount: Int { count.load(ordering: .relaxed) }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        count.add(1, ordering: .relaxed)
        guard waits else { return .approved(verified: nil, account: nil) }
        try? await Task.sleep(for: .seconds(600))
        return .refused(.cancelled)
    }
}

private struct RefusingApproval: UserApproval {
    let canVerify = false

    func ask(_ question: ApprovalQuestion) async -> Approval { .refused(.declined) }
}

@Suite("The vault behind a security key", .timeLimit(.minutes(5))) struct VaultKeyTests {
    private static let script =
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/programs.py")

    private func call(_ programs: Programs, _ request: CTAPRequest) async throws -> (CTAPResponse, Programs.Answer) {
        let answer = try await programs.call(.cbor, request.encoded(), on: programs.open())
        guard case .response(let bytes) = answer.event else { throw SecurityKeyError(.failed, reason: "\(answer)") }
        return (try CTAPResponse(decoding: bytes.span), answer)
    }

    @Test("says what fits through USB, and has no PIN")
    func getInfo() async throws {
        for canVerify in [false, true] {
            let approval = AutomaticApproval(claimsVerification: canVerify)
            let key = PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: approval, transport: .usb)
            try await Programs.with(key) { programs in
                let (response, _) = try await call(programs, .getInfo)
                let info = try GetInfoResponse(decoding: response.payload.span)
                #expect(info.transports == ["hybrid", "usb"])
                #expect(info.maxMessageSize == 1_886)
                #expect(info.options["clientPin"] == nil)
                #expect(info.options["pinUvAuthToken"] == nil)
                #expect(info.options["uv"] == (canVerify ? true : nil))
                #expect(info.extensions.contains("credProtect"))
            }
        }
    }

    @Test("asks for presence in between, but not for a silent look")
    func presence() async throws {
        let approval = CountingApproval()
        let key = PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: approval, transport: .usb)
        try await Programs.with(key) { programs in
            let (selected, _) = try await call(programs, .selection)
            #expect(selected.status == .ok)
            let hash = [UInt8](repeating: 1, count: 32)
            let registration = MakeCredentialRequest(
                clientDataHash: hash, rp: .init(id: "example.org", name: nil),
                user: .init(id: [1], name: nil, displayName: nil))
            let (made, _) = try await call(programs, .makeCredential(registration))
            #expect(made.status == .ok)
            let data = try MakeCredentialResponse(decoding: made.payload.span).authenticatorData
            let id = try #require(try AuthenticatorData(decoding: data.span).attestedCredential?.credentialID)
            #expect(approval.questionCount == 2)
            for (list, status) in [(id, CTAPStatus.ok), ([UInt8](repeating: 9, count: 32), .noCredentials)] {
                let look = GetAssertionRequest(
                    rpID: "example.org", clientDataHash: hash, allowList: [.init(id: list)],
                    options: .init(userPresence: false))
                let (seen, answer) = try await call(programs, .getAssertion(look))
                #expect(seen.status == status)
                #expect(!answer.statuses.contains(.userPresenceNeeded))
            }
            #expect(approval.questionCount == 2)
        }
    }

    @Test(
        "asks which key it is, and makes nothing, where a client wants one touched",
        arguments: [
            (".dummy", nil), ("make.me.blink", "make.me.blink"), ("localhost", "dummy"), ("localhost", "alice"),
        ])
    func touch(site: String, name: String?) async throws {
        let store = InMemoryCredentialStore()
        let request = MakeCredentialRequest(
            clientDataHash: [UInt8](repeating: 1, count: 32), rp: .init(id: site, name: nil),
            user: .init(id: [1], name: name, displayName: nil))
        let approval = CountingApproval()
        try await Programs.with(PasskeyAuthenticator(store: store, approval: approval, transport: .usb)) { programs in
            let (answer, _) = try await call(programs, .makeCredential(request))
            let isReal = name == "alice"
            #expect(answer.status == (isReal ? .ok : .pinNotSet))
            let kept = await store.credentials()
            #expect(kept.count == (isReal ? 1 : 0))
            #expect(approval.questionCount == 1)
        }
        let refusing = PasskeyAuthenticator(store: store, approval: RefusingApproval(), transport: .usb)
        try await Programs.with(refusing) { programs in
            let (answer, _) = try await call(programs, .makeCredential(request))
            #expect(answer.status == .operationDenied)
        }
    }

    @Test("signs in for Firefox, which writes the options uv and up in the wrong order, but takes no other fault")
    func unsortedOptions() async throws {
        let key = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: CountingApproval(), transport: .usb)
        try await Programs.with(key) { programs in
            let (made, _) = try await call(
                programs,
                .makeCredential(
                    MakeCredentialRequest(
                        clientDataHash: [UInt8](repeating: 1, count: 32), rp: .init(id: "example.org", name: nil),
                        user: .init(id: [1], name: nil, displayName: nil), options: .init(residentKey: true))))
            #expect(made.status == .ok)
            let start = bytes("02a3016b6578616d706c652e6f7267025820" + String(repeating: "11", count: 32) + "05")
            for (options, status) in [
                ("a2627576f4627570f5", CTAPStatus.ok), ("a2627570f5627576f4", .ok),
                // A key twice, and a number of two bytes that fits in one.
                ("a2627570f5627570f5", .invalidCBOR), ("b8026275" + "76f4627570f5", .invalidCBOR),
            ] {
                let answer = try await programs.call(.cbor, start + bytes(options), on: programs.open())
                guard case .response(let response) = answer.event else {
                    Issue.record("\(answer)")
                    continue
                }
                #expect(response.first == status.rawValue)
            }
        }
    }

    @Test("takes its question away when a program cancels")
    func cancel() async throws {
        let approval = CountingApproval(waits: true)
        let key = PasskeyAuthenticator(store: InMemoryCredentialStore(), approval: approval, transport: .usb)
        try await Programs.with(key) { programs in
            let channel = try await programs.open()
            var exchange = try programs.begin(.cbor, CTAPRequest.selection.encoded(), on: channel)
            var isCancelled = false
            let report = exchange.cancelReport
            let answer = try await programs.answer(to: &exchange) { status in
                guard status == .userPresenceNeeded, !isCancelled else { return }
                isCancelled = true
                try programs.write(report)
            }
            #expect(answer.event == .response([CTAPStatus.keepaliveCancel.rawValue]))
        }
        #expect(approval.questionCount == 1)
    }

    @Test("python-fido2 registers, signs in, looks and cancels, as with any other key")
    func python() async throws {
        let path = "/tmp/hybrid-key-\(UInt64.random(in: 0 ... .max)).socket"
        let last = try await ChildProcess.with(["python3", Self.script.path, path]) { child in
            var last = ""
            var running: Task<Void, any Error>?
            for await line in child.lines {
                last = line
                guard line == "listening" else { continue }
                let channel = try BrokerReportChannel(at: path)
                let key = SecurityKeyDevice(
                    over: channel, version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3),
                    application: PasskeyAuthenticator(
                        store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true),
                        transport: .usb))
                running = Task { try await key.run() }
            }
            // It has gone with the programs.
            await #expect(throws: SecurityKeyError(.ended, reason: "")) { try await running?.value }
            return last
        }
        #expect(last == "ok")
    }

    @Test("is held open, and sees what other processes change")
    func heldVault() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-held-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "passkeys.vault").path
        let vault = try Vault.create(at: path, id: Vault.newID(), Self.secrets("one"), cost: Self.cheap)
        let held = try await HeldVault(vault, at: path)
        #expect(held.protectsCredentials)
        let made = try Self.credential(1)
        try await held.add(made)
        let other = try Vault.open(at: path, Self.secrets("one"))
        #expect(try await other.credentials().map(\.id) == [made.id])
        try await other.add(try Self.credential(2))
        // While another process changes it, it can be read.
        #expect(try await held.credentials().count == 2)
        await #expect(throws: CredentialStoreError(.inUse, reason: "")) { try await held.remove(id: made.id) }
        await other.close()
        var used = made
        used.lastUsed = 7
        try await held.update(used)
        #expect(try await held.credentials(rpID: "example.org").first { $0.id == made.id }?.lastUsed == 7)
        try await held.remove(id: made.id)
        #expect(try await held.credentials().count == 1)
        // With another passphrase it is another vault.
        let changed = try Vault.open(at: path, Self.secrets("one"))
        try await changed.change(to: Self.secrets("two"), cost: Self.cheap)
        await changed.close()
        await #expect(throws: CredentialStoreError(.init(rawValue: "no-secret"), reason: "")) {
            try await held.credentials()
        }
    }

    private static let cheap = Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1)

    private static func secrets(_ passphrase: String) -> VaultSecrets {
        VaultSecrets(passphrase: SecretBytes(copying: Array(passphrase.utf8).span))
    }

    private static func credential(_ number: UInt8) throws -> Credential {
        Credential(
            id: [number], rpID: "example.org", rpName: nil, userHandle: [number], userName: nil, userDisplayName: nil,
            isDiscoverable: true, key: try CredentialKey(.es256))
    }
}
