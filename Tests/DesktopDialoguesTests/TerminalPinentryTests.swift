import Foundation
import Glibc
import LinuxSupport
import TestPeers
import Testing

@testable import DesktopAuthenticator

/// The real pinentry-curses at a real terminal: a pseudo-terminal of the kernel's.
@Suite(.timeLimit(.minutes(4)), .enabled(if: VirtualDisplay.has("pinentry-curses")))
struct TerminalPinentryTests {
    /// A terminal with some lines and columns.
    private final class Screen: Sendable {
        let user: Int32
        private let program: Int32
        let path: String

        init() throws {
            var (user, program): (Int32, Int32) = (0, 0)
            var name = [CChar](repeating: 0, count: 64)
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&user, &program, &name, nil, &size) == 0)
            (self.user, self.program) = (user, program)
            path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            _ = fcntl(user, F_SETFL, O_NONBLOCK)
        }

        deinit {
            close(user)
            close(program)
        }

        /// The settings of the terminal.
        var flags: tcflag_t {
            var settings = termios()
            tcgetattr(program, &settings)
            return settings.c_lflag
        }

        func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(user, $0.baseAddress, $0.count) } }

        /// Waits until the text is on the screen.
        func show(_ text: String) async throws {
            var shown: [UInt8] = []
            while !String(decoding: shown, as: UTF8.self).contains(text) {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = read(user, &buffer, buffer.count)
                if count > 0 { shown += buffer.prefix(count) } else { try await Task.sleep(for: .milliseconds(20)) }
            }
        }
    }

    private static func pinentry(at screen: Screen) -> Pinentry {
        Pinentry(program: "pinentry-curses", terminal: screen.path, variables: ["TERM": "xterm", "LC_ALL": "C.UTF-8"])
    }

    @Test func `a passphrase is typed at the terminal`() async throws {
        let screen = try Screen()
        let dialogue = DialogueWords(description: "the vault", prompt: "Word:")
        async let typed = text(Self.pinentry(at: screen).passphrase(dialogue, within: never))
        try await screen.show("Word:")
        screen.type("open sesame\r")
        #expect(try await typed == "open sesame")
    }

    @Test func `a cancelled question gives the terminal back as it was`() async throws {
        let screen = try Screen()
        let before = screen.flags
        let asking = Task {
            await errorCode { () throws(DialogueError) in
                _ = try await Self.pinentry(at: screen).passphrase(
                    DialogueWords(description: "Sign in?", yes: "Approve", no: "Refuse"), within: never)
            }
        }
        try await screen.show("Refuse")
        #expect(screen.flags != before)
        asking.cancel()
        #expect(await asking.value == .cancelled)
        #expect(screen.flags == before)
    }
}
