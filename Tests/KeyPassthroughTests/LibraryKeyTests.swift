import CTAP
import Cryptography
import Encodings
import Foundation
import PasskeyAuthenticator
import SecurityKey
import Synchronization
import TestPeers
import Testing
import UserVerification

@testable import KeyPassthrough

/// The authenticator of this project as the key, which lets its client choose among accounts.
private final class AuthenticatorApplication: SecurityKeyApplication {
    private let authenticator: PasskeyAuthenticator

    init(_ approval: any UserApproval = AutomaticApproval(claimsVerification: true)) {
        authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: approval, accountChoice: .client, transport: .usb)
    }

    func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void
    ) async -> [UInt8] {
        status(.userPresenceNeeded)
        return await authenticator.respond(to: request)
    }
}

/// Waits until it is cancelled.
private final class WaitingApproval: UserApproval {
    let canVerify = true
    let questions: AsyncStream<Void>
    let cancellations: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation
    private let cancelled: AsyncStream<Void>.Continuation
    let cancelCount = Mutex(0)

    init() {
        (questions, asked) = AsyncStream.makeStream()
        (cancellations, cancelled) = AsyncStream.makeStream()
    }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        asked.yield()
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
        cancelCount.withLock { $0 += 1 }
        cancelled.yield()
        return .refused(.cancelled)
    }
}

/// Touches the key once another blinks.
private struct LateApproval: UserApproval {
    let canVerify = true
    private let questions: AsyncStream<Void>

    init(after questions: AsyncStream<Void>) { self.questions = questions }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        for await _ in questions { break }
        return await AutomaticApproval(claimsVerification: true).ask(question)
    }
}

/// Touches nothing.
private struct RefusingApproval: UserApproval {
    let canVerify = true

    func ask(_ question: ApprovalQuestion) async -> Approval { .refused(.declined) }
}

