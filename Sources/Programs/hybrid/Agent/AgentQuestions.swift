import CommandLine
import Cryptography
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification
import Vault

/// The agent's questions to the user: in windows of the desktop, or at the terminal that it runs in.
struct AgentQuestions: VerificationQuestions {
    /// Titles of the windows.
    private enum Title {
        static let newVault: Sentence = "New vault for your passkeys"
        static let opening: Sentence = "Open the vault of your passkeys"
        static let approval: Sentence = "Passphrase to approve"
    }

    private static let windowHint: Sentence = "install the package hybrid-desktop"

    /// The longest time for an answer.
    let timeout: Duration
    /// The vault's file.
    let path: String
    /// The file with the passphrase that opens the vault; nil to ask for it.
    let passphraseFile: String?
    let reporter: Reporter
    private let dialogues: DesktopDialogues
    private let step: DesktopStep

    init(
        by dialogues: DesktopDialogues, timeout: Duration, path: String, passphraseFile: String?, reporter: Reporter
    ) {
        self.dialogues = dialogues
        self.timeout = timeout
        self.path = path
        self.passphraseFile = passphraseFile
        self.reporter = reporter
        step = DesktopStep(by: dialogues, limit: timeout, reporter: reporter)
    }

    /// There is no way to ask.
    private var noWay: Failure {
        guard !DesktopApproval.hasDisplay else {
            return Failure(
                .usage, code: "no-dialogue",
                cause: "hybrid-window is not installed, and the agent has no terminal to ask at",
                hint: Self.windowHint)
        }
        return Failure(
            .usage, code: "no-dialogue", cause: "the agent has neither a desktop nor a terminal to ask you at",
            hint: "run it in your desktop session, with DISPLAY or WAYLAND_DISPLAY set, and install hybrid-desktop")
    }

    /// True if questions go to the desktop.
    private var usesDesktop: Bool { DesktopApproval.hasDisplay && dialogues.window != nil }

    /// True if passphrases are asked for there, too: a pinentry does that alone.
    private var asksPassphrasesThere: Bool { DesktopApproval.hasDisplay && dialogues.canAskForPassphrases }

    /// Shows the question of an approval, and offers the choice of an account.
    ///
    /// - Throws: ``Failure`` if there is neither a desktop nor a terminal.
    func approval() throws -> any UserApproval {
        if usesDesktop {
            return DesktopApproval(timeout: timeout, by: dialogues) { [reporter] in
                guard $0.refusal == .unavailable else { return }
                reporter.warn($0.code.rawValue, Sentence(reason: $0.reason), role: .authenticator)
            }
        }
        guard StandardStreams.hasControllingTerminal else { throw noWay }
        return TerminalApproval(timeout: timeout)
    }

    /// Asks for the passphrase that opens the vault.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    func passphraseToOpen(_ attempt: Int) async throws -> SecretBytes {
        if let passphraseFile {
            // Another attempt would read the same.
            guard attempt == 1 else { throw VaultError(.wrongPassphrase, reason: "the passphrase is wrong") }
            return try PassphraseInput.read(from: passphraseFile)
        }
        return try await failing {
            try await passphrase(
                Title.opening, "The passphrase opens the vault of your passkeys:\n\(path)", attempt > 1)
        }
    }

    /// Asks for the passphrase of a new vault.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    func newPassphrase() async throws -> SecretBytes {
        if let passphraseFile { return try NewPassphrase.read(from: passphraseFile) }
        guard asksPassphrasesThere else {
            guard StandardStreams.hasControllingTerminal else { throw noWay }
            return try await NewPassphrase.ask(forNewVault: path, at: .terminal)
        }
        return try await failing {
            try await dialogues.newPassphrase(
                DialogueWords(
                    title: Title.newVault,
                    description: "There is no vault for your passkeys yet. One is made at\n\(path)\n\n"
                        + "Choose a passphrase for it, of 8 characters or more."), within: timeout
            ) { NewPassphrase.objection(to: $0) }
        }
    }

    /// Asks whether the client of a session is linked.
    ///
    /// - Throws: ``Failure``; `DialogueError`; `CancellationError`.
    func link() async throws -> Bool {
        guard usesDesktop else {
            guard StandardStreams.hasControllingTerminal else { throw noWay }
            return try LinkQuestion.ask()
        }
        return try await LinkQuestion.ask(by: dialogues, waiter: "The agent", within: timeout)
    }

    /// Asks for the passphrase that verifies the user.
    ///
    /// - Throws: ``Failure``; `DialogueError`; `CancellationError`.
    func passphraseToApprove() async throws -> SecretBytes {
        try await passphrase(
            Title.approval, "To approve, type the passphrase of the vault of your passkeys.", false)
    }

    /// Tells the next step of the user, on the desktop too.
    func tell(_ step: Sentence?) async {
        guard !usesDesktop else { return await self.step.show(step) }
        if let step { reporter.say(step) }
    }

    private func passphrase(_ title: Sentence, _ text: Sentence, _ wasWrong: Bool) async throws -> SecretBytes {
        if asksPassphrasesThere {
            return try await dialogues.passphrase(
                DialogueWords(
                    title: title, description: text, objection: wasWrong ? "The passphrase is wrong" : nil),
                within: timeout)
        }
        guard StandardStreams.hasControllingTerminal else { throw noWay }
        return try PassphraseInput.ask(
            wasWrong ? "wrong; once more, the passphrase of the vault" : "the passphrase of the vault")
    }

    /// Asks whether a code is answered that another person can have put before this machine: any program of the user's
    /// can give the agent one.
    ///
    /// - Throws: ``Failure`` for everything but a yes; `CancellationError`.
    func confirm(_ source: CodeConfirmation.Source) async throws {
        guard usesDesktop else {
            guard StandardStreams.hasControllingTerminal else { throw noWay }
            return try CodeConfirmation.ask(source)
        }
        try await failing {
            do {
                try await dialogues.needWindow().confirm(CodeConfirmation.words(source), within: timeout)
            } catch let error as DialogueError where error.refusal == .declined {
                throw CodeConfirmation.refusal(of: source)
            }
        }
    }

    /// Runs a dialogue, and puts its failure into words.
    private func failing<Value: ~Copyable>(_ dialogue: () async throws -> Value) async throws -> Value {
        do {
            return try await dialogue()
        } catch let error as DialogueError {
            switch error.code {
            case .cancelled: throw CancellationError()
            case .declined, .closed:
                throw Failure(.declined, code: "declined", cause: "the dialogue was closed", hint: Hint.startAgain)
            case .timeout:
                throw Failure(.timeout, error, hint: Hint.startAgain)
            case .missing:
                throw Failure(.failure, error, hint: Self.windowHint)
            case .tooLong: throw Failure(error)
            case .noDisplay, .failed:
                throw Failure(
                    .failure, error,
                    hint: "start again; if it happens again, run the agent in a terminal: hybrid agent run")
            }
        }
    }
}

extension CodeConfirmation.Source {
    /// The way of a code that was given to the agent.
    init(_ source: AgentWork.CodeSource) {
        self =
            switch source {
            case .text: .program
            case .link: .link
            case .screen: .screen
            case .clipboard: .clipboard
            case .picture: .picture
            }
    }
}
