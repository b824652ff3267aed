import ArgumentParser
import CommandLine
import Cryptography
import DesktopAuthenticator
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange
import Vault

/// The passphrase of an export, which is not the vault's.
struct ExportPassphraseOption: ParsableArguments {
    @Option(
        help: .saying(
            "A file whose first line is the export's passphrase; - is standard input. (default: ask at the terminal)",
            valueName: "file"), completion: .file())
    var exportPassphraseFile: String?
}

/// Writes passkeys to a file.
struct ExportPasskeysCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "export",
        summary: "Write passkeys to a new file: encrypted, or in a format that other programs read.",
        details: """
            example:
              hybrid passkeys export backup.vault
              hybrid passkeys export --format cxf passkeys.json

            formats:
            \(PasskeyFormat.table)

            The default is hybrid: a vault that is encrypted under its own passphrase. hybrid passkeys list --vault \
            backup.vault shows its contents. kdbx is encrypted too, for other programs. The other formats are not \
            encrypted: you are verified before such a file is written, and anyone who reads it can sign in as you. The \
            command reports each passkey that a format leaves out or changes, with the reason. Replaced passkeys are \
            left out: restore those that you want to export first.
            """)

    @Argument(help: .saying("The file, which must not exist yet."), completion: .file())
    var file: String

    @Option(help: .saying("The file's format, of the list below.", valueName: "format"))
    var format: PasskeyFormat = .hybrid

    @Option(
        help: .saying(
            "A passkey to write: its ID, or enough of its first digits; may be repeated. (default: all)",
            valueName: "passkey"))
    var only: [String] = []

    @Option(
        help: .saying(
            """
            How you are verified before private keys are written in clear text: fprintd, polkit, or passphrase. \
            (default: the first that is set up)
            """, valueName: "how"))
    var verify: VerificationMethod?

    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var passphrase: ExportPassphraseOption
    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard format != .hybrid || only.isEmpty else {
            throw ValidationError.saying(
                "an encrypted export has all passkeys: leave out --only, or give another --format")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await export(reporter) }
    }

    private func export(_ reporter: Reporter) async throws {
        // Before anybody types a passphrase.
        guard !SystemFile.exists(file) else {
            throw VaultError(.exists, reason: "\(file) already exists")
        }
        try FileCheck.writable(file, hint: "give the path of a new file, in a folder that you may write to")
        let typed = TypedPassphrase()
        let vault = try await vault.open(for: rehearsal.dryRun ? .reading : .changing, noting: typed, reporter)
        let credentials = try await chosen(vault)
        if let clearText = format.clearText {
            try await write(credentials, of: vault, as: clearText, typed, reporter)
        } else if format == .kdbx {
            try await writeDatabase(credentials, of: vault, reporter)
        } else {
            try await writeEncrypted(credentials, of: vault, reporter)
        }
        await vault.close()
    }

    private func chosen(_ vault: Vault) async throws -> [Credential] {
        let all = try await vault.credentials()
        guard !only.isEmpty else { return all }
        let ids = try Set(only.map { try PasskeyArgument.choose($0, among: all, by: \.id).id })
        return all.filter { ids.contains($0.id) }
    }

    private func writeEncrypted(_ credentials: [Credential], of vault: Vault, _ reporter: Reporter) async throws {
        if !rehearsal.dryRun {
            let bytes = try await vault.exported(VaultSecrets(passphrase: try await newPassphrase()))
            try AtomicFile(path: file).create(with: bytes.span)
            try await vault.markBackedUp()
        }
        let records = credentials.map {
            PasskeyRecord(rpID: $0.rpID, userName: $0.userName, outcome: .passkey($0), losses: [])
        }
        tell(records, reporter)
    }

    private func newPassphrase() async throws -> SecretBytes {
        guard let file = passphrase.exportPassphraseFile else {
            return try await NewPassphrase.ask("a passphrase for the export", at: vault.place)
        }
        return try NewPassphrase.read(from: file)
    }

    private func writeDatabase(_ credentials: [Credential], of vault: Vault, _ reporter: Reporter) async throws {
        let time = PasskeyAuthenticator.systemTime()
        // The same entries, and losses, without the encryption.
        let rehearsed = try KeePassXML.encode(credentials, at: time)
        if !rehearsal.dryRun, !rehearsed.written.isEmpty {
            let passphrase = try await newPassphrase()
            let export = try KDBX.encode(credentials, at: time, passphrase: passphrase)
            try AtomicFile(path: file).create(with: export.span)
            try await vault.markBackedUp(Set(export.written.map(\.id)))
        }
        tell(rehearsed.records, reporter)
    }

    private func write(
        _ credentials: [Credential], of vault: Vault, as clearText: PasskeyFormat.ClearText, _ typed: TypedPassphrase,
        _ reporter: Reporter
    ) async throws {
        let export = try clearText.encode(credentials, at: PasskeyAuthenticator.systemTime())
        if !rehearsal.dryRun, !export.written.isEmpty {
            let approval = try await ClearTextApproval(
                file: file, count: export.written.count, verify: verify, vault: self.vault, typed, reporter)
            try approval.write(export, to: file)
            try await vault.markBackedUp(Set(export.written.map(\.id)))
        }
        tell(export.records, reporter)
    }

    private func tell(_ records: [PasskeyRecord], _ reporter: Reporter) {
        for record in records { reporter.write(record, .export, isRehearsal: rehearsal.dryRun) }
        let count = records.count { $0.passkey != nil }
        reporter.write(
            // "left" were left out.
            Line(
                "result",
                [
                    "exported": count, "left": records.count - count, "format": format.rawValue,
                    "dry_run": rehearsal.dryRun ? true : nil,
                ]),
            orSay: count == 0 && !rehearsal.dryRun && format != .hybrid
                ? "there is nothing to write: \(file) was not made"
                : rehearsal.dryRun
                    ? Sentence(
                        count: count, one: "would write \(count) passkey to \(file)",
                        other: "would write \(count) passkeys to \(file)")
                    : Sentence(
                        count: count, one: "wrote \(count) passkey to \(file)",
                        other: "wrote \(count) passkeys to \(file)"))
    }
}
