import ArgumentParser
import BluetoothLE
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Listens for test channels, and sends back every message.
struct ChannelListenCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [RadioOption.self]
    static let configuration = CommandConfiguration(
        commandName: "listen",
        summary: "Listen for channels, and send back every message.",
        details: """
            example:
              hybrid radio channel listen --adapter hci1 --seconds 60

            Prints its address and PSM, and sends connectable adverts. Reports the end of each channel with its reason.
            """)

    @Option(help: .saying("End after this many channels.", valueName: "number"))
    var sessions: UInt32?

    // --patience is its name in version 0.1.0.
    @Option(
        name: [.customLong("silence"), .customLong("patience")],
        help: .saying("How many seconds a channel may be silent.", valueName: "seconds"))
    var silenceLimit: UInt32 = 30

    @OptionGroup var radio: RadioOption
    @OptionGroup var duration: DurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            let listening = try await radio.backend().channels().listen()
            let advert = [UInt8](repeating: 0, count: AdvertKey.advertByteCount)
            let suffix = AdvertSuffix(psm: listening.psm)
            do {
                try await radio.advertiser().advertiseConnectably(advert + suffix.encoded) {
                    reporter.write(
                        Line("listening", ["psm": listening.psm]), orSay: "listening on PSM \(listening.psm)")
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await serve(listening, reporter) }
                        group.addTask { try await duration.pass() }
                        defer { group.cancelAll() }
                        try await group.next()
                    }
                }
            } catch {
                await listening.close()
                throw error
            }
            await listening.close()
        }
    }

    private func serve(_ listening: any ListeningChannel, _ reporter: Reporter) async throws {
        var left = sessions ?? .max
        while left > 0 {
            let channel = try await listening.accept()
            let (messages, end) = await echo(channel)
            await channel.close()
            reporter.write(
                Line("session", ["messages": messages, "end": end]), orSay: "\(messages) messages, then \(end)")
            left -= 1
            try Task.checkCancellation()
        }
    }

    /// Sends messages back until the channel ends, whatever it ends for.
    ///
    /// - Returns: the number of messages that were sent back, and the end.
    private func echo(_ channel: any DataChannel) async -> (messages: Int, end: String) {
        let silence = Task {
            try await Task.sleep(for: .seconds(silenceLimit))
            await channel.close()
        }
        defer { silence.cancel() }
        var count = 0
        do {
            var end = try ChannelEnd(channel, connected: false)
            try await end.sendBare(try await end.receiveBare())
            silence.cancel()
            while true {
                count += 1
                try await end.send(try await end.receive())
            }
        } catch let error as DataChannelError {
            return (count, error.description)
        } catch let error as HybridProtocolError {
            return (count, error.description)
        } catch {
            return (count, "\(type(of: error))")
        }
    }
}
