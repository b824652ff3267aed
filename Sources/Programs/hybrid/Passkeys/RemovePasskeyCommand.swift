import ArgumentParser
import CommandLine
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// Removes a passkey.
struct RemovePasskeyCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "remove",
        summary: "Permanently remove one passkey.",
        details: """
            example:
              hybrid passkeys remove 3f9a01c2

            The site is not told: remove the passkey there too, and make sure that you have another way to sign in.
            """)

    @OptionGroup var passkey: PasskeyArgument

    @Flag(help: .saying("Do not ask for confirmation."))
    var yes = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await remove(reporter) }
    }

    private func remove(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let (credential, line) = try await vault.find(passkey)
        guard try yes || TerminalQuestion.ask("remove \(line.summary) for good?") else {
            await vault.close()
            throw Failure(.declined, code: "declined", cause: "nothing was removed", hint: Hint.startAgain)
        }
        try await vault.remove(id: credential.id)
        await vault.close()
        reporter.write(Line("result", ["removed": line.id]), orSay: "removed \(line.summary)")
    }
}
