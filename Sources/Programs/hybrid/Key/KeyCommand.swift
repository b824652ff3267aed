import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands that are a security key of this machine's programs.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        summary: "Act as a USB security key for this machine's programs: browsers, ssh, sudo and others.",
        details: """
            example:
              hybrid key vault
              hybrid key phone
            """,
        subcommands: [KeyVaultCommand.self, KeyPhoneCommand.self])
}
