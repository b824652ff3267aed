import ArgumentParser

/// The commands for looking at what is on the air.
struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "Look at the Bluetooth adapters, and hear or send adverts with them.",
        discussion: """
            example:
              hybrid radio adapters
              hybrid radio scan --seconds 30
            """,
        subcommands: [AdaptersCommand.self, ScanCommand.self, AdvertiseCommand.self, ChannelCommand.self])
}
