import Foundation
import Testing

@testable import Conformance

/// Peers that make trouble beside the protocol.
@Suite("A peer that makes trouble", .timeLimit(.minutes(5)))
struct OddPeerTests {
    @Test("by writing for ever costs the runner no memory, and is ended")
    func endlessOutput() async throws {
        let record = CaseRecord()
        let program = try await PeerProgram.start(
            ["sh", "-c", "yes out & yes error >&2"], input: nil, record: record)
        defer { program.kill() }
        while !program.hasWrittenTooMuch { try await Task.sleep(for: .milliseconds(5)) }
        var byteCount = 0
        while let piece = try await program.nextOutput() { byteCount += piece.bytes.count }
        #expect(byteCount <= PeerProgram.outputLimit)
        #expect(record.errors.whole.count <= StandardErrorTail.wholeLimit)
    }

    @Test("by writing no code, but for ever, is told so")
    func endlessClient() async throws {
        #expect(
            try await JudgingTests.deviation(.client, "client/code/canonical", ["yes", "FIDO:/"])
                .hasPrefix("it wrote more than 1 MiB without writing the text of a QR code: "))
    }

    @Test("by outliving its case has its children ended, also those with a session of their own")
    func children() async throws {
        let marker = "hybrid-test-\(UUID().uuidString)"
        let text = "setsid bash -c 'trap \"\" TERM HUP; exec -a \(marker) sleep 600' & trap '' TERM; sleep 600"
        let reason = try await JudgingTests.deviation(
            .authenticator, JudgingTests.refusal, ["bash", "-c", text], timeout: .seconds(4))
        #expect(reason == "the end of the command did not come within 4.0 s")
        // The end of a killed process is a moment later than the signal.
        for _ in 0..<500 where Self.isRunning(marker) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!Self.isRunning(marker))
    }

    private static func isRunning(_ name: String) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            guard Int(process) != nil, let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            else { return false }
            return line.starts(with: Data(name.utf8))
        }
    }

    @Test("by ending as after a signal has not refused anything", arguments: [134, 137, 139, 141])
    func signals(status: Int) async throws {
        let reason = try await JudgingTests.deviation(
            .authenticator, JudgingTests.refusal, ["sh", "-c", "exit \(status)"])
        #expect(reason == "it crashed: exit status \(status)")
        let signalled = try await JudgingTests.deviation(
            .authenticator, JudgingTests.refusal, ["sh", "-c", "kill -\(status - 128) $$"])
        #expect(signalled == "it was ended by signal \(status - 128)")
    }

    @Test("by a slow start has its slowest step reported")
    func slowStart() async throws {
        let record = CaseRecord()
        let values = CommandTemplateTests.values
        let peer = Peer(CommandTemplate(["sh", "-c", "exec sleep 600"]), values, timeout: .seconds(30), record: record)
        try await peer.start()
        defer { peer.kill() }
        try await peer.awaits("something") { try await Task.sleep(for: .milliseconds(300)) }
        #expect(record.slowestStep >= .milliseconds(300))
    }
}
