import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// Opens the vault for a while.
struct AgentUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        summary: "Open the vault for a while. The agent, which is started if needed, asks for the passphrase.",
        details: """
            example:
              hybrid agent unlock --for 1h

            While the vault is open, every program of yours can list its passkeys, but cannot use one without your \
            approval. The vault is locked again when the time is over, when the screen is locked, when the machine is \
            suspended, and by hybrid agent lock.
            """)

    @Option(
        name: .customLong("for"),
        help: .saying("How long: 90s, 15m, 2h; a day at most.", valueName: "time"))
    var time = HoldTime.usual

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            try await AgentClient.with(at: DBusAddress.session(), starting: true) {
                try await $0.unlock(for: time.seconds)
            }
            reporter.write(
                Line("result", ["outcome": "unlocked", "seconds": time.seconds]),
                orSay: "the vault is open for \(HoldTime.words(time.seconds))")
        }
    }
}

/// Locks the vault.
struct AgentLockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        summary: "Lock the vault: the agent wipes its key, and ends its current request.",
        details: """
            example:
              hybrid agent lock

            The command also succeeds if no agent runs, since nothing is open then.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let found: Void? = try await AgentClient.ifRunning { try await $0.lock() }
            reporter.write(
                Line("result", ["outcome": "locked"]),
                orSay: found == nil ? "no agent runs: nothing is open" : "the vault is locked")
        }
    }
}

/// Ends the agent.
struct AgentStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        summary: "End the agent: this locks the vault, and linked clients can no longer ask.",
        details: """
            example:
              hybrid agent stop

            The next command that needs the agent starts it again. To prevent that: systemctl --user mask hybrid-agent.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let found: Void? = try await AgentClient.ifRunning { try await $0.stop() }
            reporter.write(
                Line("result", ["outcome": "stopped"]),
                orSay: found == nil ? "no agent runs" : "the agent has ended")
        }
    }
}

extension AgentClient {
    /// Does something with the agent; nil if none runs.
    static func ifRunning<Value: Sendable>(
        _ body: (AgentClient) async throws -> Value
    ) async throws -> Value? {
        do {
            return try await with(at: DBusAddress.session(), starting: false, body)
        } catch let error as DBusError where error.code == .noBus {
            return nil
        } catch let error as AgentRefusal where error.code == .notRunning {
            return nil
        }
    }
}
