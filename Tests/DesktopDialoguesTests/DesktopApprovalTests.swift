import Foundation
import TestPeers
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// Approvals in a window: the questions, and the meaning of each answer.
@Suite(.timeLimit(.minutes(4))) struct DesktopApprovalTests {
    private static let question = ApprovalQuestion(
        operation: .signIn, rpID: "example.org", accounts: [.init(name: "alice", displayName: "Alice A.")])
    private static let choice = ApprovalQuestion(
        operation: .signIn, rpID: "example.org",
        accounts: [
            .init(name: "--help", displayName: "<b>--title=x</b> & co"), .init(name: "bob\nTRUE", displayName: nil),
        ])

    private func ask(_ question: ApprovalQuestion, _ behaviour: String, log: String? = nil) async -> ApprovalOutcome {
        let dialogues = DesktopDialogues(window: StandIn.window(behaviour, log: log))
        return ApprovalOutcome(await DesktopApproval(timeout: never, by: dialogues).ask(question))
    }

    @Test(arguments: [
        ("yes", ApprovalOutcome(account: 0)), ("no", .init(refusal: .declined)),
        ("account 0", .init(refusal: .unavailable)),
        ("ends", .init(refusal: .unavailable)), ("rubbish", .init(refusal: .unavailable)),
    ])
    func `a yes approves, and nothing else does`(_ behaviour: String, _ expected: ApprovalOutcome) async {
        #expect(await ask(Self.question, behaviour) == expected)
    }

    @Test(arguments: [
        ("account 1", ApprovalOutcome(account: 1)), ("account 0", .init(account: 0)),
        ("account 2", .init(refusal: .unavailable)),
        ("account -1", .init(refusal: .unavailable)), ("yes", .init(refusal: .unavailable)),
        ("no", .init(refusal: .declined)),
    ])
    func `one of several accounts is chosen by its place`(_ behaviour: String, _ expected: ApprovalOutcome) async {
        #expect(await ask(Self.choice, behaviour) == expected)
    }

    @Test func `all of a question is sent, and nothing of it is in an argument or in the environment`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let site = String(repeating: "login.", count: 20) + "bank.example"
            let details = (0..<200).map { "site-\($0).example, alice" }
            let question = ApprovalQuestion(operation: .presentCredential, rpID: site, details: details)
            #expect(await ask(question, "yes", log: log) == .init(account: 0))
            let text = try String(contentsOfFile: log, encoding: .utf8)
            let shown = try #require(text.split(separator: "\n").first { $0.hasPrefix("shown ") })
            for detail in details { #expect(shown.contains("asks: \\\"\(detail)\\\"")) }
            #expect(shown.contains("\"site\":\"\(site)\""))
            let others = text.split(separator: "\n").filter { $0.hasPrefix("argument ") || $0.hasPrefix("variable ") }
            #expect(others.count > 1)
            #expect(!others.contains { $0.contains("example") })
        }
    }

    @Test func `without a window it is refused, and the cause is said`() async {
        await confirmation { told in
            let approval = DesktopApproval(timeout: never, by: DesktopDialogues(window: nil)) {
                #expect($0.code == .missing)
                told()
            }
            #expect(ApprovalOutcome(await approval.ask(Self.question)) == .init(refusal: .unavailable))
        }
    }
}
