import ArgumentParser
import DesktopAuthenticator

extension VerificationMethod: ExpressibleByArgument {}

/// The options that say how the user is asked, and verified.
struct VerificationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How you are verified before a passkey is made or used: fprintd (a finger), polkit (the desktop's dialogue \
            asks for your password or a finger), or passphrase (the vault's, typed); the first of them that is set up \
            otherwise.
            """, valueName: "how"))
    var verify: VerificationMethod?

    @Flag(
        help: """
            Ask for a yes at the terminal and verify nobody. Most browsers make and use no passkey then, and the \
            values of prf stay locked.
            """)
    var presenceOnly = false

    func validate() throws {
        guard verify == nil || !presenceOnly else {
            throw ValidationError("--presence-only verifies nobody: leave out --verify")
        }
    }

    /// Refuses what options for labs contradict, and `--yes` for passkeys that are protected.
    ///
    /// - Throws: `ValidationError`.
    func validate(for lab: LabOptions, _ vault: VaultOptions) throws {
        guard verify == nil || !lab.yes else { throw ValidationError("give --verify or --yes, not both") }
        guard !presenceOnly || !lab.yes else {
            throw ValidationError("--presence-only verifies nobody: leave out --yes")
        }
        guard vault.vault == nil || lab.usesVault else {
            throw ValidationError("--store and --ephemeral open no vault: leave out --vault")
        }
        guard !lab.yes || !lab.usesVault else {
            throw ValidationError("--yes verifies nobody, and is for labs: give --store or --ephemeral with it")
        }
    }
}
