import Foundation
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// Questions with a yes and a no, by a pinentry that misbehaves as it is told.
@Suite(.timeLimit(.minutes(4))) struct ConfirmationTests {
    private static let dialogue = PinentryDialogue(title: "Title", description: "Sign in?", yes: "Approve", no: "No")

    private func lines(of log: String) throws -> [String] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `a yes within half a second is asked for again, and three of them are a no`() async throws {
        for (times, asked, expected) in [
            ([0, 500], 1, nil), ([0, 499, 500, 1_000], 2, nil), ([0, 100, 100, 599, 600, 1_100], 3, nil),
            ([0, 100, 100, 599, 600, 1_099, 1_099, 9_000], 3, .declined),
        ] as [([Int], Int, DialogueError.Code?)] {
            try await inFolder { folder in
                let log = folder + "/log"
                let clock = QuestionClock.showing(times.map { .milliseconds($0) })
                let confirmation = Confirmation(pinentry: StandIn.pinentry("well", log: log), clock: clock)
                let code = await errorCode { () throws(DialogueError) in
                    try await confirmation.ask(Self.dialogue, within: never)
                }
                #expect(code == expected)
                let count = try lines(of: log).count { $0 == "CONFIRM" }
                #expect(count == asked)
            }
        }
    }

    @Test(arguments: [
        ("error 83886179", DialogueError.Code.declined), ("error 83886194", .declined), ("closed", .closed),
        ("error 83886142", .timeout),
    ])
    func `a no counts at once`(_ behaviour: String, _ expected: DialogueError.Code) async {
        let clock = QuestionClock.showing(Array(repeating: .zero, count: 4))
        let code = await errorCode { () throws(DialogueError) in
            try await Confirmation(pinentry: StandIn.pinentry(behaviour), clock: clock)
                .ask(Self.dialogue, within: never)
        }
        #expect(code == expected)
    }

    @Test(arguments: ["gnome3", "tty", "bemenu", "", "gtk2x", "gnome3:qt"])
    func `a pinentry that has not the no as its default is not asked for a yes`(_ flavor: String) async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let pinentry = StandIn.pinentry("well", flavor: flavor, log: log)
            let code = await errorCode { () throws(DialogueError) in
                try await pinentry.confirm([Self.dialogue], by: .ofReader, within: never)
            }
            #expect(code == .unsuited)
            let isAsked = try lines(of: log).contains("CONFIRM")
            #expect(!isAsked)
            // A passphrase is typed there all the same.
            let typed = try await text(pinentry.passphrase(Self.dialogue, within: never))
            #expect(typed == "a% ä")
        }
    }

    @Test(arguments: ["gtk2", "qt", "qt5", "qt6"])
    func `one whose default is the no is`(_ flavor: String) async throws {
        try await StandIn.pinentry("well", flavor: flavor).confirm([Self.dialogue], by: .ofReader, within: never)
    }

    @Test(arguments: ["curses", "gtk2:curses"])
    func `one that has found no display is not asked either`(_ flavor: String) async {
        let code = await errorCode { () throws(DialogueError) in
            try await StandIn.pinentry("well", flavor: flavor).confirm([Self.dialogue], by: .ofReader, within: never)
        }
        #expect(code == .noDisplay)
    }

    @Test func `each page has to be gone through, and together they have the whole`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let passkeys = (0..<40).map { "passkey: \"site-\($0).example, alice\"" }
            let question = PinentryDialogue(description: passkeys.joined(separator: "\n"), yes: "Approve", no: "Refuse")
            try await Confirmation(pinentry: StandIn.pinentry("well", log: log), clock: .ofReader)
                .ask(question, within: never)
            let lines = try lines(of: log)
            #expect(lines.count { $0 == "CONFIRM" } == 3)
            let descriptions = lines.filter { $0.hasPrefix("SETDESC ") }.map { $0.replacing("%0A", with: "\n") }
            for passkey in passkeys { #expect(descriptions.contains { $0.contains(passkey) }) }
            #expect(descriptions.last?.hasSuffix("page 3 of 3") == true)
            #expect(lines.filter { $0.hasPrefix("SETOK ") } == ["SETOK Continue", "SETOK Continue", "SETOK Approve"])
        }
    }

    @Test func `a no on the first page is one`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let question = PinentryDialogue(description: String(repeating: "line\n", count: 40))
            let code = await errorCode { () throws(DialogueError) in
                try await Confirmation(pinentry: StandIn.pinentry("error 83886194", log: log), clock: .ofReader)
                    .ask(question, within: never)
            }
            #expect(code == .declined)
            let count = try lines(of: log).count { $0 == "CONFIRM" }
            #expect(count == 1)
        }
    }

    @Test(arguments: [
        "short", String(repeating: "x", count: 3_000), String(repeating: "\u{10FFFF}", count: 2_000),
        String(repeating: "%\n", count: 200),
        String(repeating: "ä b\n", count: 30) + String(repeating: "y", count: 5_000),
    ])
    func `pages have all of a text, and each fits into a line of the protocol`(_ text: String) throws {
        let pages = try PinentryDialogue(description: text).pages()
        let parts = pages.enumerated().map { index, page in
            page.description.replacing("\n\npage \(index + 1) of \(pages.count)", with: "")
        }
        #expect(parts.joined().replacing("\n", with: "") == text.replacing("\n", with: ""))
        for page in pages {
            #expect(page.commands.allSatisfy { $0.utf8.count <= AssuanText.longestLine && !$0.contains("(and more)") })
        }
    }

    @Test func `what is too long to be read is not asked`() async throws {
        for text in [String(repeating: "x", count: 40_000), String(repeating: "\n", count: 1_000)] {
            let code = await errorCode { () throws(DialogueError) in
                try await Confirmation(pinentry: StandIn.pinentry("well"), clock: .ofReader)
                    .ask(PinentryDialogue(description: text), within: never)
            }
            #expect(code == .tooLong)
        }
    }

    @Test func `an account that is chosen within half a second is asked for again`() async throws {
        try await inFolder { folder in
            let program = folder + "/zenity"
            try "#!/bin/sh\necho asked >>'\(folder)/log'\necho 2\n".write(
                toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            for (times, expected, asked) in [
                ([0, 499, 500, 1_000], nil, 2), ([0, 1, 1, 2, 2, 3], .declined, 3),
            ] as [([Int], DialogueError.Code?, Int)] {
                try? FileManager.default.removeItem(atPath: folder + "/log")
                let chooser = AccountChooser(
                    at: program, clock: .showing(times.map { .milliseconds($0) }))
                let code = await errorCode { () throws(DialogueError) in
                    _ = try await chooser.choose(title: "?", text: "?", accounts: ["1", "2"], within: never)
                }
                #expect(code == expected)
                let count = try lines(of: folder + "/log").count
                #expect(count == asked)
            }
        }
    }

    @Test func `what is asked, and of whom, is in no argument of a program`() async throws {
        try await inFolder { folder in
            let program = folder + "/zenity"
            let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(folder)/arguments'\ncat >'\(folder)/rows'\necho 2\n"
            try script.write(toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            let approval = DesktopApproval(
                timeout: never, chooser: AccountChooser(at: program, clock: .ofReader))
            let site = String(repeating: "login.", count: 20) + "bank.example"
            let question = ApprovalQuestion(
                operation: .signIn, rpID: site,
                accounts: [.init(name: "alice", displayName: nil), .init(name: "bob", displayName: nil)])
            #expect(ApprovalOutcome(await approval.ask(question)) == .init(account: 1))
            let arguments = try String(contentsOfFile: folder + "/arguments", encoding: .utf8)
            let rows = try lines(of: folder + "/rows")
            for text in ["login", "bank.example", "alice", "bob"] { #expect(!arguments.contains(text)) }
            let names = stride(from: 1, to: rows.count, by: 2).map { rows[$0] }
            #expect(names.suffix(3) == ["none of these: refuse", "\"alice\"", "\"bob\""])
            #expect(names.joined().contains(site) && names.allSatisfy { $0.count <= 56 })
            #expect(stride(from: 0, to: rows.count, by: 2).map { rows[$0] }.suffix(4) == ["0", "0", "1", "2"])
        }
    }
}
