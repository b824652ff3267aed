import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

extension VerificationMethod: ExpressibleByArgument {}

/// The options that say how the user is asked, and verified.
struct VerificationOption: ParsableArguments {
    @Option(
        help: .saying(
            """
            How you are verified before a passkey is made or used: fprintd (a finger), polkit (the desktop's dialogue \
            asks for your password or a finger), or passphrase (the vault's, typed). (default: the first that is set up)
            """, valueName: "how"))
    var verify: VerificationMethod?

    @Flag(
        help: .saying(
            """
            Ask for your approval at the terminal, without verifying you. Most browsers then refuse to make or use a \
            passkey, and the values of prf stay locked.
            """))
    var presenceOnly = false

    func validate() throws {
        guard verify == nil || !presenceOnly else {
            throw ValidationError.saying("--presence-only verifies nobody: leave out --verify")
        }
    }

    /// Refuses options that those for labs contradict, and `--yes` for passkeys that are protected.
    ///
    /// - Throws: `ValidationError`.
    func validate(for lab: LabOptions, _ vault: VaultOptions) throws {
        guard verify == nil || !lab.yes else { throw ValidationError.saying("give --verify or --yes, not both") }
        guard !presenceOnly || !lab.yes else {
            throw ValidationError.saying("--presence-only verifies nobody: leave out --yes")
        }
        guard vault.vault == nil || lab.usesVault else {
            throw ValidationError.saying("--store and --ephemeral open no vault: leave out --vault")
        }
        guard !lab.yes || !lab.usesVault else {
            throw ValidationError.saying("--yes verifies nobody, and is for labs: give --store or --ephemeral with it")
        }
    }
}
