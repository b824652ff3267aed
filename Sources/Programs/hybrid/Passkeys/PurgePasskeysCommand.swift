import ArgumentParser
import CommandLine
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// Removes passkeys that were handed over and are kept aside.
struct PurgePasskeysCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "purge",
        summary: "Permanently remove passkeys that other devices have confirmed to have.",
        details: """
            example:
              hybrid passkeys list --handed-over
              hybrid passkeys purge 3f9a01c2
              hybrid passkeys purge

            A passkey that another device has confirmed to have is kept here for 30 days, unused for any site; hybrid \
            passkeys restore brings it back. Without an ID, all such passkeys are removed. First check that the other \
            device has them: hybrid passkeys list on that device.
            """)

    @Argument(
        help: .saying("The passkeys, each by its ID or enough of its digits. (default: all that were handed over)"))
    var passkeys: [String] = []

    @Flag(help: .saying("Do not ask for confirmation."))
    var yes = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await purge(reporter) }
    }

    private func purge(_ reporter: Reporter) async throws {
        let vault = try await vault.open(for: .changing, reporter)
        let kept = try await vault.handedOver()
        var chosen = kept
        if !passkeys.isEmpty {
            chosen = try passkeys.map { try PasskeyArgument.choose($0, among: kept, by: \.credential.id) }
        }
        let lines = chosen.map { PasskeyLine($0).summary }.joined(separator: "\n")
        guard try chosen.isEmpty || yes || TerminalQuestion.ask("\(lines)\nremove for good?") else {
            await vault.close()
            throw Failure(.declined, code: "declined", cause: "nothing was removed", hint: Hint.startAgain)
        }
        let ids = Set(chosen.map(\.credential.id))
        if !ids.isEmpty { try await vault.purge(ids: ids) }
        await vault.close()
        reporter.write(
            Line("result", ["purged": ids.count]),
            orSay: ids.isEmpty ? "no passkey was handed over lately" : "removed \(ids.count)")
    }
}
