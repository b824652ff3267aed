import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Tells whether an agent runs, and what it does.
struct AgentStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        summary: "Show whether an agent runs, and whether it holds the vault open. This starts no agent.",
        details: """
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
    fileprivate var summary: Sentence {
        let lines: [Sentence] = [
            isUnlocked
                ? "vault: \(quoted(vault)), open for \(HoldTime.words(secondsLeft))"
                : "vault: \(quoted(vault)), locked",
            reachableClients > 0
                ? "linked clients: \(reachableClients) can ask this machine" : "linked clients: not waiting for any",
            isBusy ? "now: busy with a request" : "now: nothing to do", "version: \(quoted(version))",
        ]
        return lines.joined("\n")
    }
}
