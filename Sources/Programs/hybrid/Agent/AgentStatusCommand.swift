import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Tells whether an agent runs, and what it does.
struct AgentStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether an agent runs, and whether it holds the vault open. This starts no agent.",
        discussion: """
            example:
              hybrid agent status --json

            The exit code is 1 if no agent runs.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let status = try await AgentClient.with(at: DBusAddress.session(), starting: false) { $0.status }
            reporter.write(status.line, orPrint: status.summary)
        }
    }
}

extension AgentStatus {
    /// The state as a line of `--json`.
    fileprivate var line: Line {
        Line(
            "agent",
            [
                "version": version, "vault": vault, "unlocked": isUnlocked, "seconds_left": secondsLeft,
                "busy": isBusy, "reachable_clients": reachableClients,
            ])
    }

    /// The state, for people.
    fileprivate var summary: String {
        [
            "vault: \(quoted(vault)), \(isUnlocked ? "open for \(HoldTime.words(secondsLeft))" : "locked")",
            "linked clients: "
                + (reachableClients > 0 ? "\(reachableClients) can ask this machine" : "not waiting for any"),
            "now: " + (isBusy ? "busy with a request" : "nothing to do"), "version: \(quoted(version))",
        ].joined(separator: "\n")
    }
}
