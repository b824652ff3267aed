import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// Lists the passkeys.
struct ListPasskeysCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "list",
        summary: "List the passkeys: site, account, time of creation, time of last use.",
        details: """
            example:
              hybrid passkeys list
              hybrid passkeys list --json \\
                --passphrase-file <(secret-tool lookup use hybrid)
              hybrid passkeys list --replaced

            If the agent holds the vault open (hybrid agent unlock), nothing is asked.
            """)

    @Flag(
        help: .saying(
            """
            List the passkeys that newer ones replaced in the last 30 days: hybrid passkeys restore brings one back.
            """))
    var replaced = false

    @Flag(
        help: .saying(
            """
            List the passkeys that other devices confirmed to have in the last 30 days: hybrid passkeys restore brings \
            one back, and hybrid passkeys purge removes them permanently.
            """))
    var handedOver = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var agent: AgentOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !replaced || !handedOver else { throw ValidationError.saying("give one of --replaced and --handed-over") }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let passkeys = try await agent.passkeys(of: vault, reporter).map(PasskeyLine.init)
            let old = passkeys.filter { $0.replaced != nil }
            let elsewhere = passkeys.filter { $0.handedOver != nil }
            let lines = replaced ? old : handedOver ? elsewhere : passkeys.filter { !$0.isKeptAside }
            reporter.writeTable(lines, PasskeyLine.columns, \.json)
            if lines.isEmpty {
                reporter.say(
                    replaced
                        ? "no passkey was replaced lately"
                        : handedOver ? "no passkey was handed over lately" : "the vault is empty")
            }
            let inTransit = lines.count { $0.inTransit != nil }
            if inTransit > 0 {
                reporter.say("\(inTransit) in transit, not usable here: hybrid passkeys transit --help")
            }
            guard !replaced, !handedOver else { return }
            if !old.isEmpty { reporter.say("and \(old.count) replaced: hybrid passkeys list --replaced") }
            if !elsewhere.isEmpty {
                reporter.say("and \(elsewhere.count) handed over: hybrid passkeys list --handed-over")
            }
        }
    }
}

/// Shows one passkey.
struct ShowPasskeyCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [VaultOptions.self]
    static let configuration = CommandConfiguration(
        commandName: "show",
        summary: "Show one passkey, without its secrets.",
        details: """
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
