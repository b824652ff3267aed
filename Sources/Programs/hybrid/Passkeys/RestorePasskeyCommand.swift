import ArgumentParser
import CommandLine
import PasskeyAuthenticator
import Vault

/// Brings a replaced passkey back.
struct RestorePasskeyCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back a passkey that a newer one has taken the place of.",
        discussion: """
            example:
              hybrid passkeys list --replaced
              hybrid passkeys restore 3f9a01c2

            A replaced passkey is kept for 30 days, and answers no site. The newer one of its account, if it is still \
            there, is the replaced one then. The site does not learn of it: see that it knows the passkey that you \
            bring back.
            """)

    @OptionGroup var passkey: PasskeyArgument
    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await restore(reporter) }
    }

    private func restore(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let before = try await vault.credentials()
        let credential: Credential
        do {
            credential = try await passkey.choose(among: vault.replaced().map(\.credential), by: \.id)
        } catch is Failure where before.contains(where: { passkey.names($0.id) }) {
            throw Failure.usage(
                "the passkey \(passkey.id) is in use",
                hint: "hybrid passkeys list --replaced shows what can be restored")
        }
        try await vault.restore(id: credential.id)
        let left = Set(try await vault.credentials().map(\.id))
        await vault.close()
        let line = PasskeyLine(credential)
        let newer = before.first { !left.contains($0.id) }.map { PasskeyLine($0).id }
        reporter.write(
            // The newer passkey is the replaced one now.
            Line("result", ["restored": line.id, "replaced": newer]),
            orSay: "restored \(line.summary)" + (newer == nil ? "" : "; the newer one is the replaced one now"))
    }
}
