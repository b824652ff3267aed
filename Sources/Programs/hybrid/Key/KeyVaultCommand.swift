import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey
import Synchronization
import UserVerification
import Vault

/// A security key with this machine's passkeys behind it.
struct KeyVaultCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, NewVaultOption.self, TimeLimitOption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "vault",
        summary: "Act as a USB security key with the passkeys of the vault, until Ctrl-C or the screen is locked.",
        details: """
            example:
              hybrid key vault
              hybrid key vault --verify fprintd --ask desktop

            Every program that supports security keys can use it: browsers, ssh-keygen -t ecdsa-sk, pam-u2f, \
            fido2-token. Before a passkey is made or used, the command shows the site and the account, asks for your \
            approval, and verifies you by the best method that is set up, or as --verify says. Only programs of yours \
            see the key. The broker of the package hybrid-key-broker (systemctl enable --now hybrid-key.socket) makes \
            the key for the user at the screen; users who may open /dev/uhid need no broker.
            """)

    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.passkeys) var newVault: NewVaultOption
    @OptionGroup(title: OptionTitle.reach) var channel: KeyChannelOption
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var lab: LabOptions

    private var passkeys: PasskeyPlace { PasskeyPlace(vault: vault, newVault: newVault, lab: lab) }

    func validate() throws { try verification.validate(for: lab, vault) }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await serve(reporter) }
    }

    private func serve(_ reporter: Reporter) async throws {
        try channel.check()
        let typed = TypedPassphrase()
        let failure = LastVerificationFailure()
        let listener = reporter.listener(for: .authenticator)
        let approval = try await VerificationSetup(
            option: verification, subject: try passkeys.subject(isOpened: true),
            questions: vault.place.questions(within: time.limits.question, reporter), timeout: time.limits.question,
            typed: typed, reporter: reporter, observe: listener
        ) { failure.note($0) }.approval()
        let application = PasskeyAuthenticator(
            store: try await store(typed, reporter), approval: approval, transport: .usb
        ) { listener(failure.explaining($0)) }
        try await KeySession(channel: channel, reporter: reporter).run(application)
    }

    /// Opens the passkeys. A vault's file is not locked meanwhile: other commands can change it.
    private func store(_ typed: TypedPassphrase, _ reporter: Reporter) async throws -> any CredentialStore {
        guard lab.usesVault else { return try await passkeys.open(noting: typed, reporter) }
        let opened = try await vault.openOrCreate(usesKeyring: newVault.keyring, noting: typed, reporter)
        return try await HeldVault(opened, at: vault.path())
    }
}

/// The reason why the user was not verified, until an answer has told it.
final class LastVerificationFailure: Sendable {
    private let error = Mutex<VerificationError?>(nil)

    /// Notes why the user was not verified.
    func note(_ error: VerificationError) { self.error.withLock { $0 = error } }

    /// The same event; an answer has the user's own reason, if there is one.
    func explaining(_ event: PasskeyAuthenticatorEvent) -> PasskeyAuthenticatorEvent {
        guard case .answered(let request) = event, let error = error.withLock({ $0.take() }) else { return event }
        return .answered(request.refused(for: error.reason))
    }
}
