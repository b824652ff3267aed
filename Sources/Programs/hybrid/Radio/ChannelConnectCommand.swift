import ArgumentParser
import BluetoothLE
import CommandLine
import Cryptography
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Connects to a listener of test channels, and measures.
struct ChannelConnectCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [RadioOption.self]
    static let configuration = CommandConfiguration(
        commandName: "connect",
        summary: "Connect to a listener, send messages, and compare the replies.",
        details: """
            example:
              hybrid radio channel connect AA:BB:CC:DD:EE:FF 128 \\
                --adapter hci0 --sessions 10

            Unless --bytes is given, messages have random lengths up to 4000 bytes, and every frame contains the bytes \
            0D 0A, at which a faulty receiver would cut it.
            """)

    @Argument(help: .saying("The listener's address; on the simulated radio, any."))
    var address: String

    @Argument(help: .saying("The listener's PSM."))
    var psm: UInt16

    @Flag(help: .saying("The listener's address is a random one."))
    var random = false

    @Option(help: .saying("How many channels to open, one after the other.", valueName: "number"))
    var sessions: UInt32 = 1

    @Option(help: .saying("How many messages to send on each channel.", valueName: "number"))
    var messages: UInt32 = 3

    @Option(help: .saying("How long each message is.", valueName: "number"))
    var bytes: UInt32?

    @OptionGroup var radio: RadioOption
    @OptionGroup var output: OutputOptions

    private static let longestRandomMessage = 4_000

    func validate() throws {
        guard bytes ?? 1 > 0, bytes ?? 1 <= SecureChannel.maximumMessageByteCount else {
            throw ValidationError.saying("--bytes takes 1 to \(SecureChannel.maximumMessageByteCount)")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            guard let address = BluetoothAddress(address, random ? .random : .public), psm > 0 else {
                throw Failure.usage(
                    "this is not an address and PSM", hint: "give AA:BB:CC:DD:EE:FF and a number above 0")
            }
            let channels = try await settledChannels()
            var figures = ChannelFigures()
            do {
                for _ in 0..<sessions { try await exchange(channels, address, &figures) }
            } catch let error as DataChannelError {
                throw Failure(
                    .radio, code: error.code.rawValue, cause: Sentence(reason: error.reason),
                    hint: "check that the other end listens, and that both adapters are powered and near")
            }
            reporter.write(figures.json, orSay: figures.text)
            guard figures.wrong == 0 else {
                throw Failure(
                    .protocolViolation, code: "wrong-messages", cause: "\(figures.wrong) messages came back altered",
                    hint: Hint.report)
            }
        }
    }

    /// The connector, with the adapter chosen now, once and for all.
    private func settledChannels() async throws -> any NearbyConnector {
        let channels = try radio.backend().channels()
        guard let overAdapter = channels as? L2CAPChannels else { return channels }
        return try await overAdapter.settled()
    }

    /// Opens a channel, exchanges all messages on it, and closes it.
    private func exchange(
        _ channels: any NearbyConnector, _ address: BluetoothAddress, _ figures: inout ChannelFigures
    ) async throws {
        let start = ContinuousClock.now
        let channel = try await channels.connect(to: address, psm: psm)
        figures.connectTimes.append((.now - start).milliseconds)
        do {
            var end = try ChannelEnd(channel, connected: true)
            let bare = Self.bareMessage()
            try await end.sendBare(bare)
            figures.note(bare, try await end.receiveBare(), took: nil)
            for _ in 0..<messages {
                let message = try message(for: end)
                let sent = ContinuousClock.now
                try await end.send(message)
                figures.note(message, try await end.receive(), took: (.now - sent).milliseconds)
            }
        } catch {
            await channel.close()
            throw error
        }
        await channel.close()
        figures.sessions += 1
    }

    private func message(for end: borrowing ChannelEnd) throws -> [UInt8] {
        if let bytes { return randomBytes(count: Int(bytes)) }
        return try end.messageWithTerminator(byteCount: .random(in: 1...Self.longestRandomMessage))
    }

    /// A message of a handshake's length with a terminator somewhere, also at its very end.
    private static func bareMessage() -> [UInt8] {
        var message = randomBytes(count: handshakeMessageByteCount)
        let terminator = MessageAssembler.terminator
        let place = Int.random(in: 0...message.count - terminator.count)
        message.replaceSubrange(place..<place + terminator.count, with: terminator)
        return message
    }
}

/// The measured times.
private struct ChannelFigures {
    var sessions = 0
    var messages = 0
    var wrong = 0
    var connectTimes: [Double] = []
    var roundTripTimes: [Double] = []
    var byteCount = 0

    mutating func note(_ sent: [UInt8], _ received: [UInt8], took milliseconds: Double?) {
        messages += 1
        if sent != received { wrong += 1 }
        guard let milliseconds else { return }
        roundTripTimes.append(milliseconds)
        byteCount += sent.count
    }

    /// The figures as a line of `--json`; times are medians in milliseconds.
    var json: Line {
        Line(
            "exchanged",
            [
                "sessions": sessions, "messages": messages, "wrong": wrong, "connect_ms": Self.median(connectTimes),
                "round_trip_ms": Self.median(roundTripTimes), "bytes_per_second": bytesPerSecond,
            ])
    }

    var text: Sentence {
        "\(sessions) channels, \(messages) messages, \(wrong) of them altered; median "
            + "\(Self.median(connectTimes)) ms to connect, \(Self.median(roundTripTimes)) ms there and back; "
            + "\(Int(bytesPerSecond)) bytes a second"
    }

    /// The bytes in either direction in a second of all round trips.
    private var bytesPerSecond: Double {
        let seconds = roundTripTimes.reduce(0, +) / 1e3
        return seconds > 0 ? (2 * Double(byteCount) / seconds).rounded() : 0
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
