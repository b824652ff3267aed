import Foundation
import LinuxSupport
import Synchronization
import TestPeers
import Testing

@testable import UserVerification

/// The real polkitd, with the policy that is shipped and an agent of python-dbus.
@Suite(.enabled(if: DesktopPeer.hasPolkitd, "needs root and polkitd"), .serialized, .timeLimit(.minutes(10)))
struct RealPolkitTests {
    private static let enough = Duration.seconds(30)

    @Test(arguments: [
        Case("approve", is: nil), Case("dismiss", is: .declined), Case("wrong", is: .noMatch),
        Case("none", is: .noAgent),
    ])
    func theAgentsAnswerIsToldApart(_ example: Case) async throws {
        try await Self.with(example.behaviour[0]) { verifier, peer in
            #expect(await verifier(Self.enough).failure()?.code == example.expected)
        }
    }

    @Test func theDialogueShowsTheSiteTheAccountAndWhatIsDone() async throws {
        try await Self.with("approve") { verifier, peer in
            let hostile = ApprovalQuestion(
                operation: .register, rpID: "exаmple.com",
                accounts: [.init(name: "<b>$(site)\u{202e}&", displayName: nil)])
            #expect(await verifier(Self.enough).failure(hostile) == nil)
            #expect(
                await peer.said(upTo: "asked").last
                    == #"asked Verify yourself to make a passkey for the site "ex\u{430}mple.com", account "#
                    + #""\u{3c}b\u{3e}\u{24}(site)\u202e\u{26}""#)
        }
    }

