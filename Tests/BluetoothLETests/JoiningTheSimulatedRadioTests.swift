import BluetoothLE
import Foundation
import HybridProtocol
import HybridTransport
import TestPeers
import Testing

/// The article's examples, as they stand but for the port.
@Suite("The article about joining the simulated radio", .timeLimit(.minutes(5)))
struct JoiningTheSimulatedRadioTests {
    static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Transport/BluetoothLE/BluetoothLE.docc/JoiningTheSimulatedRadio.md")
        .standardized

    /// The command that runs the example under a heading.
    static func example(_ heading: String, at address: SimulatedRadioAddress) throws -> [String] {
        let text = try String(contentsOf: article, encoding: .utf8)
        let section = try #require(text.split(separator: "### \(heading)\n").dropFirst().first)
        let code = try #require(section.split(separator: "```python\n").dropFirst().first).prefix { $0 != "`" }
        return ["python3", "-u", "-c", String(code.replacing("9000", with: "\(address.port)"))]
    }

    @Test("lets a script advertise")
    func advertise() async throws {
        let address = try await SimulatedRadioAddress.unused()
        try await SimulatedScanner(at: address).scan { adverts in
            try await ChildProcess.with(Self.example("Advertise", at: address)) { _ in
                var iterator = adverts.makeAsyncIterator()
                let advert = try #require(await iterator.next())
                #expect(advert.serviceData == [UInt8](repeating: 0, count: 20))
                // A client that opens a channel gives the sender's address.
                #expect(advert.address?.bytes.starts(with: [127, 0, 0, 1]) == true)
            }
        }
    }

    @Test("lets a script scan")
    func scan() async throws {
        let address = try await SimulatedRadioAddress.unused()
        try await ChildProcess.with(Self.example("Scan", at: address)) { script in
            try await SimulatedAdvertiser(to: [address]).advertise([1, 2]) {
                #expect(await script.lines.first { _ in true } == "fff9 0102")
            }
        }
    }

    @Test("lets a script listen for channels, and another connect")
    func channels() async throws {
        let address = try await SimulatedRadioAddress.unused()
        try await ChildProcess.with(Self.example("Listen", at: address)) { listener in
            let channels = try SimulatedChannels(at: [address])
            let anyDevice = try SimulatedChannelsTests.anyDevice
            var channel: (any DataChannel)?
            let deadline = ContinuousClock.now + .seconds(60)
            while channel == nil, .now < deadline {
                channel = try? await channels.connect(to: anyDevice, psm: 128)
                if channel == nil { try await Task.sleep(for: .milliseconds(20)) }
            }
            let open = try #require(channel)
            try await open.send([1, 2, 3])
            #expect(try await open.receive() == [1, 2, 3])
            #expect(await listener.lines.first { _ in true } == "010203")
            await open.close()
        }
        let listening = try await SimulatedChannels(at: [address]).listen()
        #expect(listening.psm == 128)
        try await ChildProcess.with(Self.example("Connect", at: address)) { script in
            let channel = try await listening.accept()
            #expect(try await channel.receive() == [UInt8](repeating: 0, count: 81) + [0x0D, 0x0A])
            try await channel.send([4, 5])
            #expect(await script.lines.first { _ in true } == "0405")
        }
        await listening.close()
    }
}
