import Foundation
import TestPeers
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// Questions in windows, of real pinentries and of zenity on a display without a screen.
@Suite(.timeLimit(.minutes(4)), .serialized) struct DesktopApprovalTests {
    private static let title = "Request for a passkey"
    static let question = ApprovalQuestion(
        operation: .signIn, rpID: "example.org", accounts: [.init(name: "alice", displayName: "Alice A.")])
    static let choice = ApprovalQuestion(
        operation: .signIn, rpID: "example.org",
        accounts: [
            .init(name: "--help", displayName: "<b>--title=x</b> & co"), .init(name: "bob\nTRUE", displayName: nil),
            .init(name: nil, displayName: nil),
        ])
    /// The keys that press the button that does not have the focus: the yes.
    private static let yes = ["key", "Tab", "space"]
    private static let no = ["key", "Escape"]
    /// A question to a user who reads it, and says yes.
    private static let read = Confirmation(pinentry: StandIn.pinentry("well"), clock: .ofReader)

    private func ask(
        _ question: ApprovalQuestion, by program: String, choosing: Bool = false, _ keys: [String]
    ) async throws -> ApprovalOutcome {
        try await VirtualDisplay.with { display in
            let approval = DesktopApproval(
                timeout: never,
                confirmation: Confirmation(
                    pinentry: Pinentry(program: program, variables: display.variables), clock: .ofReader),
                chooser: choosing ? AccountChooser(variables: display.variables, clock: .ofReader) : nil)
            async let answer = ApprovalOutcome(approval.ask(question))
            try await display.inWindow(Self.title, [])
            // The rows of a list come by standard input, after the window.
            if choosing { try await display.settled(Self.title) }
            try await display.shoot("approval-\(choosing ? "zenity" : program)")
            try await display.inWindow(Self.title, keys)
            return await answer
        }
    }

    @Test(
        .enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt")),
        arguments: ["pinentry-gtk-2", "pinentry-qt"])
    func `the button of a yes approves, as presence alone`(_ program: String) async throws {
        #expect(try await ask(Self.question, by: program, Self.yes) == .init(account: 0))
    }

    @Test(
        .enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt")),
        arguments: ["pinentry-gtk-2", "pinentry-qt"])
    func `space, Enter and Escape refuse`(_ program: String) async throws {
        for key in ["space", "Return", "KP_Enter", "Escape"] {
            #expect(try await ask(Self.question, by: program, ["key", key]) == .init(refusal: .declined), "\(key)")
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("zenity")))
    func `where a stray key would be a yes in the pinentry's window, zenity asks, and takes none for one`() async throws
    {
        // The box is ticked, and then the button of a yes pressed, two behind it.
        let yes = ["key", "Tab", "space", "Tab", "Tab", "space"]
        for (keys, expected) in [
            (yes, ApprovalOutcome(account: 0)), (Self.no, .init(refusal: .declined)),
            (["key", "space", "Return", "KP_Enter", "space", "Return", "Escape"], .init(refusal: .declined)),
        ] {
            try await VirtualDisplay.with { display in
                let approval = DesktopApproval(
                    timeout: never,
                    confirmation: Confirmation(
                        pinentry: StandIn.pinentry("well", flavor: "gnome3", variables: display.variables),
                        clock: .ofReader),
                    chooser: nil)
                async let answer = ApprovalOutcome(approval.ask(Self.question))
                try await display.inWindow(Self.title, [])
                try await display.settled(Self.title)
                try await display.shoot("approval-zenity-question")
                try await display.inWindow(Self.title, keys)
                #expect(await answer == expected, "\(keys)")
            }
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("pinentry-gtk-2")))
    func `a page of a long question is not a higher than a screen, and Escape refuses all of it`() async throws {
        let details = (0..<30).map { "site-\($0).example, alice" }
        let question = ApprovalQuestion(
            operation: .receivePasskeys, rpID: "", rpName: "bob", details: details)
        try await VirtualDisplay.with { display in
            let approval = DesktopApproval(
                timeout: never,
                confirmation: Confirmation(
                    pinentry: Pinentry(program: "pinentry-gtk-2", variables: display.variables), clock: .ofReader),
                chooser: nil)
            async let answer = ApprovalOutcome(approval.ask(question))
            try await display.inWindow(Self.title, [])
            try await display.shoot("approval-page")
            let shape = try await display.run(["xdotool", "search", "--name", Self.title, "getwindowgeometry"]).lines
            let height = shape.compactMap { $0.firstMatch(of: /Geometry: \d+x(\d+)/)?.1 }.first.flatMap { Int($0) }
            #expect(try #require(height) <= 600)
            try await display.inWindow(Self.title, ["key", "Escape"])
            #expect(await answer == .init(refusal: .declined))
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("zenity")))
    func `the chosen account is the second, whatever the names are`() async throws {
        // Two lines of the question, and a row for no account, come first.
        let keys = ["key", "Home", "Down", "Down", "Down", "Down", "Return"]
        #expect(try await ask(Self.choice, by: "pinentry", choosing: true, keys) == .init(account: 1))
    }

    @Test(.enabled(if: VirtualDisplay.has("zenity")))
    func `no account is chosen by a stray key`() async throws {
        let keys = ["key", "space", "Return"]
        #expect(try await ask(Self.choice, by: "pinentry", choosing: true, keys) == .init(refusal: .declined))
    }

    @Test(.enabled(if: VirtualDisplay.has("zenity")))
    func `a list that is closed refuses`() async throws {
        #expect(try await ask(Self.choice, by: "pinentry", choosing: true, Self.no) == .init(refusal: .declined))
    }

    @Test(.enabled(if: VirtualDisplay.has("zenity", "pinentry-gtk-2")))
    func `a window goes when its request is over`() async throws {
        try await VirtualDisplay.with { display in
            for question in [Self.question, Self.choice] {
                let approval = DesktopApproval(
                    timeout: never,
                    confirmation: Confirmation(
                        pinentry: Pinentry(program: "pinentry-gtk-2", variables: display.variables)),
                    chooser: AccountChooser(variables: display.variables))
                let asking = Task { ApprovalOutcome(await approval.ask(question)) }
                try await display.inWindow(Self.title, [])
                asking.cancel()
                #expect(await asking.value == .init(refusal: .cancelled))
                // The program has ended by now; the display learns it from the closed connection.
                while try await display.run(["xdotool", "search", "--name", Self.title]).status == 0 {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt", "pinentry-curses")))
    func `without a display there is no way to ask, and the cause is said`() async throws {
        let nowhere = ["DISPLAY": ":63999", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
        for program in ["pinentry-gtk-2", "pinentry-qt", "pinentry-curses"] {
            let code = await errorCode { () throws(DialogueError) in
                try await Pinentry(program: program, variables: nowhere)
                    .confirm(PinentryDialogue(description: "?"), within: never)
            }
            #expect(code == .noDisplay, "\(program)")
        }
        if VirtualDisplay.has("zenity") {
            let chooser = try #require(AccountChooser(variables: nowhere))
            let code = await errorCode { () throws(DialogueError) in
                _ = try await chooser.choose(title: "?", text: "?", accounts: ["1", "2"], within: never)
            }
            #expect(code == .noDisplay || code == .declined)
        }
    }

    @Test func `without a program for the choice it is refused, and the cause is said`() async {
        await confirmation { told in
            let approval = DesktopApproval(timeout: never, confirmation: Self.read, chooser: nil) {
                #expect($0.code == .missing)
                told()
            }
            #expect(ApprovalOutcome(await approval.ask(Self.choice)) == .init(refusal: .unavailable))
        }
        let approval = DesktopApproval(timeout: never, confirmation: Self.read, chooser: nil)
        #expect(ApprovalOutcome(await approval.ask(Self.question)) == .init(account: 0))
    }

    @Test(
        .enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt")), arguments: ["pinentry-gtk-2", "pinentry-qt"])
    func `a passphrase is typed in a window`(_ program: String) async throws {
        try await VirtualDisplay.with { display in
            let pinentry = Pinentry(program: program, variables: display.variables)
            let dialogue = PinentryDialogue(
                title: Self.title, description: "hybrid asks for: the passphrase of the vault",
                objection: "the passphrase is wrong; once more")
            async let typed = text(pinentry.passphrase(dialogue, within: never))
            try await display.inWindow(Self.title, [])
            try await display.shoot("passphrase-\(program)")
            try await display.inWindow(Self.title, ["type", "open sesame"])
            try await display.inWindow(Self.title, ["key", "Return"])
            #expect(try await typed == "open sesame")
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("pinentry-gtk-2")))
    func `a new passphrase is typed twice in one window`() async throws {
        try await VirtualDisplay.with { display in
            let pinentry = Pinentry(program: "pinentry-gtk-2", variables: display.variables)
            let dialogue = PinentryDialogue(title: Self.title, description: "a passphrase for your new vault")
            async let typed = text(pinentry.newPassphrase(dialogue, within: never) { _ in nil })
            try await display.inWindow(Self.title, ["type", "open sesame"])
            // Between the two fields is a button that shows what is typed.
            try await display.inWindow(Self.title, ["key", "Tab", "Tab"])
            try await display.inWindow(Self.title, ["type", "open sesame"])
            try await display.shoot("new-passphrase")
            try await display.inWindow(Self.title, ["key", "Return"])
            #expect(try await typed == "open sesame")
        }
    }
}
