import ArgumentParser
import CommandLine
import LinuxSupport

/// The options for passkeys that are in no vault, and for approval without a user.
struct LabOptions: ParsableArguments {
    @Option(
        help: .saying(
            "Keep passkeys in this file rather than in the vault: unencrypted, for tests and labs only.",
            valueName: "file"), completion: .file())
    var store: String?

    @Flag(help: .saying("Keep passkeys in memory rather than in the vault: they are gone when the command ends."))
    var ephemeral = false

    @Flag(
        help: .saying(
            """
            Approve everything without asking, and claim that the user was verified: only with --store or --ephemeral.
            """))
    var yes = false

    /// True if passkeys are in the vault.
    var usesVault: Bool { store == nil && !ephemeral }

    func validate() throws {
        guard store == nil || !ephemeral else { throw ValidationError.saying("give --store or --ephemeral, not both") }
    }
}
