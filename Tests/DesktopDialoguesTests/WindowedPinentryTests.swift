import Foundation
import LinuxSupport
import TestPeers
import Testing

@testable import DesktopAuthenticator

/// Passphrases in windows of real pinentries, on a display without a screen.
@Suite(.timeLimit(.minutes(4)), .serialized) struct WindowedPinentryTests {
    private static let title = "Request for a passkey"

    @Test(
        .enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt")), arguments: ["pinentry-gtk-2", "pinentry-qt"])
    func `a passphrase is typed in a window`(_ program: String) async throws {
        try await VirtualDisplay.with { display in
            let pinentry = Pinentry(program: program, variables: display.variables)
            let dialogue = DialogueWords(
                title: Sentence(verbatim: Self.title), description: "hybrid asks for: the passphrase of the vault",
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
            let dialogue = DialogueWords(
                title: Sentence(verbatim: Self.title), description: "a passphrase for your new vault")
            async let typed = text(pinentry.newPassphrase(dialogue, within: never) { _ in nil })
            try await display.inWindow(Self.title, ["type", "open sesame"])
            // Between the two fields is a button that shows the typed text.
            try await display.inWindow(Self.title, ["key", "Tab", "Tab"])
            try await display.inWindow(Self.title, ["type", "open sesame"])
            try await display.shoot("new-passphrase")
            try await display.inWindow(Self.title, ["key", "Return"])
            #expect(try await typed == "open sesame")
        }
    }

    @Test(.enabled(if: VirtualDisplay.has("pinentry-gtk-2", "pinentry-qt", "pinentry-curses")))
    func `without a display there is no way to ask, and the cause is said`() async throws {
        let nowhere = ["DISPLAY": ":63999", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
        for program in ["pinentry-gtk-2", "pinentry-qt", "pinentry-curses"] {
            let code = await errorCode { () throws(DialogueError) in
                try await Pinentry(program: program, variables: nowhere)
                    .type(DialogueWords(description: "?"), within: never)
            }
            #expect(code == .noDisplay, "\(program)")
        }
    }
}
