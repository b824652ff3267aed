import CommandLine
import Cryptography
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification

/// The questions that come with a verification, and the way to ask them.
protocol VerificationQuestions: Sendable {
    /// Shows the question of an approval, and offers the choice of an account.
    ///
    /// - Throws: ``Failure`` if there is no way to ask.
    func approval() throws -> any UserApproval

    /// Asks for the passphrase that verifies the user.
    ///
    /// - Throws: ``Failure``; `DialogueError`; `CancellationError`.
    func passphraseToApprove() async throws -> SecretBytes

    /// Tells the next step of the user, in the place of the one before; nil if nothing is left to be done.
    func tell(_ step: Sentence?) async

    /// Asks whether the client of a session is linked. Everything but a yes is a no.
    ///
    /// - Throws: ``Failure`` if there is no way to ask; `DialogueError`; `CancellationError`.
    func link() async throws -> Bool
}

/// Questions at the terminal.
struct TerminalQuestions: VerificationQuestions {
    /// The longest time for an answer.
    let timeout: Duration
    let reporter: Reporter

    func approval() throws -> any UserApproval {
        guard StandardStreams.hasControllingTerminal else {
            throw Failure.usage(
                "there is no terminal to ask you at",
                hint: "run this in a terminal (under su: su --pty), or give --verify polkit; on a desktop, install "
                    + "the package hybrid-desktop")
        }
        return TerminalApproval(timeout: timeout)
    }

    func passphraseToApprove() throws -> SecretBytes {
        try PassphraseInput.ask("to approve, the passphrase of the vault")
    }

    func tell(_ step: Sentence?) {
        if let step { reporter.say(step) }
    }

    func link() throws -> Bool { try LinkQuestion.ask() }
}

/// Questions in windows of the desktop.
struct WindowQuestions: VerificationQuestions {
    /// The longest time for an answer.
    let timeout: Duration
    let reporter: Reporter
    private let dialogues: DesktopDialogues
    private let step: DesktopStep

    init(by dialogues: DesktopDialogues, timeout: Duration, reporter: Reporter) {
        self.dialogues = dialogues
        self.timeout = timeout
        self.reporter = reporter
        step = DesktopStep(by: dialogues, limit: timeout, reporter: reporter)
    }

    func approval() -> any UserApproval {
        DesktopApproval(timeout: timeout, by: dialogues) { [reporter] in
            guard $0.refusal == .unavailable else { return }
            reporter.warn($0.code.rawValue, Sentence(reason: $0.reason), role: .authenticator)
        }
    }

    func passphraseToApprove() async throws -> SecretBytes {
        try await PassphraseInput.ask("to approve, the passphrase of the vault", at: .desktop(dialogues))
    }

    func tell(_ step: Sentence?) async { await self.step.show(step) }

    func link() async throws -> Bool {
        try await LinkQuestion.ask(
            by: dialogues, waiter: Sentence(verbatim: LinkQuestion.listenCommand), within: timeout)
    }
}

extension AskingPlace {
    /// The questions that are asked at this place.
    func questions(within timeout: Duration, _ reporter: Reporter) -> any VerificationQuestions {
        switch self {
        case .terminal: TerminalQuestions(timeout: timeout, reporter: reporter)
        case .desktop(let dialogues): WindowQuestions(by: dialogues, timeout: timeout, reporter: reporter)
        }
    }
}

extension PasskeyPlace {
    /// The subject of the verification.
    ///
    /// - Parameter isOpened: false if no passkeys are opened.
    /// - Throws: ``VaultError`` `no-directory`.
    func subject(isOpened: Bool) throws -> VerificationSetup.Subject {
        .init(
            vault: isVault && isOpened ? try vault.path() : nil, isNewWithKeyring: newVault.keyring, store: lab.store,
            isOpened: isOpened, asksNobody: lab.yes)
    }
}
