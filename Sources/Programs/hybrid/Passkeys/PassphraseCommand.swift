import ArgumentParser
import CommandLine
import LinuxSupport
import Vault

/// Changes the vault's passphrase, and its key in the keyring.
struct PassphraseCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        summary: "Change the vault's passphrase, and whether the desktop's keyring opens it too.",
        details: """
            example:
              hybrid passkeys passphrase
              hybrid passkeys passphrase --keyring

            The new passphrase needs at least 8 characters; press Enter at the prompt to have one made and shown. The \
            passkeys are encrypted again: the old passphrase opens only copies that were made before.
            """)

    @Option(
        help: .saying(
            "A file whose first line is the new passphrase; - is standard input. (default: ask at the terminal)",
            valueName: "file"), completion: .file())
    var newPassphraseFile: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            .saying("Whether the desktop's keyring also opens the vault, while you are logged in. (default: unchanged)")
    )
    var keyring: Bool?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await change(reporter) }
    }

    private func change(_ reporter: Reporter) async throws {
        let opened = try await vault.open(for: .changing, reporter)
        guard let summary = try Vault.summary(at: vault.path()) else {
            throw VaultError(.noVault, reason: "the vault is gone")
        }
        var secrets =
            if let newPassphraseFile {
                VaultSecrets(passphrase: try NewPassphrase.read(from: newPassphraseFile))
            } else {
                VaultSecrets(passphrase: try await NewPassphrase.ask("the vault's new passphrase", at: vault.place))
            }
        let usesKeyring = keyring ?? summary.hasKeyring
        // The keyring's key stays the same: if this ends half way, the old vault still opens with it.
        if usesKeyring { secrets = secrets.or(try await SecretService.secretsOrNew(forVault: summary.id)) }
        try await opened.change(to: secrets)
        await opened.close()
        if summary.hasKeyring, !usesKeyring {
            do throws(VaultError) {
                try await SecretService.removeSecrets(forVault: summary.id)
            } catch {
                reporter.warn(
                    error.code.rawValue,
                    "a key that no longer opens anything stays in the keyring: \(reason: error.reason)")
            }
        }
        reporter.write(
            Line("result", ["passphrase": true, "keyring": usesKeyring]),
            orSay: usesKeyring
                ? "the vault opens with the new passphrase and with the keyring"
                : "the vault opens with the new passphrase")
    }
}
