import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands for the radio: adapters, adverts and channels.
struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        summary: "List Bluetooth adapters, and receive or send adverts.",
        details: """
            example:
              hybrid radio adapters
              hybrid radio scan --seconds 30
            """,
        subcommands: [AdaptersCommand.self, ScanCommand.self, AdvertiseCommand.self, ChannelCommand.self])
}
