import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands for the agent.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        summary: "Hold the vault open for a while, and answer from the desktop: a user service.",
        details: """
            example:
              hybrid agent unlock --for 1h
              hybrid passkeys list
              hybrid agent lock

            The session bus starts the agent when a command needs it, if its service file is installed; `hybrid agent \
            run` is the service itself. The agent asks you through the desktop's dialogues: no passphrase and no key \
            crosses the bus. Everything works without the agent, too.
            """,
        subcommands: [
            AgentRunCommand.self, AgentStatusCommand.self, AgentUnlockCommand.self, AgentLockCommand.self,
            AgentAnswerCommand.self, AgentShortcutCommand.self, AgentStopCommand.self,
        ])
}
