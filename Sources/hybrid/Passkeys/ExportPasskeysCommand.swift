import ArgumentParser
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// The passphrase of an export, which is not the vault's.
struct ExportPassphraseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the export's passphrase; - is standard input. Otherwise the terminal is asked.",
            valueName: "file"), completion: .file())
    var exportPassphraseFile: String?
}

/// Writes all passkeys to a file.
struct ExportPasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all passkeys to a new file, encrypted under a passphrase of its own.",
        discussion: """
            example:
              hybrid passkeys export backup.vault

            The file is a vault too: hybrid passkeys list --vault backup.vault shows what it holds. Replaced passkeys \
            are left out: restore first what you want to have in it.
            """)

    @Argument(help: "The file, which must not be there yet.", completion: .file())
    var file: String

    @OptionGroup var passphrase: ExportPassphraseOption
    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await export(reporter) }
    }

    private func export(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let secrets =
            if let file = passphrase.exportPassphraseFile {
                VaultSecrets(passphrase: try NewPassphrase.read(from: file))
            } else {
                VaultSecrets(passphrase: try NewPassphrase.ask("a passphrase for the export"))
            }
        let bytes = try await vault.exported(secrets)
        let count = try await vault.credentials().count
        try AtomicFile(path: file).create(with: bytes.span)
        try await vault.markBackedUp()
        await vault.close()
        reporter.write(ResultLine(exported: count), orSay: "wrote \(count) passkeys to \(file)")
    }

    private struct ResultLine: Encodable {
        let event = "result"
        let exported: Int
    }
}

/// Imports the passkeys of an export.
struct ImportPasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take in the passkeys of an export.",
        discussion: """
            example:
              hybrid passkeys import backup.vault

            Passkeys that the vault has are left as they are, and so is an account's when the export has another one \
            for it.
            """)

    @Argument(help: "The file that export wrote.", completion: .file())
    var file: String

    @Flag(help: "If there is no vault yet: let the desktop's keyring keep the key of the new one.")
    var keyring = false

    @OptionGroup var passphrase: ExportPassphraseOption
    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await takeIn(reporter) }
    }

    private func takeIn(_ reporter: Reporter) async throws {
        guard try Vault.summary(at: file) != nil else {
            throw VaultError(.noVault, reason: "there is no export at \(file)")
        }
        let secrets =
            if let file = passphrase.exportPassphraseFile {
                VaultSecrets(passphrase: try PassphraseInput.read(from: file))
            } else {
                VaultSecrets(passphrase: try PassphraseInput.ask("passphrase of the export"))
            }
        let export = try Vault.open(at: file, secrets, for: .reading)
        let vault = try await vault.openOrCreate(usesKeyring: keyring, reporter)
        let credentials = try await export.credentials()
        await export.close()
        let count = try await vault.takeIn(credentials)
        await vault.close()
        reporter.write(
            ResultLine(imported: count, left: credentials.count - count),
            orSay: "took in \(count) of \(credentials.count) passkeys")
    }

    private struct ResultLine: Encodable {
        let event = "result"
        let imported: Int
        /// The number of passkeys that were there already, or that another one of their account replaces.
        let left: Int
    }
}
