import Foundation
import LinuxSupport
import Synchronization
import TestPeers
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// The conversation with a pinentry, by one that misbehaves as it is told.
@Suite(.timeLimit(.minutes(4))) struct PinentryTests {
    private static let dialogue = DialogueWords(
        title: "Title", description: "Line one\nand 100%", prompt: "Word:", yes: "Yes", no: "No", objection: "wrong")

    @Test func `a passphrase is what was typed`() async throws {
        let passphrase = try await StandIn.pinentry("well").passphrase(Self.dialogue, within: never)
        #expect(text(passphrase) == "a% ä")
    }

    @Test func `a passphrase may come in pieces, among other lines`() async throws {
        let passphrase = try await StandIn.pinentry("pieces").passphrase(Self.dialogue, within: never)
        #expect(text(passphrase) == "a% ä")
    }

    @Test func `the words and the time limit are set before the question, and the keyboard is not grabbed`()
        async throws
    {
        try await inFolder { folder in
            let log = folder + "/log"
            try await StandIn.pinentry("well", log: log).type(Self.dialogue, within: .seconds(90))
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            let words = [
                "SETTITLE Title", "SETDESC Line one%0Aand 100%25", "SETPROMPT Word:", "SETOK Yes", "SETCANCEL No",
                "SETERROR wrong", "GETPIN",
            ]
            #expect(lines.suffix(words.count) == words[...])
            #expect(lines.contains("OPTION no-grab"))
            let limit = lines.compactMap { $0.firstMatch(of: /^SETTIMEOUT (\d+)$/)?.1 }.first
            #expect((1...90).contains(try #require(limit.flatMap { Int($0) })))
            #expect(!lines.contains { $0.contains("external-password-cache") })
        }
    }

    @Test(arguments: [
        ("error 83886179", DialogueError.Code.declined), ("error 83886194", .declined), ("error 83886278", .declined),
        ("closed", .closed), ("error 83886142", .timeout), ("error 83918950", .noDisplay), ("error 83886081", .failed),
        ("error x", .failed), ("ends", .noDisplay), ("long-line", .failed), ("long-data", .failed),
        ("malformed", .failed), ("endless", .failed),
    ])
    func `each end without an answer has its code`(_ behaviour: String, _ expected: DialogueError.Code) async {
        let code = await errorCode { () throws(DialogueError) in
            _ = try await StandIn.pinentry(behaviour).passphrase(Self.dialogue, within: never)
        }
        #expect(code == expected)
    }

    @Test func `an inquiry that nobody has asked for is cancelled`() async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            try await StandIn.pinentry("inquires", log: log).type(Self.dialogue, within: never)
            #expect(try await line("answer ", in: log) == "CAN")
        }
    }

    @Test func `a program that is not installed is named`() async {
        let pinentry = Pinentry(program: "pinentry-of-the-future")
        #expect(!pinentry.isInstalled)
        let code = await errorCode { () throws(DialogueError) in
            try await pinentry.type(Self.dialogue, within: never)
        }
        #expect(code == .missing)
    }

    @Test(arguments: ["hangs", "silent"])
    func `a cancelled question ends at once, and its program with it`(_ behaviour: String) async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let asking = Task {
                await errorCode { () throws(DialogueError) in
                    try await StandIn.pinentry(behaviour, log: log).type(Self.dialogue, within: never)
                }
            }
            let process = try await line("pid ", in: log)
            asking.cancel()
            #expect(await asking.value == .cancelled)
            try await waitForEnd(of: process)
        }
    }

    @Test(arguments: ["hangs", "silent"])
    func `a question that nobody answers ends in time, and its program with it`(_ behaviour: String) async throws {
        try await inFolder { folder in
            let log = folder + "/log"
            let code = await errorCode { () throws(DialogueError) in
                try await StandIn.pinentry(behaviour, log: log).type(Self.dialogue, within: .seconds(3))
            }
            #expect(code == .timeout)
            // On a busy machine the time may be up before the program has begun.
            if FileManager.default.fileExists(atPath: log),
                let text = try? String(contentsOfFile: log, encoding: .utf8), text.contains("pid ")
            {
                try await waitForEnd(of: try await line("pid ", in: log))
            }
        }
    }

    @Test func `a program that does not even greet is not waited for like a user`() async {
        let pinentry = Pinentry(
            program: StandIn.path, variables: ["BEHAVIOUR": "silent"], answerLimit: .milliseconds(500))
        do throws(DialogueError) {
            try await pinentry.type(Self.dialogue, within: never)
            Issue.record("it was answered")
        } catch {
            #expect(error.code == .failed && error.reason.hasSuffix("it does not answer"))
        }
    }

    @Test func `what is typed after the cancellation is dropped`() async throws {
        let cancel = Mutex<(@Sendable () -> Void)?>(nil)
        let asking = Task {
            await errorCode { () throws(DialogueError) in
                try await StandIn.pinentry("well").converse(within: never) { (pinentry) throws(DialogueError) in
                    try pinentry.show(Self.dialogue, "GETPIN")
                    while true {
                        if let cancel = cancel.withLock({ $0 }) { return cancel() }
                        usleep(1_000)
                    }
                }
            }
        }
        cancel.withLock { $0 = { asking.cancel() } }
        #expect(await asking.value == .cancelled)
    }

    @Test func `a task that is cancelled already asks nothing`() async {
        let code = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await errorCode { () throws(DialogueError) in
                try await StandIn.pinentry("well").type(Self.dialogue, within: never)
            }
        }.value
        #expect(code == .cancelled)
    }

    @Test func `a new passphrase is asked for twice where a pinentry has one field, and again after an objection`()
        async throws
    {
        try await inFolder { folder in
            let log = folder + "/log"
            let pinentry = StandIn.pinentry("well", log: log)
            let passphrase = try await pinentry.newPassphrase(Self.dialogue, within: never) { _ in nil }
            #expect(text(passphrase) == "a% ä")
            let count = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count { $0 == "GETPIN" }
            #expect(count == 2)
            do throws(DialogueError) {
                _ = try await pinentry.newPassphrase(Self.dialogue, within: never) { _ in "too short" }
                Issue.record("it was taken")
            } catch {
                #expect(error.code == .declined && error.reason == "too short")
            }
            let lines = try String(contentsOfFile: log, encoding: .utf8)
            #expect(lines.split(separator: "\n").count { $0 == "SETERROR too short" } == 2)
        }
    }
}
