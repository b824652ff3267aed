import ArgumentParser
import CommandLine
import Cryptography
import DesktopAuthenticator
import LinuxSupport
import Vault

/// The vault, and the source of its passphrase.
struct VaultOptions: ParsableArguments {
    @Option(
        help: .saying(
            "The vault. (default: $XDG_DATA_HOME/hybrid/passkeys.vault, or ~/.local/share/hybrid/passkeys.vault)",
            valueName: "file"), completion: .file())
    var vault: String?

    @Option(
        help: .saying(
            "A file whose first line is the passphrase; - is standard input. (default: ask at the terminal)",
            valueName: "file"), completion: .file())
    var passphraseFile: String?

    @Option(
        help: .saying(
            """
            Where to ask you: terminal, or desktop (windows). (default: the terminal; without one, the desktop)
            """, valueName: "where"))
    var ask: AskingPlace.Choice?

    @Option(help: WindowOption.help, completion: .file())
    var window: String?

    func validate() throws { try WindowOption.check(window) }

    /// The number of attempts to type a passphrase.
    private static let attempts = 3

    /// The place where the user is asked.
    var place: AskingPlace { AskingPlace(ask, dialogues) }

    /// The ways to ask in windows.
    var dialogues: DesktopDialogues { WindowOption.dialogues(by: window) }

    /// The vault's file.
    ///
    /// - Throws: ``VaultError`` `no-directory`.
    func path() throws(VaultError) -> String { if let vault { vault } else { try Vault.defaultPath() } }

    /// Opens the vault.
    ///
    /// - Parameter typed: is told of a passphrase that was typed at the terminal.
    /// - Throws: ``VaultError``; ``Failure``; `CancellationError`.
    func open(
        for access: Vault.Access, noting typed: TypedPassphrase? = nil, _ reporter: Reporter
    ) async throws -> Vault {
        let path = try path()
        guard let summary = try Vault.summary(at: path) else {
            throw VaultError(.noVault, reason: "there is no vault at \(path)")
        }
        return try await open(at: path, summary, for: access, noting: typed, reporter)
    }

    /// Opens the vault for changes, or makes it if there is none.
    ///
    /// - Parameters:
    ///   - usesKeyring: true if the desktop's keyring keeps a new vault's key.
    ///   - typed: is told of a passphrase that was typed at the terminal.
    /// - Throws: as ``open(for:noting:_:)``.
    func openOrCreate(
        usesKeyring: Bool, noting typed: TypedPassphrase? = nil, _ reporter: Reporter
    ) async throws -> Vault {
        let path = try path()
        if let summary = try Vault.summary(at: path) {
            return try await open(at: path, summary, for: .changing, noting: typed, reporter)
        }
        let id = Vault.newID()
        let secrets =
            if usesKeyring {
                try await SecretService.secretsOrNew(forVault: id)
            } else if let passphraseFile {
                VaultSecrets(passphrase: try NewPassphrase.read(from: passphraseFile))
            } else {
                VaultSecrets(passphrase: try await NewPassphrase.ask(forNewVault: path, at: place))
            }
        let vault = try Vault.create(at: path, id: id, secrets)
        // Anyone who chose its passphrase just now, or had one made, is the user of a vault that nothing was in.
        if !usesKeyring, passphraseFile == nil { typed?.note() }
        reporter.say("made a new vault, \(path)")
        return vault
    }

    private func open(
        at path: String, _ summary: Vault.Summary, for access: Vault.Access, noting typed: TypedPassphrase?,
        _ reporter: Reporter
    ) async throws -> Vault {
        if let passphraseFile {
            let passphrase = try PassphraseInput.read(from: passphraseFile)
            let oddity = PassphraseInput.oddity(of: passphrase)
            let secrets = VaultSecrets(passphrase: passphrase)
            do throws(VaultError) {
                return try Vault.open(at: path, secrets, for: access)
            } catch {
                guard error.code == .wrongPassphrase, let oddity else { throw error }
                throw Failure(
                    .locked, error, cause: "\(reason: error.reason): \(oddity)",
                    hint: "give a file whose first line is the passphrase, and no more")
            }
        }
        if summary.hasKeyring {
            do throws(VaultError) {
                let secrets = try await SecretService.secrets(forVault: summary.id)
                return try Vault.open(at: path, secrets, for: access)
            } catch {
                guard summary.hasPassphrase, error.code.isOfKeyring else { throw error }
                reporter.warn(error.code.rawValue, "\(reason: error.reason); the passphrase opens the vault too")
            }
        }
        let vault =
            switch place {
            case .terminal:
                try await PassphraseInput.hidingWhatIsTyped { try await openAsking(path, access, reporter) }
            case .desktop: try await openAsking(path, access, reporter)
            }
        typed?.note()
        return vault
    }

    private func openAsking(
        _ path: String, _ access: Vault.Access, _ reporter: Reporter
    ) async throws -> Vault {
        var attempt = 1
        var objection: Sentence?
        while true {
            let secrets = VaultSecrets(
                passphrase: try await PassphraseInput.ask("passphrase of the vault", objection: objection, at: place))
            do throws(VaultError) {
                return try Vault.open(at: path, secrets, for: access)
            } catch {
                guard error.code == .wrongPassphrase, attempt < Self.attempts else { throw error }
                attempt += 1
                objection = "the passphrase is wrong; once more"
                reporter.say("the passphrase is wrong; once more")
            }
        }
    }
}

/// The key of a vault that is made.
struct NewVaultOption: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: .saying("If there is no vault yet: let the desktop's keyring keep the key of the new one."))
    var keyring = false
}

extension VaultErrorCode {
    /// True if the keyring failed, and not the vault.
    var isOfKeyring: Bool {
        [.noKeyring, .keyringLocked, .keyringTimeout, .keyringFailed, .wrongKeyring].contains(self)
    }
}
