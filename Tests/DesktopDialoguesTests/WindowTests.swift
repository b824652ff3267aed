import Foundation
import LinuxSupport
import TestPeers
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// The window contract, with a program that misbehaves as it is told.
@Suite(.timeLimit(.minutes(4))) struct WindowTests {
    private static let words = DialogueWords(title: "Title?", description: "Line one\nLine two", yes: "Yes", no: "No")

    private func confirm(_ behaviour: String) async -> DialogueError.Code? {
        await errorCode { () throws(DialogueError) in
            try await StandIn.window(behaviour).confirm(Self.words, within: never)
        }
    }

    @Test(
        arguments: [
            ("yes", nil), ("no", .declined), ("no-display", .noDisplay), ("other-version", .failed),
            ("ends", .noDisplay),
            ("rubbish", .failed), ("deep", .failed), ("long-line", .failed), ("unknown", .failed), ("early", .failed),
            ("flood", .failed), ("digits 123456", .failed), ("secret yes", .failed),
        ] as [(String, DialogueError.Code?)])
    func `only a yes is one, and each other end has its code`(_ behaviour: String, _ expected: DialogueError.Code?)
        async
    {
        #expect(await confirm(behaviour) == expected)
    }

    @Test func `a program that is not there is named`() async {
        let code = await errorCode { () throws(DialogueError) in
            try await Window(at: "/nowhere/window").confirm(Self.words, within: never)
        }
        #expect(code == .missing)
    }

    @Test func `a yes within half a second is asked for again, and three of them are a no`() async throws {
        for (times, asked, expected) in [
            ([0, 500], 1, nil), ([0, 499, 500, 1_000], 2, nil), ([0, 100, 100, 599, 600, 1_100], 3, nil),
            ([0, 100, 100, 599, 600, 1_099, 1_099, 9_000], 3, .declined),
        ] as [([Int], Int, DialogueError.Code?)] {
            for (behaviour, isChoice) in [("yes", false), ("account 1", true)] {
                try await inFolder { folder in
                    let log = folder + "/log"
                    let clock = QuestionClock.showing(times.map { .milliseconds($0) })
                    let window = StandIn.window(behaviour, log: log, clock: clock)
                    let code = await errorCode { () throws(DialogueError) in
                        if isChoice {
                            _ = try await window.choose(Self.words, of: ["1", "2"], within: never)
                        } else {
                            try await window.confirm(Self.words, within: never)
                        }
                    }
                    #expect(code == expected)
                    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                    #expect(lines.count { $0.hasPrefix("shown ") } == asked)
                }
            }
        }
    }

    @Test func `a press on what is no longer shown answers nothing`() async {
        let code = await errorCode { () throws(DialogueError) in
            try await StandIn.window("late").converse(within: never) { (window) throws(DialogueError) in
                try window.show(.step(Self.words))
                _ = try window.approval(.approval(Self.words), by: .ofReader)
            }
        }
        #expect(code == .declined)
    }

    @Test(arguments: [("secret open sesame", "open sesame"), ("secret ", ""), ("secret-in-pieces", "a% \u{E4}\nbc")])
    func `a secret is the bytes that were typed`(_ behaviour: String, _ expected: String) async throws {
        #expect(text(try await StandIn.window(behaviour).secret(Self.words, within: never)) == expected)
    }

    @Test(arguments: ["long-secret", "longer-secret", "no-length", "yes", "digits 1"])
    func `a secret that is not as the contract has it is none`(_ behaviour: String) async {
        let code = await errorCode { () throws(DialogueError) in
            _ = try await StandIn.window(behaviour).secret(Self.words, within: never)
        }
        #expect(code == .failed)
    }

    @Test func `a new secret is asked for again after an objection, three times at most`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let window = StandIn.window("secret open sesame", log: log)
            #expect(text(try await window.newSecret(Self.words, within: never) { _ in nil }) == "open sesame")
            do throws(DialogueError) {
                _ = try await window.newSecret(Self.words, within: never) { _ in "too short" }
                Issue.record("it was taken")
            } catch {
                #expect(error.code == .declined && error.reason == "too short")
            }
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            #expect(lines.count { $0.contains(#""objection":"too short""#) } == 2)
            #expect(lines.filter { $0.hasPrefix("shown ") }.allSatisfy { $0.contains(#""twice":true"#) })
        }
    }

    @Test(
        arguments: [
            ("digits 012345", nil), ("digits 12345", .failed), ("digits 1234567", .failed), ("digits 12345x", .failed),
            ("digits \u{0661}\u{0662}\u{0663}\u{0664}\u{0665}\u{0666}", .failed), ("no", .declined),
        ] as [(String, DialogueError.Code?)])
    func `a number has so many digits`(_ behaviour: String, _ expected: DialogueError.Code?) async {
        let code = await errorCode { () throws(DialogueError) in
            let digits = try await StandIn.window(behaviour).digits(Self.words, count: 6, within: never)
            #expect(digits == "012345")
        }
        #expect(code == expected)
    }

    @Test(arguments: ["hangs", "silent", "deaf"])
    func `a cancelled question ends at once, and its program with it`(_ behaviour: String) async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let words = DialogueWords(
                description: Sentence(verbatim: String(repeating: "a line that fills the pipe\n", count: 1_900)))
            let asking = Task {
                await errorCode { () throws(DialogueError) in
                    let window = StandIn.window(behaviour, log: log)
                    try await window.converse(within: never) { (window) throws(DialogueError) in
                        for _ in 0..<4 { try window.show(.step(words)) }
                        _ = try window.answer()
                    }
                }
            }
            let process = try await line("pid ", in: log)
            asking.cancel()
            #expect(await asking.value == .cancelled)
            try await waitForEnd(of: process)
        }
    }

    @Test(arguments: ["hangs", "silent"])
    func `a question that nobody answers ends in time`(_ behaviour: String) async throws {
        let code = await errorCode { () throws(DialogueError) in
            try await StandIn.window(behaviour).confirm(Self.words, within: .seconds(3))
        }
        #expect(code == .timeout)
    }

    @Test func `what is too long to be shown is not asked`() async {
        for text in [String(repeating: "x", count: 1 << 20), String(repeating: "x\n", count: 2_001)] {
            let code = await errorCode { () throws(DialogueError) in
                try await StandIn.window("yes").confirm(
                    DialogueWords(description: Sentence(verbatim: text)), within: never)
            }
            #expect(code == .tooLong)
        }
    }

    @Test func `a ceremony's window shows the code, tells the stages, and goes`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let shown = try CeremonyWindow()
            shown.show(.code(Self.words, modules: [[true, false], [false, true]], text: "FIDO:/1"))
            let following = Task { try await shown.follow(in: StandIn.window("silence", log: log)) }
            let first = try await line("shown ", in: log)
            #expect(first.contains(#""modules":["10","01"],"text":"FIDO:/1""#))
            shown.tell("read")
            #expect(try await line(#"shown {"tell":"read"}"#, in: log) == "")
            shown.close()
            #expect(try await following.value == false)
        }
    }

    @Test(arguments: ["no", "silence"])
    func `an outcome is shown until it is closed, or for its time`(_ behaviour: String) async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            try await StandIn.window(behaviour, log: log).show(outcome: Self.words, isGood: true)
            let shown = try await line("shown ", in: log)
            #expect(shown.contains(#""show":"outcome""#) && shown.contains(#""good":true"#))
        }
    }

    @Test func `a user who closes a ceremony's window ends it`() async throws {
        let shown = try CeremonyWindow()
        shown.show(.code(Self.words, modules: [[true]], text: "FIDO:/1"))
        #expect(try await shown.follow(in: StandIn.window("no")))
    }
}
