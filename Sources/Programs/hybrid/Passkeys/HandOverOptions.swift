import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification
import Vault

/// The name of this machine for the other device of a hand-over.
struct HandOverNameOption: ParsableArguments {
    @Option(
        help: .saying(
            "This machine's name on the other device. (default: its host name)", valueName: "name"))
    var deviceName: String?

    /// The name.
    var name: String { deviceName ?? AuthenticatorLinkOptions.hostName }
}

/// Options that both commands of a hand-over share, besides the way to the other device.
protocol HandOverCommand: ConfigurableCommand, Sendable {
    var verification: VerificationOption { get }
    var vault: VaultOptions { get }
    var time: TimeLimitOption { get }
    var output: OutputOptions { get }

    /// Does the work of the command; the caller reports errors.
    func perform(_ reporter: Reporter) async throws
}

extension HandOverCommand {
    func run() async throws {
        let reporter = output.reporter()
        let outcome = OutcomeWindow(in: vault.place.window, reporter)
        try await runCommand(reporter, telling: outcome.show) { try await perform(reporter) }
    }

    /// Refuses an approval without verification.
    ///
    /// - Throws: `ValidationError`.
    func validateVerification() throws {
        guard !verification.presenceOnly else {
            throw ValidationError.saying("a hand-over needs user verification: leave out --presence-only")
        }
    }

    /// Chooses how the user is asked and verified.
    ///
    /// - Throws: ``Failure``; ``AgentError``; ``VaultError``.
    func asking(
        isNewWithKeyring: Bool = false, noting typed: TypedPassphrase, _ reporter: Reporter
    ) async throws -> VerificationSetup.Choice {
        try await VerificationSetup(
            option: verification, subject: .init(vault: try vault.path(), isNewWithKeyring: isNewWithKeyring),
            questions: vault.place.questions(within: time.limits.question, reporter), timeout: time.limits.question,
            typed: typed, reporter: reporter, observe: reporter.listener(for: .authenticator), mayOnlyAsk: false
        ) { error in
            guard error.code != .cancelled else { return }
            reporter.warn(error.code.rawValue, Sentence(reason: error.reason))
        }.choice()
    }
}
