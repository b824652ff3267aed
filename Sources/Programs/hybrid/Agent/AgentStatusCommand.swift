import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Tells whether an agent runs, and what it does.
struct AgentStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether an agent runs, and whether it holds the vault open. It is not started.",
        discussion: """
            example:
              hybrid agent status --json

            It fails with exit code 1 if no agent runs.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let status = try await AgentClient.with(at: DBusAddress.session(), starting: false) { $0.status }
            let line = StatusLine(status)
            reporter.write(line, orPrint: line.summary)
        }
    }

    private struct StatusLine: Encodable {
        let event = "agent"
        let version: String
        let vault: String
        let unlocked: Bool
        let secondsLeft: UInt32
        let busy: Bool
        let reachableClients: UInt32

        init(_ status: AgentStatus) {
            version = status.version
            vault = status.vault
            unlocked = status.isUnlocked
            secondsLeft = status.secondsLeft
            busy = status.isBusy
            reachableClients = status.reachableClients
        }

        /// The state, for people.
        var summary: String {
            [
                "vault: \(quoted(vault)), \(unlocked ? "open for \(HoldTime.words(secondsLeft))" : "locked")",
                "linked clients: "
                    + (reachableClients > 0 ? "\(reachableClients) can ask this machine" : "not waited for"),
                "now: " + (busy ? "busy with a request" : "nothing to do"), "version: \(quoted(version))",
            ].joined(separator: "\n")
        }
    }
}
