import Foundation
import LinuxSupport
import TestPeers
import Testing

@testable import UserVerification

/// The real fprintd, with libfprint's virtual reader.
@Suite(
    .enabled(if: DesktopPeer.hasFprintd, "needs root, polkitd and fprintd"), .serialized, .timeLimit(.minutes(10)))
struct RealFprintdTests {
    private static let enough = Duration.seconds(30)

    @Test(arguments: [
        Case("SCAN right", is: nil), Case("RETRY 1", "SCAN right", is: nil),
        Case("SCAN wrong", "SCAN right", is: nil),
        Case("SCAN wrong", "SCAN wrong", "SCAN wrong", is: .noMatch),
        Case("unenrolled", is: .notEnrolled), Case("no-device", is: .noDevice), Case("claimed", is: .deviceBusy),
        // fprintd calls everything that befalls its device an unknown error.
        Case("UNPLUG", is: .serviceFailed), Case("ERROR 0", is: .serviceFailed),
    ])
    func theFingerIsToldApart(_ example: Case) async throws {
        try await Self.with(example.behaviour) { peer in
            let verifier = FingerprintVerifier(timeout: Self.enough, address: peer.address)
            #expect(await verifier.failure()?.code == example.expected)
        }
    }

    @Test func theReaderIsFreeAfterEachVerification() async throws {
        try await Self.with(["SCAN right", "SCAN wrong", "SCAN right"]) { peer in
            for _ in 0..<2 {
                let verifier = FingerprintVerifier(timeout: Self.enough, address: peer.address)
                #expect(await verifier.failure() == nil)
            }
        }
    }

    @Test func theReaderIsFreeAfterACancelledVerification() async throws {
        try await Self.with([]) { peer in
            let (touches, continuation) = AsyncStream<FingerprintVerifier.Notice>.makeStream()
            let verifier = FingerprintVerifier(timeout: Self.enough, address: peer.address) { continuation.yield($0) }
            let task = Task { await verifier.failure() }
            #expect(await touches.first { _ in true } == .touch)
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            // It would be `device-busy` otherwise.
            let second = FingerprintVerifier(timeout: .seconds(2), address: peer.address)
            #expect(await second.failure()?.code == .timeout)
            let third = FingerprintVerifier(timeout: .seconds(2), address: peer.address)
            #expect(await third.failure()?.code == .timeout)
        }
    }

    private static func with(_ behaviour: [String], body: (DesktopPeer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hybrid-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DesktopPeer.with("real_fprintd.py", [folder.path] + behaviour, body: body)
    }
}

/// A stand-in for fprintd that misbehaves.
@Suite(.timeLimit(.minutes(10))) struct MisbehavingFprintdTests {
    @Test(arguments: [
        Case("match", is: nil), Case("gone", is: .lost), Case("killed", is: .lost), Case("absent", is: .noService),
        Case("wrong-device", is: .serviceFailed), Case("wrong-fingers", is: .serviceFailed),
        Case("no-fingers", is: .notEnrolled), Case("denied", is: .notPermitted), Case("unknown", is: .serviceFailed),
        Case("error", is: .serviceFailed), Case("unplugged", is: .lost), Case("start-fails", is: .serviceFailed),
        Case("retries", is: .noMatch), Case("forged", is: .timeout), Case("nonsense", is: .timeout),
        Case("early", is: .timeout),
    ])
    func nothingButAMatchOfOurOwnReaderIsAVerification(_ example: Case) async throws {
        try await DesktopPeer.with("stand_in.py", example.behaviour) { peer in
            let limit: Duration = example.expected == .timeout ? .seconds(2) : .seconds(30)
            let verifier = FingerprintVerifier(timeout: limit, address: peer.address)
            #expect(await verifier.failure()?.code == example.expected)
        }
    }

    @Test func aServiceThatAnotherUserRunsIsNotBelieved() async throws {
        try await DesktopPeer.with("stand_in.py", ["match"]) { peer in
            let verifier = FingerprintVerifier(
                timeout: .seconds(30), address: peer.address, owners: [DesktopPeer.anotherUser])
            #expect(await verifier.failure()?.code == .untrustedService)
            #expect(await verifier.obstacle()?.code == .untrustedService)
        }
    }

    @Test func aBusThatMayBeAnotherMachinesIsNotAsked() async throws {
        try await DesktopPeer.with("stand_in.py", ["match", "tcp"]) { peer in
            #expect(peer.address.isRemote)
            let verifier = FingerprintVerifier(timeout: .seconds(30), address: peer.address)
            #expect(await verifier.failure()?.code == .noService)
        }
    }

    @Test(arguments: [Case("match", is: nil), Case("no-fingers", is: .notEnrolled), Case("absent", is: .noService)])
    func itIsSetUpIfThereIsAFinger(_ example: Case) async throws {
        try await DesktopPeer.with("stand_in.py", example.behaviour) { peer in
            let verifier = FingerprintVerifier(timeout: .seconds(30), address: peer.address)
            #expect(await verifier.obstacle()?.code == example.expected)
        }
    }

    @Test func afterFiveMissesInARowTheReaderIsNotAskedAnyMore() async throws {
        try await DesktopPeer.with("stand_in.py", ["other"]) { peer in
            let retries = VerificationRetries(path: nil)
            let verifier = FingerprintVerifier(timeout: .seconds(30), address: peer.address, retries: retries)
            for (starts, expected) in [(3, VerificationError.Code.noMatch), (2, .tooManyAttempts)] {
                #expect(await verifier.failure()?.code == expected)
                #expect(await peer.said(upTo: "release").count { $0 == "start" } == starts)
            }
            #expect(await verifier.failure()?.code == .tooManyAttempts)
            #expect(await verifier.obstacle()?.code == .tooManyAttempts)
            // It was not claimed in between.
            try retries.succeeded()
            #expect(await verifier.failure()?.code == .noMatch)
            #expect(await peer.said(upTo: "release").count { $0 == "claim" } == 1)
        }
    }

    @Test(arguments: ["match", "error", "start-fails", "retries", "unplugged", "early"])
    func theReaderIsReleasedWhateverHappens(_ behaviour: String) async throws {
        try await DesktopPeer.with("stand_in.py", [behaviour]) { peer in
            let verifier = FingerprintVerifier(timeout: .seconds(2), address: peer.address)
            _ = await verifier.failure()
            #expect(await peer.said(upTo: "release").last == "release")
        }
    }

    @Test func aCancelledTaskReleasesTheReader() async throws {
        try await DesktopPeer.with("stand_in.py", ["silent"]) { peer in
            let verifier = FingerprintVerifier(timeout: .seconds(60), address: peer.address)
            let task = Task { await verifier.failure() }
            #expect(await peer.said(upTo: "start") == ["claim", "start"])
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(await peer.said(upTo: "release") == ["stop", "release"])
        }
    }

    @Test func aTaskThatIsCancelledWhileItClaimsReleasesWhatItMayHaveGot() async throws {
        try await DesktopPeer.with("stand_in.py", ["claim-hang"]) { peer in
            let verifier = FingerprintVerifier(timeout: .seconds(60), address: peer.address)
            let task = Task { await verifier.failure() }
            #expect(await peer.said(upTo: "claim") == ["claim"])
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(await peer.said(upTo: "release").last == "release")
        }
    }
}
