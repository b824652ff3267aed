import ArgumentParser
import CommandLine
import Cryptography
import LinuxSupport
import PasskeyAuthenticator
import PasskeyExchange
import Vault

/// Imports the passkeys of a file.
struct ImportPasskeysCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self, NewVaultOption.self]
    static let configuration = CommandConfiguration(
        commandName: "import",
        summary: "Import passkeys that this program or another one has exported.",
        details: """
            example:
              hybrid passkeys import backup.vault
              hybrid passkeys import --dry-run bitwarden_export.json

            formats:
            \(PasskeyFormat.table)

            The format is recognised unless --format gives it. Passkeys that are in the vault stay as they are; so \
            does an account's passkey if the file has another one for the account. The command reports each passkey \
            that is left out or loses data, with the reason. An unencrypted file has private keys in clear text: \
            delete it afterwards.
            """)

    /// A time that the user is told of before it goes by.
    private static let toldTime = Duration.seconds(3)

    @Argument(help: .saying("The file."), completion: .file())
    var file: String

    @Option(
        help: .saying(
            "The file's format, of the list below. (default: recognised from its contents)", valueName: "format"))
    var format: PasskeyFormat?

    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var passphrase: ExportPassphraseOption
    @OptionGroup var vault: VaultOptions
    @OptionGroup var newVault: NewVaultOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await importPasskeys(reporter) }
    }

    private func importPasskeys(_ reporter: Reporter) async throws {
        let bytes = try PasskeyFile.read(file)
        let format = try self.format ?? recognised(bytes, reporter)
        if format == .hybrid {
            let records = try await export().map {
                PasskeyRecord(rpID: $0.rpID, userName: $0.userName, outcome: .passkey($0), losses: [])
            }
            try await importPasskeys(records, format, nil, reporter)
        } else {
            let passphrase = format == .kdbx ? try await secret("passphrase of the database") : nil
            // Before anybody types a passphrase of the vault: the file must be whole.
            var records: [PasskeyRecord] = []
            var plan = PasskeyImportPlan(existing: [])
            let counts: PasskeyFileCounts
            do {
                if let passphrase {
                    let found = try await database(bytes, passphrase, reporter)
                    counts = found.counts
                    records = found.records.map { plan.add($0) }
                } else {
                    guard let clearText = format.clearText else {
                        throw PasskeyFormatError(.encrypted, reason: "the file is encrypted")
                    }
                    counts = try clearText.read(bytes.span) { records.append(plan.add($0)) }
                }
            } catch let error as PasskeyFormatError {
                throw Failure(error).saying("\(file): \(reason: error.reason)")
            }
            try await importPasskeys(records, format, counts, reporter)
        }
    }

    /// Reads a database on a thread of its own: its creator has chosen the cost of deriving the key, and nothing stops
    /// that but the end of the process, to which an interruption leaves it.
    private func database(
        _ bytes: [UInt8], _ passphrase: borrowing SecretBytes, _ reporter: Reporter
    ) async throws -> (records: [PasskeyRecord], counts: PasskeyFileCounts) {
        let cost = try KDBX.cost(of: bytes.span)
        if cost.time >= Self.toldTime {
            let time = cost.time.components.seconds
            reporter.say(
                cost.byteCount == 0
                    ? "deriving the key of \(file) takes about \(time) s"
                    : "deriving the key of \(file) takes about \(time) s, and \(cost.byteCount >> 20) MiB of memory")
        }
        typealias Contents = ([PasskeyRecord], PasskeyFileCounts)
        let (results, ended) = AsyncStream<Result<Contents, PasskeyFormatError>>.makeStream()
        let secret = SharedSecret(passphrase)
        try PollThread.start {
            ended.yield(
                Result { () throws(PasskeyFormatError) in
                    var records: [PasskeyRecord] = []
                    let counts = try KDBX.read(bytes.span, passphrase: secret.bytes) { records.append($0) }
                    return (records, counts)
                })
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }

    /// The passphrase of the file.
    private func secret(_ question: Sentence) async throws -> SecretBytes {
        guard let file = passphrase.exportPassphraseFile else {
            return try await PassphraseInput.ask(question, at: vault.place)
        }
        return try PassphraseInput.read(from: file)
    }

    private func recognised(_ bytes: [UInt8], _ reporter: Reporter) throws -> PasskeyFormat {
        guard let format = PasskeyFormat(recognising: bytes.span) else {
            throw Failure(
                .file, code: "unknown-format", cause: "\(file) is in an unknown format",
                hint: "hybrid passkeys import --help lists the formats; --format names one")
        }
        reporter.say("\(file) is \(format.text)")
        return format
    }

    /// The passkeys of an encrypted export.
    private func export() async throws -> [Credential] {
        guard try Self.ofExport({ () throws(VaultError) in try Vault.summary(at: file) }) != nil else {
            throw Failure(.file, code: "no-vault", cause: "there is no export at \(file)", hint: Self.hint)
        }
        let secrets = VaultSecrets(passphrase: try await secret("passphrase of the export"))
        let export = try Self.ofExport { () throws(VaultError) in try Vault.open(at: file, secrets, for: .reading) }
        let credentials = try await export.credentials()
        await export.close()
        return credentials
    }

    /// Takes passkeys into the vault, in one change of its file, or says what would happen.
    private func importPasskeys(
        _ records: [PasskeyRecord], _ format: PasskeyFormat, _ counts: PasskeyFileCounts?, _ reporter: Reporter
    ) async throws {
        let isRehearsal = rehearsal.dryRun
        let vault = isRehearsal ? try await openIfThere(reporter) : try await open(reporter)
        var plan = PasskeyImportPlan(existing: try await vault?.credentials() ?? [])
        for record in records { reporter.write(plan.add(record), .import, isRehearsal: isRehearsal) }
        let count = isRehearsal ? plan.added.count : try await vault?.importCredentials(plan.added) ?? 0
        await vault?.close()
        let others = counts.map { $0.withoutPasskey } ?? 0
        let imported: Sentence =
            isRehearsal
            ? "would import \(count) of \(records.count) passkeys" : "imported \(count) of \(records.count) passkeys"
        reporter.write(
            // "left" were left out; an encrypted export of ours has no count of items.
            Line(
                "result",
                [
                    "imported": count, "left": records.count - count, "format": format.rawValue,
                    "items": counts?.items, "without_passkey": counts?.withoutPasskey,
                    "dry_run": isRehearsal ? true : nil,
                ]),
            orSay: others > 0 ? "\(imported); \(others) other items were left out" : imported)
    }

    private func open(_ reporter: Reporter) async throws -> Vault? {
        try await vault.openOrCreate(usesKeyring: newVault.keyring, reporter)
    }

    private func openIfThere(_ reporter: Reporter) async throws -> Vault? {
        guard try Vault.summary(at: vault.path()) != nil else { return nil }
        return try await vault.open(for: .reading, reporter)
    }

    private static let hint: Sentence = "give the file that hybrid passkeys export has written"

    /// Reads the export: a file that is not one is not the vault's fault.
    private static func ofExport<Value>(_ read: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do throws(VaultError) {
            return try read()
        } catch {
            let failure = Failure(error)
            guard failure.status == .file else { throw failure }
            throw Failure(.file, code: failure.code, cause: failure.cause, hint: hint)
        }
    }
}

/// A passphrase for another thread.
private final class SharedSecret: Sendable {
    let bytes: SecretBytes

    init(_ secret: borrowing SecretBytes) { bytes = SecretBytes(copying: secret.span) }
}
