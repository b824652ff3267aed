import CommandLine
import Foundation
import LinuxSupport
import Synchronization
import TestPeers
import Testing
import UserVerification

@testable import hybrid

/// Questions that are asked by a notification, of which a button is pressed at once.
@Suite("A notification that asks", .timeLimit(.minutes(2)))
struct NotifyingApprovalTests {
    private static let daemon = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("DesktopSessionTests/Peers/notifications.py").path

    /// Asks by a clock that shows these milliseconds, one whenever it is looked at: as often as it must be.
    ///
    /// - Returns: the refusal, if it was none, and the calls to the daemon: so many times to show a notification and to
    ///   take it away.
    private func ask(
        pressing button: String, at milliseconds: [Int], showing count: Int
    ) async throws -> (refusal: Approval.Refusal?, told: [String]) {
        try await ChildProcess.with(["/usr/bin/python3", Self.daemon, "press \(button)"]) { daemon in
            var lines = daemon.lines.makeAsyncIterator()
            let bus = try DBusAddress(parsing: await lines.next() ?? "", bus: .session)
            let start = ContinuousClock.now
            let times = Mutex(milliseconds[...])
            let approval = NotifyingApproval(
                timeout: .seconds(600),
                notification: { _ in DesktopNotification(summary: "Asks", body: "", withoutButtons: "") },
                dialogue: { throw CancellationError() }, reporter: Reporter(isJSON: false),
                clock: QuestionClock { start + .milliseconds(times.withLock { $0.popFirst() } ?? 0) }, bus: bus)
            let refusal = Self.refusal(await approval.ask(ApprovalQuestion(operation: .answerLink, rpID: "")))
            var told: [String] = []
            // Otherwise it was not shown so often.
            guard times.withLock({ $0.isEmpty }) else { return (refusal, told) }
            while told.count < 2 * count, let line = await lines.next() {
                told += line.split(separator: " ").prefix(1).map(String.init)
            }
            return (refusal, told)
        }
    }

    private static func refusal(_ approval: consuming Approval) -> Approval.Refusal? {
        switch consume approval {
        case .approved: nil
        case .refused(let refusal): refusal
        }
    }

    @Test(
        "is shown again after a yes within half a second, and three of them are a no",
        arguments: [
            ([0, 500], nil), ([0, 499, 500, 1_000], nil), ([0, 100, 100, 599, 600, 1_100], nil),
            ([0, 100, 100, 599, 600, 1_099], .declined),
        ] as [([Int], Approval.Refusal?)], ["answer", "default"])
    func tooSoon(_ asked: (at: [Int], refusal: Approval.Refusal?), button: String) async throws {
        let count = asked.at.count / 2
        let end = try await ask(pressing: button, at: asked.at, showing: count)
        #expect(end.refusal == asked.refusal)
        #expect(end.told == (0..<count).flatMap { _ in ["notify", "close"] })
    }

    @Test("takes a no at any time")
    func refused() async throws {
        let end = try await ask(pressing: "refuse", at: [0], showing: 1)
        #expect(end.refusal == .declined && end.told == ["notify", "close"])
    }
}
