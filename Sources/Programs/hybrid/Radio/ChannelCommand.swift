import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands that tell whether two devices can exchange messages over Bluetooth, and how fast.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        summary: "Exchange messages between two adapters over L2CAP, and measure the time.",
        details: """
            example:
              hybrid radio channel listen --adapter hci1
              hybrid radio channel connect AA:BB:CC:DD:EE:FF 128 \\
                --adapter hci0 --sessions 10

            The messages are framed and encrypted like a ceremony's, but under a publicly known key. One end listens \
            and sends every message back; the other connects, sends, and compares.
            """,
        subcommands: [ChannelListenCommand.self, ChannelConnectCommand.self])
}