    @Test func everyVerificationIsAskedForAnew() async throws {
        try await Self.with("approve") { verifier, peer in
            for _ in 0..<2 { #expect(await verifier(Self.enough).failure() == nil) }
            var asked = peer.lines.makeAsyncIterator()
            for _ in 0..<2 { #expect(await asked.next()?.hasPrefix("asked") == true) }
        }
    }

    @Test func theDialogueIsTakenAwayWhenTheTimeIsUp() async throws {
        try await Self.with("hang") { verifier, peer in
            #expect(await verifier(.seconds(5)).failure()?.code == .timeout)
            #expect(await peer.said(upTo: "cancelled").last == "cancelled")
        }
    }

    @Test func theDialogueIsTakenAwayWhenTheTaskIsCancelled() async throws {
        try await Self.with("hang") { verifier, peer in
            let task = Task { await verifier(Self.enough).failure() }
            #expect(await peer.said(upTo: "asked").count == 1)
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(await peer.said(upTo: "cancelled").last == "cancelled")
        }
    }

    @Test func rootIsNotVerifiedForItIsNeverAsked() async throws {
        try await Self.with("approve") { _, peer in
            let verifier = PolkitVerifier(timeout: Self.enough, address: peer.address, subject: nil)
            #expect(await verifier.failure()?.code == .notAsked)
        }
    }

    @Test func aPolicyThatIsNotInstalledIsNamed() async throws {
        let empty = FileManager.default.temporaryDirectory.appendingPathComponent("hybrid-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: empty) }
        try await Self.with("none", actions: empty.path) { verifier, _ in
            #expect(await verifier(Self.enough).failure()?.code == .notInstalled)
        }
    }

    @Test(arguments: [("auth_self_keep", VerificationError.Code.notAsked), ("yes", .notAsked), ("no", .notPermitted)])
    func aPolicyThatAsksNobodyVerifiesNobody(_ implicit: String, _ expected: VerificationError.Code) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hybrid-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "io.github.hybrid-transport.policy"
        let shipped = try String(contentsOfFile: "\(DesktopPeer.policy)/\(name)", encoding: .utf8)
        try shipped.replacingOccurrences(of: "auth_self<", with: "\(implicit)<")
            .write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        try await Self.with("approve", actions: folder.path) { verifier, _ in
            #expect(await verifier(Self.enough).failure()?.code == expected)
        }
    }

    private static func with(
        _ behaviour: String, actions: String = DesktopPeer.policy,
        body: (_ verifier: @escaping @Sendable (Duration) -> PolkitVerifier, DesktopPeer) async throws -> Void
    ) async throws {
        try await DesktopPeer.with("real_polkit.py", [actions, behaviour]) { peer in
            var lines = peer.lines.makeAsyncIterator()
            let subject = await lines.next()?.split(separator: " ").compactMap { UInt64($0) } ?? []
            try #require(subject.count == 3)
            let process = PolkitSubject(
                process: UInt32(subject[0]), startTime: subject[1], user: Int32(subject[2]))
            try await body(
                { PolkitVerifier(timeout: $0, address: peer.address, subject: process) }, peer)
        }
    }
}

/// A stand-in for polkitd that misbehaves.
@Suite(.timeLimit(.minutes(10))) struct MisbehavingPolkitTests {
    @Test(arguments: [
        Case("polkit", is: nil), Case("yes", is: .notAsked), Case("no", is: .notPermitted), Case("kept", is: .notAsked),
        Case("kept-later", is: .notAsked), Case("wrong-type", is: .serviceFailed),
        Case("wrong-type-later", is: .serviceFailed), Case("refused-details", is: .notPermitted),
        Case("cancelled", is: .declined), Case("gone", is: .lost), Case("killed", is: .lost),
        Case("absent", is: .noService), Case("hang-later", is: .timeout),
    ])
    func nothingButAnAnswerToTheDialogueIsAVerification(_ example: Case) async throws {
        try await DesktopPeer.with("stand_in.py", example.behaviour) { peer in
            let limit: Duration = example.expected == .timeout ? .seconds(1) : .seconds(30)
            let verifier = PolkitVerifier(timeout: limit, address: peer.address, subject: nil)
            #expect(await verifier.failure()?.code == example.expected)
        }
    }

    @Test func aServiceThatAnotherUserRunsIsNotBelieved() async throws {
        try await DesktopPeer.with("stand_in.py", ["polkit"]) { peer in
            let verifier = PolkitVerifier(
                timeout: .seconds(30), address: peer.address, subject: nil, owners: [DesktopPeer.anotherUser])
            #expect(await verifier.failure()?.code == .untrustedService)
            await #expect(throws: VerificationError(.untrustedService, reason: "")) { try await verifier.checkSetUp() }
        }
    }

    @Test func aBusThatMayBeAnotherMachinesIsNotAsked() async throws {
        try await DesktopPeer.with("stand_in.py", ["polkit", "tcp"]) { peer in
            #expect(peer.address.isRemote)
            let verifier = PolkitVerifier(timeout: .seconds(30), address: peer.address, subject: nil)
            #expect(await verifier.failure()?.code == .noService)
        }
    }

    @Test func itIsSetUpIfItWouldAskEachTime() async throws {
        for (behaviour, expected) in [
            ("polkit", nil), ("yes", VerificationError.Code.notAsked), ("kept", .notAsked), ("no", .notPermitted),
            ("absent", .noService),
        ] {
            try await DesktopPeer.with("stand_in.py", [behaviour]) { peer in
                let verifier = PolkitVerifier(timeout: .seconds(30), address: peer.address, subject: nil)
                #expect(await verifier.obstacle()?.code == expected)
            }
        }
    }

    @Test func afterFiveMissesInARowTheDialogueIsShownAgainOnlyAfterTheWait() async throws {
        try await DesktopPeer.with("stand_in.py", ["wrong"]) { peer in
            let time = Mutex(VerificationRetries.Time())
            let retries = VerificationRetries(path: nil) { time.withLock { $0 } }
            let verifier = PolkitVerifier(
                timeout: .seconds(30), address: peer.address, subject: nil, retries: retries)
            for (wait, expected) in [
                (0, VerificationError.Code.noMatch), (0, .noMatch), (0, .noMatch), (0, .noMatch), (0, .noMatch),
                (29, .tooManyAttempts), (1, .noMatch), (59, .tooManyAttempts), (1, .noMatch),
            ] as [(Int64, VerificationError.Code)] {
                time.withLock { $0.uptime += wait }
                #expect(await verifier.failure()?.code == expected)
                // Nobody is asked in between.
                if expected == .noMatch { #expect(await peer.said(upTo: "check 1") == ["check 0", "check 1"]) }
            }
        }
    }

    @Test func aBusThatIsNotThereIsNoService() async throws {
        let address = try DBusAddress(parsing: "unix:path=/nowhere")
        let verifier = PolkitVerifier(timeout: .seconds(5), address: address, subject: nil)
        #expect(await verifier.failure()?.code == .noService)
    }

    @Test func aCancelledTaskTakesItsDialogueAway() async throws {
        try await DesktopPeer.with("stand_in.py", ["hang-later"]) { peer in
            let verifier = PolkitVerifier(timeout: .seconds(60), address: peer.address, subject: nil)
            let task = Task { await verifier.failure() }
            #expect(await peer.said(upTo: "check 1") == ["check 0", "check 1"])
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(await peer.said(upTo: "cancel") == ["cancel"])
        }
    }
}