@Suite("A key by libfido2", .timeLimit(.minutes(10))) struct LibraryKeyTests {
    private static let limit = Duration.seconds(100)
    private static let hash: [UInt8] = (0..<32).map { UInt8($0) }
    private static let softKey =
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/soft_key.py").path

    private static func registration(
        _ user: String = "alice", excluded: [[UInt8]] = [], verification: KeyVerification = .builtIn
    ) -> KeyRegistration {
        KeyRegistration(
            clientDataHash: hash, rp: .init(id: "example.com", name: "Example"),
            user: .init(id: Array(user.utf8), name: user, displayName: user.uppercased()), algorithm: .es256,
            excluded: excluded, isDiscoverable: true, protection: .verificationOptionalIfNamed, hmacSecret: true,
            verification: verification)
    }

    private static func signIn(
        _ allowed: [[UInt8]] = [], userPresence: Bool = true, salts: PRFValues? = nil,
        verification: KeyVerification = .builtIn
    ) -> KeySignIn {
        KeySignIn(
            clientDataHash: hash, rpID: "example.com", allowed: allowed, userPresence: userPresence, salts: salts,
            verification: verification)
    }

    /// Demands that an assertion is signed over the client data hash as it was given.
    private static func check(_ assertion: KeyAssertion, _ credential: AttestedCredential) throws {
        let point = try #require(credential.publicKey.es256Point)
        let key = try P256.PublicKey(x963: point.span)
        let message = assertion.authenticatorData + hash
        #expect(try key.verify(signature: assertion.signature.span, of: message.span))
    }

    private static func credential(_ response: MakeCredentialResponse) throws -> AttestedCredential {
        try #require(AuthenticatorData(decoding: response.authenticatorData.span).attestedCredential)
    }

    @Test("says what it can do")
    func information() async throws {
        try await SocketKey.with(.application(AuthenticatorApplication())) { socket in
            let information = try await LibraryKey(at: socket.path, within: Self.limit).information()
            #expect(information.aaguid == PasskeyAuthenticator.aaguid)
            #expect(information.canVerify && information.verifiesUser && !information.hasPIN)
            #expect(information.extensions == ["credProtect", "hmac-secret", "largeBlob", "prf"])
            #expect(information.transports == ["hybrid", "usb"])
            #expect(information.algorithms == [.es256, .edDSA, .rs256])
            #expect(information.maxCredentialCountInList == 8)
            #expect(information.maxCredentialIDByteCount == 128)
        }
    }

    @Test("makes credentials, and signs with them, for one account and for several")
    func ceremonies() async throws {
        try await SocketKey.with(.application(AuthenticatorApplication())) { socket in
            let key = LibraryKey(at: socket.path, within: Self.limit)
            let alice = try Self.credential(await key.makeCredential(Self.registration()))
            let salts = try PRFValues(first: Self.hash, second: Self.hash.reversed())
            let one = try await key.assertions(Self.signIn(salts: salts))
            #expect(one.map(\.credentialID) == [alice.credentialID])
            try Self.check(try #require(one.first), alice)
            let secrets = try #require(one.first?.secrets)
            #expect(secrets.second != nil && secrets.first != secrets.second)

            let bob = try Self.credential(await key.makeCredential(Self.registration("bob")))
            let two = try await key.assertions(Self.signIn())
            #expect(two.map(\.credentialID) == [bob.credentialID, alice.credentialID])
            #expect(two.map { $0.user?.name } == ["bob", "alice"])
            for (assertion, credential) in zip(two, [bob, alice]) { try Self.check(assertion, credential) }
            let named = try await key.assertions(
                Self.signIn([alice.credentialID], userPresence: false, verification: .none))
            #expect(named.count == 1)
            let bytes = try #require(named.first).authenticatorData
            let data = try AuthenticatorData(decoding: bytes.span)
            #expect(!data.flags.contains(.userPresent))

            await #expect(throws: KeyFailure.refused(.credentialExcluded)) {
                try await key.makeCredential(Self.registration("carol", excluded: [bob.credentialID]))
            }
            await #expect(throws: KeyFailure.refused(.noCredentials)) {
                try await key.assertions(Self.signIn([[1, 2, 3]]))
            }
        }
    }

    @Test("is cancelled, at the key too")
    func cancel() async throws {
        let approval = WaitingApproval()
        try await SocketKey.with(.application(AuthenticatorApplication(approval))) { socket in
            let key = LibraryKey(at: socket.path, within: Self.limit)
            let running = Task { try await key.makeCredential(Self.registration()) }
            for await _ in approval.questions { break }
            running.cancel()
            await #expect(throws: KeyFailure.cancelled) { try await running.value }
            #expect(approval.cancelCount.withLock { $0 } == 1)
            // Before it has begun as well.
            let late = Task { try await key.makeCredential(Self.registration()) }
            late.cancel()
            await #expect(throws: KeyFailure.cancelled) { try await late.value }
        }
    }

    @Test("is taken out while it waits for a touch, and afterwards")
    func removed() async throws {
        let approval = WaitingApproval()
        try await SocketKey.with(.application(AuthenticatorApplication(approval))) { socket in
            let key = LibraryKey(at: socket.path, within: Self.limit)
            #expect(key.isPluggedIn)
            let running = Task { try await key.makeCredential(Self.registration()) }
            for await _ in approval.questions { break }
            socket.unplug()
            await #expect(throws: KeyFailure.removed) { try await running.value }
            #expect(!key.isPluggedIn)
            await #expect(throws: KeyFailure.removed) { try await key.information() }
        }
    }

    // MARK: - Keys that do not do as they should

    /// Answers INIT like a key with these capabilities, and later requests with one report.
    private static func answering(
        capabilities: UInt8, _ payload: [UInt8]?
    ) -> SocketKey.Peer {
        .reports { report in
            func answer(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
                let head = Array(report.prefix(4)) + [command, 0, UInt8(payload.count)] + payload
                return head + [UInt8](repeating: 0, count: 64 - head.count)
            }
            guard report[4] != 0x86 else {
                return [answer(0x86, Array(report[7..<15]) + [0, 0, 0, 9, 2, 1, 2, 3, capabilities])]
            }
            return payload.map { $0.isEmpty ? [] : [answer(0x90, $0)] }
        }
    }

    @Test("that supports only U2F is refused")
    func u2fOnly() async throws {
        try await SocketKey.with(Self.answering(capabilities: 0x01, [])) { socket in
            await #expect(throws: KeyFailure.u2fOnly) {
                _ = try await LibraryKey(at: socket.path, within: Self.limit).information()
            }
        }
    }

    @Test(
        "that answers nonsense is told apart from one that was taken out",
        arguments: [
            [0x00], [0x00, 0xFF], [0x00, 0xA1, 0x01], [0x00, 0xA0], [0x00, 0xA1, 0x03, 0x41, 0x00],
            // An AAGUID of another length, and text in its place.
            [0x00, 0xA1, 0x03, 0x62, 0x61, 0x62],
        ] as [[UInt8]])
    func nonsense(answer: [UInt8]) async throws {
        try await SocketKey.with(Self.answering(capabilities: 0x04, answer)) { socket in
            let error = await #expect(throws: KeyFailure.self) {
                try await LibraryKey(at: socket.path, within: Self.limit).information()
            }
            guard case .fault? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }

    @Test("that never answers has a time limit")
    func silent() async throws {
        try await SocketKey.with(Self.answering(capabilities: 0x04, [])) { socket in
            await #expect(throws: KeyFailure.noAnswer) {
                try await LibraryKey(at: socket.path, within: .seconds(1)).information()
            }
        }
    }

    @Test("that disconnects was taken out")
    func disconnects() async throws {
        try await SocketKey.with(Self.answering(capabilities: 0x04, nil)) { socket in
            await #expect(throws: KeyFailure.removed) {
                try await LibraryKey(at: socket.path, within: Self.limit).information()
            }
        }
    }

    // MARK: - Which one

    @Test("is the only one, or the one at the path")
    func choice() async throws {
        let one = KeyList.Entry(path: "/dev/hidraw1", name: "Maker Key")
        let two = KeyList.Entry(path: "/dev/hidraw0", name: "Other\nKey")
        #expect(try KeyList.only(of: [one]) == one.path)
        #expect(throws: KeyPassthroughError(.noKey, reason: "")) { try KeyList.only(of: []) }
        let several = #expect(throws: KeyPassthroughError.self) { try KeyList.only(of: [one, two]) }
        #expect(several?.code == .severalKeys)
        #expect(
            several?.reason
                == "2 security keys are plugged in: /dev/hidraw0 (\"Other\\nKey\"), /dev/hidraw1 (\"Maker Key\")")
        #expect(throws: KeyPassthroughError(.noKey, reason: "")) { try KeyList.choose("/dev/no-such-node") }
        #expect(throws: KeyPassthroughError(.notAKey, reason: "")) { try KeyList.choose("/dev/null") }
        try await SocketKey.with(Self.answering(capabilities: 0x04, [])) { socket in
            let path = try KeyList.choose(socket.path)
            #expect(path == socket.path)
        }
    }

    @Test("is the one of several that is touched, and the others stop blinking")
    func touch() async throws {
        let waiting = WaitingApproval()
        try await SocketKey.with(.application(AuthenticatorApplication(waiting))) { untouched in
            let afterIt = LateApproval(after: waiting.questions)
            try await SocketKey.with(.application(AuthenticatorApplication(afterIt))) { touched in
                let paths = [untouched.path, "/nonexistent/hidraw", touched.path]
                let chosen = try await KeyTouch.choose(among: paths, within: Self.limit)
                #expect(chosen == touched.path)
                for await _ in waiting.cancellations { break }
            }
            // None in time, and taken back.
            let none = try await KeyTouch.choose(among: [untouched.path], within: .seconds(1))
            #expect(none == nil)
            let choosing = Task { try await KeyTouch.choose(among: [untouched.path], within: Self.limit) }
            choosing.cancel()
            await #expect(throws: KeyFailure.cancelled) { try await choosing.value }
            // Taken out, and one that refuses.
            untouched.unplug()
            let missing = try await KeyTouch.choose(among: [untouched.path], within: Self.limit)
            #expect(missing == nil)
        }
        let refusing = AuthenticatorApplication(RefusingApproval())
        try await SocketKey.with(.application(refusing)) { refusing in
            let refused = try await KeyTouch.choose(among: [refusing.path], within: Self.limit)
            #expect(refused == nil)
        }
    }

    // MARK: - A key that nobody here wrote

    @Test("with a PIN: soft_fido2 registers and signs in, and takes no wrong PIN")
    func softKey() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hybrid-soft-\(UUID()).socket").path
        defer {
            unlink(path)
            try? FileManager.default.removeItem(atPath: path + ".home")
        }
        try await ChildProcess.with(["python3", Self.softKey, path, "1234"]) { child in
            for await line in child.lines where line == "listening" { break }
            let key = LibraryKey(at: path, within: Self.limit)
            let information = try await key.information()
            #expect(information.hasPIN && !information.verifiesUser)
            #expect(information.algorithms == [.es256])
            func pin(_ text: String) -> KeyVerification {
                .pin(KeyPIN(SecretBytes(copying: Array(text.utf8).span)))
            }
            let error = await #expect(throws: KeyFailure.self) {
                try await key.makeCredential(Self.registration(verification: pin("4321")))
            }
            guard case .wrongPIN(let triesLeft?)? = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(triesLeft > 0)
            let made = try await key.makeCredential(Self.registration(verification: pin("1234")))
            let credential = try Self.credential(made)
            #expect(made.format == "packed")
            #expect(made.attestationStatement["x5c"]?.arrayValue?.isEmpty == false)
            for allowed in [[], [credential.credentialID]] {
                let assertions = try await key.assertions(Self.signIn(allowed, verification: pin("1234")))
                #expect(assertions.map(\.credentialID) == [credential.credentialID])
                try Self.check(try #require(assertions.first), credential)
            }
        }
    }
}
