import ArgumentParser

/// The commands for the passkeys in the vault.
struct PasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Manage the passkeys of this machine, in their encrypted vault.",
        discussion: """
            example:
              hybrid passkeys list
              hybrid passkeys export backup.vault

            The vault is made with the first passkey, and opens with a passphrase or with the desktop's keyring. It \
            can be looked at while `authenticator answer` has it open, but not changed.
            """,
        subcommands: [
            ListPasskeysCommand.self, ShowPasskeyCommand.self, RemovePasskeyCommand.self, RestorePasskeyCommand.self,
            ExportPasskeysCommand.self, ImportPasskeysCommand.self, SendPasskeysCommand.self,
            ReceivePasskeysCommand.self, TransitCommand.self, PurgePasskeysCommand.self, PassphraseCommand.self,
        ])
}
