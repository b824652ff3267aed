import ArgumentParser
import CommandLine
import DesktopAuthenticator
import PasskeyAuthenticator
import Vault

/// Lists the passkeys.
struct ListPasskeysCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the passkeys: for which site, for whom, when made, when last used.",
        discussion: """
            example:
              hybrid passkeys list
              hybrid passkeys list --json \\
                --passphrase-file <(secret-tool lookup use hybrid)
              hybrid passkeys list --replaced

            If the agent holds the vault open (hybrid agent unlock), nothing is asked.
            """)

    @Flag(
        help: """
            List those that newer ones have taken the place of in the last 30 days: hybrid passkeys restore brings one \
            back.
            """)
    var replaced = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var agent: AgentOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let passkeys = try await agent.passkeys(of: vault, reporter).map(PasskeyLine.init)
            let hidden = passkeys.filter { $0.replaced != nil }
            let lines = replaced ? hidden : passkeys.filter { $0.replaced == nil }
            reporter.writeTable(lines, PasskeyLine.columns, \.json)
            if lines.isEmpty { reporter.say(replaced ? "no passkey was replaced lately" : "the vault is empty") }
            let inTransit = lines.count { $0.inTransit != nil }
            if inTransit > 0 {
                reporter.say("\(inTransit) in transit, not usable here: hybrid passkeys transit --help")
            }
            if !replaced, !hidden.isEmpty {
                reporter.say("and \(hidden.count) replaced: hybrid passkeys list --replaced")
            }
        }
    }
}

/// Shows one passkey.
struct ShowPasskeyCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what is known of one passkey, but for its secrets.",
        discussion: """
            example:
              hybrid passkeys show 3f9a01c2
            """)

    @OptionGroup var passkey: PasskeyArgument
    @OptionGroup var vault: VaultOptions
    @OptionGroup var agent: AgentOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let passkeys = try await agent.passkeys(of: vault, reporter)
            let line = PasskeyLine(try passkey.choose(among: passkeys, by: \.id))
            reporter.write(line.json, orPrint: line.details)
        }
    }
}
