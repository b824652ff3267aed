import CommandLine
import DesktopAuthenticator
import LinuxSupport
import UserVerification

/// The question before a QR code is answered that another person can have put before this machine.
///
/// A web page can open a FIDO:/ link, and show a picture of a code just as well. If that were enough to start the
/// authenticator, a page could show the code of an attacker's own sign-in, and the user would sign the attacker in: the
/// victim's own machine would prove its proximity (CVE-2024-9956). A user who holds a camera before a screen, or types
/// the text, intends it; a user who opens a link or takes a picture of the screen may not. So nothing is opened, sent
/// or advertised, and no vault asked for, until the user confirms it.
enum CodeConfirmation {
    /// The way on which a code has come.
    enum Source {
        case link, screen, picture, clipboard, program

        /// The source, as the subject of a sentence.
        var text: Sentence {
            switch self {
            case .link: "a link"
            case .screen: "a QR code on the screen"
            case .picture: "a QR code in a picture"
            case .clipboard: "a QR code in the clipboard"
            case .program: "a program of yours"
            }
        }

        /// The condition under which the code is the user's own.
        fileprivate var condition: Sentence {
            switch self {
            case .link: "followed the link yourself to do so"
            case .screen: "the code is in the window in which you sign in. Web pages can show a code too"
            case .picture: "took the picture yourself to do so. Web pages and messages can show a code too"
            case .clipboard: "copied the code yourself to do so. Web pages can put one into the clipboard too"
            case .program: "started that program yourself to do so"
            }
        }
    }

    private static let hint: Sentence = """
        run this in a terminal, to confirm it there; a program that vouches for the origin of the code passes its text \
        with -
        """

    private static func question(_ source: Source) -> Sentence {
        let lines = lines(source, no: "answer n")
        let rest = lines.dropFirst().map { "  \($0)\n" as Sentence }.joined("")
        return "\n\(lines[0])\n\n\(rest)\nwas it you?"
    }

    /// The question for a window.
    static func words(_ source: Source) -> DialogueWords {
        DialogueWords(
            title: "Was it you?", description: lines(source, no: "refuse").joined("\n"), yes: "It was me",
            no: "Refuse")
    }

    private static func lines(_ source: Source, no: Sentence) -> [Sentence] {
        [
            "This machine is asked by \(source.text) to sign in, or to make a passkey.",
            "Go on only if you are signing in somewhere now, and \(source.condition).",
            "If a web page, a message or somebody on the telephone made you come here, \(no): they would be signed in "
                + "as you.",
        ]
    }

    /// A code that was not confirmed.
    static func refusal(of source: Source) -> Failure {
        Failure(
            .declined, code: "declined", cause: "\(source.text) was not confirmed",
            hint: "nothing was sent; close the page or the message that it came from")
    }

    /// Asks at the terminal.
    ///
    /// - Throws: ``Failure`` for everything but a yes; `CancellationError`.
    static func ask(_ source: Source) throws {
        guard try TerminalQuestion.ask(question(source), hint: hint) else {
            throw refusal(of: source)
        }
    }

    /// Asks at a place.
    ///
    /// - Throws: ``Failure`` for everything but a yes; `DialogueError`; `CancellationError`.
    static func ask(_ source: Source, at place: AskingPlace) async throws {
        guard case .desktop(let dialogues) = place else { return try ask(source) }
        do throws(DialogueError) {
            try await dialogues.needWindow().confirm(words(source), within: PassphraseInput.windowLimit)
        } catch {
            guard error.refusal == .declined else { throw error }
            throw refusal(of: source)
        }
    }
}
