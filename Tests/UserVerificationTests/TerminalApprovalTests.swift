import Foundation
import Glibc
import LinuxSupport
import Testing

@testable import UserVerification

/// The question on a terminal, asked on a real one: a pseudo-terminal of the kernel's.
///
/// One after another: SIGCONT, which one of the tests sends, comes to the whole process, and every question is shown
/// again.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TerminalApprovalTests {
    /// A pseudo-terminal; the test has the user's end.
    final class PseudoTerminal: Sendable {
        let user: Int32
        private let program: Int32
        let path: String

        init() throws {
            var user: Int32 = 0
            var program: Int32 = 0
            var name = [CChar](repeating: 0, count: 64)
            try #require(openpty(&user, &program, &name, nil, nil) == 0)
            self.user = user
            self.program = program
            path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            _ = fcntl(user, F_SETFL, O_NONBLOCK)
        }

        deinit {
            close(user)
            close(program)
        }

        /// Takes the terminal away, as a desktop does that closes its window.
        func disconnect() {
            let nothing = open("/dev/null", O_RDWR)
            // In one step: the number must not become another file's, which `deinit` would close.
            dup2(nothing, user)
            close(nothing)
        }

        /// Waits until something is on the screen.
        func anything() async throws {
            var byte: UInt8 = 0
            while read(user, &byte, 1) != 1 { try await Task.sleep(for: .milliseconds(10)) }
        }

        func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(user, $0.baseAddress, $0.count) } }

        /// The text on the screen, once it ends with `end`.
        func screen(upTo end: String) async throws -> String {
            var screen: [UInt8] = []
            var silences = 0
            while silences < 3_000 {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(user, &buffer, buffer.count)
                if count > 0 {
                    screen += buffer.prefix(count)
                    silences = 0
                    if screen.suffix(end.utf8.count).elementsEqual(end.utf8) {
                        return String(decoding: screen, as: UTF8.self)
                    }
                } else {
                    silences += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            Issue.record("the screen never ended with \(end)")
            return ""
        }
    }

    static let question = ApprovalQuestion(
        operation: .register, rpID: "example.org", rpName: "Example",
        accounts: [.init(name: "alice", displayName: "Alice A.")])
    static let choice = ApprovalQuestion(
        operation: .signIn, rpID: "example.org",
        accounts: [
            .init(name: "alice", displayName: nil), .init(name: "bob", displayName: ""),
            .init(name: nil, displayName: nil),
        ])
    /// More than a terminal takes at once.
    static let longOne = ApprovalQuestion(
        operation: .presentCredential, rpID: "https://shop.example",
        details: Array(repeating: String(repeating: "x", count: 200), count: 400))

    @Test(
        "Only a clear yes is a yes",
        arguments: [
            ("y\n", .init(method: nil, account: 0)), ("YES\n", .init(method: nil, account: 0)),
            ("n\n", .declined), ("no\n", .declined), ("\u{4}", .declined),
            ("\nwhat\nyes\n", .init(method: nil, account: 0)),
            ("\n\n\n", .declined), ("+1\n1\n2\n", .declined),
        ] as [(String, ApprovalOutcome)])
    func answers(_ typed: String, _ expected: ApprovalOutcome) async throws {
        let terminal = try PseudoTerminal()
        let verification = TerminalApproval(path: terminal.path, clock: .ofReader)
        #expect(!verification.canVerify)
        async let answer = ApprovalOutcome(verification.ask(Self.question))
        let screen = try await terminal.screen(upTo: "[y/n] ")
        #expect(screen.contains("passkey") && screen.contains("\"example.org\", which calls itself \"Example\""))
        #expect(screen.contains("\"alice\", \"Alice A.\""))
        terminal.type(typed)
        #expect(await answer == expected)
    }

    @Test(
        "One of several accounts is chosen by its number",
        arguments: [("2\n", .init(method: nil, account: 1)), ("0\n4\ny\n", .declined), ("n\n", .declined)]
            as [(String, ApprovalOutcome)])
    func accounts(_ typed: String, _ expected: ApprovalOutcome) async throws {
        let terminal = try PseudoTerminal()
        let verification = TerminalApproval(path: terminal.path, clock: .ofReader)
        async let answer = ApprovalOutcome(verification.ask(Self.choice))
        let screen = try await terminal.screen(upTo: "1 to 3? (n to refuse) ")
        #expect(screen.contains("1: \"alice\"\r\n") && screen.contains("2: \"bob\"\r\n"))
        #expect(screen.contains("3: (without a name)"))
        terminal.type(typed)
        #expect(await answer == expected)
    }

    @Test("What was typed before the question does not count")
    func typedAhead() async throws {
        let terminal = try PseudoTerminal()
        terminal.type("yes\n")
        let verification = TerminalApproval(timeout: .milliseconds(300), path: terminal.path)
        #expect(ApprovalOutcome(await verification.ask(Self.question)) == .init(refusal: .timedOut))
    }

    @Test("A yes within half a second counts as no answer, and is asked for again; a no counts at once")
    func tooSoon() async throws {
        let terminal = try PseudoTerminal()
        // Shown, answered, shown again, answered, shown again, answered.
        let times = [0, 499, 499, 998, 998, 1_498].map { Duration.milliseconds($0) }
        async let answer = ApprovalOutcome(
            TerminalApproval(path: terminal.path, clock: .showing(times)).ask(Self.question))
        _ = try await terminal.screen(upTo: "[y/n] ")
        terminal.type("y\n")
        let again = try await terminal.screen(upTo: "[y/n] ")
        #expect(again.contains("that was too soon to be an answer"))
        terminal.type("yes\n")
        _ = try await terminal.screen(upTo: "[y/n] ")
        terminal.type("y\n")
        #expect(await answer == .init(method: nil, account: 0))

        for (typed, question) in [("y\n", Self.question), ("1\n", Self.choice)] {
            let hint = question.isChoice ? "(n to refuse) " : "[y/n] "
            let still = QuestionClock.showing(Array(repeating: .zero, count: 10))
            async let never = ApprovalOutcome(TerminalApproval(path: terminal.path, clock: still).ask(question))
            for _ in 0..<3 {
                _ = try await terminal.screen(upTo: hint)
                terminal.type(typed)
            }
            #expect(await never == .declined)
            async let no = ApprovalOutcome(
                TerminalApproval(path: terminal.path, clock: .showing([.zero, .zero])).ask(question))
            _ = try await terminal.screen(upTo: hint)
            terminal.type("n\n")
            #expect(await no == .declined)
        }
    }

    @Test("Cancelling the task ends the question")
    func cancelled() async throws {
        let terminal = try PseudoTerminal()
        let verification = TerminalApproval(path: terminal.path, clock: .ofReader)
        let answer = Task { ApprovalOutcome(await verification.ask(Self.question)) }
        _ = try await terminal.screen(upTo: "[y/n] ")
        answer.cancel()
        #expect(await answer.value == .init(refusal: .cancelled))
    }

    @Test("Without a terminal there is no way to ask", arguments: ["/nonexistent", "/dev/null"])
    func noTerminal(_ path: String) async {
        let verification = TerminalApproval(path: path)
        #expect(ApprovalOutcome(await verification.ask(Self.question)) == .init(refusal: .unavailable))
    }

    @Test("After the process was stopped and goes on, the question is shown again")
    func resumed() async throws {
        let terminal = try PseudoTerminal()
        async let answer = ApprovalOutcome(TerminalApproval(path: terminal.path, clock: .ofReader).ask(Self.question))
        _ = try await terminal.screen(upTo: "[y/n] ")
        kill(getpid(), SIGCONT)
        let again = try await terminal.screen(upTo: "[y/n] ")
        #expect(again.contains("\"example.org\""))
        terminal.type("y\n")
        #expect(await answer == .init(method: nil, account: 0))
    }

    @Test("A question that is longer than what the terminal takes at once is shown whole")
    func longQuestion() async throws {
        let terminal = try PseudoTerminal()
        async let answer = ApprovalOutcome(TerminalApproval(path: terminal.path, clock: .ofReader).ask(Self.longOne))
        let screen = try await terminal.screen(upTo: "[y/n] ")
        #expect(screen.count > 400 * 200)
        terminal.type("y\n")
        #expect(await answer == .init(method: nil, account: 0))
    }

    @Test("A question that the terminal does not take whole was not asked")
    func cutQuestion() async throws {
        let terminal = try PseudoTerminal()
        async let answer = ApprovalOutcome(TerminalApproval(path: terminal.path, clock: .ofReader).ask(Self.longOne))
        try await terminal.anything()
        terminal.disconnect()
        #expect(await answer == .init(refusal: .unavailable))
    }

    @Test("A passkey that would no longer work is named, with its day")
    func replacement() {
        let question = ApprovalQuestion(
            operation: .register, rpID: "example.org", accounts: [.init(name: "alice", displayName: nil)],
            replaced: .init(created: 1_795_262_400))
        let day = LocalTime.day(1_795_262_400)
        let line = "replaces the passkey of this account made on \(day): the old one will no longer work"
        #expect(ApprovalPrompt(question).text.english.contains(line))
        #expect(
            question.sentence(account: nil).hasSuffix(
                #", account "alice", which replaces the one made on \#(day): the old one will no longer work"#))
    }

    @Test("Accounts of one name are told apart by the times of their passkeys, where there is a choice")
    func sameNames() {
        func account(_ created: Int64?, _ lastUsed: Int64?) -> ApprovalQuestion.Account {
            .init(name: "alice", displayName: nil, passkey: .init(created: created, lastUsed: lastUsed))
        }
        let accounts = [account(1_795_262_400, 1_795_300_000), account(1_795_262_460, nil), account(nil, nil)]
        let question = ApprovalQuestion(operation: .signIn, rpID: "example.org", accounts: accounts)
        let (made, used) = (LocalTime.text(1_795_262_400), LocalTime.text(1_795_300_000))
        let lines = [
            #""alice", made \#(made), last used \#(used)"#,
            #""alice", made \#(LocalTime.text(1_795_262_460)), last used never"#,
            #""alice", made at an unknown time, last used never"#,
        ]
        let text = ApprovalPrompt(question).text.english
        for (index, line) in lines.enumerated() { #expect(text.contains("  \(index + 1): \(line)\n")) }
        #expect(question.dialogueAccounts.map(\.english) == lines)
        let only = ApprovalQuestion(operation: .signIn, rpID: "example.org", accounts: [accounts[0]])
        #expect(ApprovalPrompt(only).text.english.contains(#"account: "alice"\#("\n")"#))
    }

    @Test("Nothing that the peer says can steer the terminal or pass for another site")
    func sanitised() {
        let question = ApprovalQuestion(
            operation: .register, rpID: "b\u{430}nk.com\u{1b}[2J", rpName: "\u{202e}moc.knab\u{7}\nsite: bank.com",
            accounts: [.init(name: "\u{9b}1A\u{200b}", displayName: "\u{2066}x\r")])
        let text = ApprovalPrompt(question).text.english
        let harmless = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7f }
        #expect(harmless, "\(text.debugDescription)")
        #expect(text.split(separator: "\n").filter { $0.contains("site:") }.count == 1)
        #expect(text.contains(#""b\u{0430}nk.com\u{1B}[2J""#))
    }
}
