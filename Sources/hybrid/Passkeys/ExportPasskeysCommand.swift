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
        // Before anybody types a passphrase.
        guard !SystemFile.exists(file) else {
            throw VaultError(.exists, reason: "\(file) is there already")
        }
        try FileCheck.writable(file, hint: "give the path of a new file, in a folder that you may write to")
        let vault = try await vault.open(for: .changing, reporter)
        let secrets =
            if let file = passphrase.exportPassphraseFile {
                VaultSecrets(passphrase: try NewPassphrase.read(from: file, reporter))
            } else {
                VaultSecrets(
                    passphrase: try await NewPassphrase.ask("a passphrase for the export", at: self.vault.place))
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

    @OptionGroup var passphrase: ExportPassphraseOption
    @OptionGroup var vault: VaultOptions
    @OptionGroup var newVault: NewVaultOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await takeIn(reporter) }
    }

    private func takeIn(_ reporter: Reporter) async throws {
        guard try Self.ofExport({ () throws(VaultError) in try Vault.summary(at: file) }) != nil else {
            throw Failure(.file, code: "no-vault", cause: "there is no export at \(file)", hint: Self.hint)
        }
        let secrets =
            if let file = passphrase.exportPassphraseFile {
                VaultSecrets(passphrase: try PassphraseInput.read(from: file, reporter))
            } else {
                VaultSecrets(
                    passphrase: try await PassphraseInput.ask("passphrase of the export", at: self.vault.place))
            }
        let export = try Self.ofExport { () throws(VaultError) in try Vault.open(at: file, secrets, for: .reading) }
        let vault = try await vault.openOrCreate(usesKeyring: newVault.keyring, reporter)
        let credentials = try await export.credentials()
        await export.close()
        let count = try await vault.takeIn(credentials)
        await vault.close()
        reporter.write(
            ResultLine(imported: count, left: credentials.count - count),
            orSay: "took in \(count) of \(credentials.count) passkeys"
                + (count < credentials.count
                    ? "; the others, or other ones of their accounts, are in the vault already" : ""))
    }

    private static let hint = "give the file that hybrid passkeys export has written"

    /// What reads the export: a file that is none is not the vault's fault.
    private static func ofExport<Value>(_ read: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do throws(VaultError) {
            return try read()
        } catch {
            let failure = Failure(error)
            guard failure.status == .file else { throw failure }
            throw Failure(.file, code: failure.code, cause: failure.cause, hint: hint)
        }
    }

    private struct ResultLine: Encodable {
        let event = "result"
        let imported: Int
        /// The number of passkeys that were there already, or that another one of their account replaces.
        let left: Int
    }
}
