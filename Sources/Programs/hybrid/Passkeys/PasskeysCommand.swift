import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands for the passkeys in the vault.
struct PasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        summary: "Manage the passkeys of this machine, in their encrypted vault.",
        details: """
            example:
              hybrid passkeys list
              hybrid passkeys export backup.vault

            The first passkey creates the vault, which opens with a passphrase or with the desktop's keyring. While \
            `authenticator answer` has the vault open, other commands can read but not change it.
            """,
        subcommands: [
            ListPasskeysCommand.self, ShowPasskeyCommand.self, RemovePasskeyCommand.self, RestorePasskeyCommand.self,
            ExportPasskeysCommand.self, ImportPasskeysCommand.self, SendPasskeysCommand.self,
            ReceivePasskeysCommand.self, TransitCommand.self, PurgePasskeysCommand.self, PassphraseCommand.self,
        ])
}
