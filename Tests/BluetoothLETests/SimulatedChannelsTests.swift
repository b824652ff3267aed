import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import TestPeers
import Testing

@Suite("The simulated L2CAP channels", .timeLimit(.minutes(5)))
struct SimulatedChannelsTests {
    /// The channels of the simulated radio need no address.
    static var anyDevice: BluetoothAddress {
        get throws { try #require(BluetoothAddress("00:11:22:33:44:55", .random)) }
    }

    /// Connects to the PSM of its second argument, and executes `deed`.
    static func unauthenticatedDevice(_ deed: String) -> String {
        """
        import socket, sys, time
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel.connect("\\0hybrid-radio/%s/%s" % (sys.argv[1], sys.argv[2]))
        \(deed)
        """
    }

    /// A listener of ours, and a script that connects to it.
    static func withUnauthenticatedDevice(
        _ deed: String, _ body: (any DataChannel, inout AsyncStream<String>.Iterator) async throws -> Void
    ) async throws {
        let address = try await SimulatedRadioAddress.unused()
        let listening = try await SimulatedChannels(at: [address]).listen()
        let command = ["python3", "-c", unauthenticatedDevice(deed), address.description, "\(listening.psm)"]
        try await ChildProcess.with(command) { script in
            let channel = try await listening.accept()
            var lines = script.lines.makeAsyncIterator()
            try await body(channel, &lines)
            await channel.close()
        }
        await listening.close()
    }

    /// Both ends of a channel of ours.
    static func pair(at address: SimulatedRadioAddress) async throws -> (any DataChannel, any DataChannel) {
        let channels = try SimulatedChannels(at: [address])
        let listening = try await channels.listen()
        let client = try await channels.connect(to: anyDevice, psm: listening.psm)
        let authenticator = try await listening.accept()
        await listening.close()
        return (client, authenticator)
    }

    @Test("keep what is sent at once together, in both directions and in order")
    func keepsSDUs() async throws {
        let (client, authenticator) = try await Self.pair(at: .unused())
        #expect(!client.keepsMessagesWhole)
        let sent = [[1], [2, 3], [UInt8](repeating: 4, count: SimulatedChannels.longestSDU)]
        for sdu in sent { try await client.send(sdu) }
        for sdu in sent { #expect(try await authenticator.receive() == sdu) }
        for sdu in sent { try await authenticator.send(sdu) }
        for sdu in sent { #expect(try await client.receive() == sdu) }
        await client.close()
        await authenticator.close()
    }

    @Test("cut a message that is longer than an SDU may be")
    func cuts() async throws {
        let (client, authenticator) = try await Self.pair(at: .unused())
        let message = [UInt8](repeating: 7, count: 2 * SimulatedChannels.longestSDU + 1)
        try await client.send(message)
        var counts: [Int] = []
        while counts.reduce(0, +) < message.count { counts.append(try await authenticator.receive().count) }
        #expect(counts == [SimulatedChannels.longestSDU, SimulatedChannels.longestSDU, 1])
        await client.close()
        await authenticator.close()
    }

    @Test("slow a sender whose peer does not read, and lose nothing")
    func slowsSender() async throws {
        let (client, authenticator) = try await Self.pair(at: .unused())
        let count = 600
        let sending = Task {
            for number in 0..<count { try await client.send([UInt8](repeating: UInt8(number % 251), count: 16_000)) }
        }
        try await Task.sleep(for: .milliseconds(300))
        for number in 0..<count {
            #expect(try await authenticator.receive() == [UInt8](repeating: UInt8(number % 251), count: 16_000))
        }
        try await sending.value
        await client.close()
        await authenticator.close()
    }

    @Test(
        "are refused without a listener, after its end, and where there can be none",
        arguments: [UInt16](arrayLiteral: 0, 0x7F, 0x80, 0x100, 0xFFFF))
    func refused(psm: UInt16) async throws {
        let address = try await SimulatedRadioAddress.unused()
        let channels = try SimulatedChannels(at: [address])
        let listening = try await channels.listen()
        await listening.close()
        await #expect(throws: DataChannelError(.unreachable, reason: "")) {
            _ = try await channels.connect(to: Self.anyDevice, psm: psm)
        }
    }

    @Test("give each listener of a radio a PSM of its own, from 0x80 on, while there is one")
    func psms() async throws {
        let channels = try SimulatedChannels(at: [await .unused(), await .unused()])
        var listeners: [any ListeningChannel] = []
        for psm in SimulatedChannels.psms {
            listeners.append(try await channels.listen())
            #expect(listeners.last?.psm == psm)
        }
        await #expect(throws: DataChannelError(.unreachable, reason: "")) { _ = try await channels.listen() }
        for listener in listeners { await listener.close() }
    }

    @Test("reach an authenticator by any of the addresses to which it sends its advert, IPv6 too")
    func severalAddresses() async throws {
        let first = try await SimulatedRadioAddress.unused()
        let second = try SimulatedRadioAddress(parsing: "[::1]:\(first.port)")
        let listening = try await SimulatedChannels(at: [first, second]).listen()
        for address in [second, first] {
            let client = try await SimulatedChannels(at: [address])
                .connect(to: Self.anyDevice, psm: listening.psm)
            let authenticator = try await listening.accept()
            try await client.send([1])
            #expect(try await authenticator.receive() == [1])
            await client.close()
            await authenticator.close()
        }
        await listening.close()
    }

    @Test("deliver what came before the peer closed, and then report that", arguments: [true, false])
    func closing(hasUnread: Bool) async throws {
        let (client, authenticator) = try await Self.pair(at: .unused())
        // Data that a peer has not read when it closes shows as a reset.
        if hasUnread { try await authenticator.send([9]) }
        try await client.send([1])
        try await client.send([2])
        await client.close()
        #expect(try await authenticator.receive() == [1])
        #expect(try await authenticator.receive() == [2])
        await #expect(throws: DataChannelError(.closed, reason: "")) { _ = try await authenticator.receive() }
        await #expect(throws: DataChannelError(.closed, reason: "")) { try await authenticator.send([1]) }
        await authenticator.close()
    }

    @Test("end when the task that waits is cancelled")
    func cancellation() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let channels = try SimulatedChannels(at: [address])
        let listening = try await channels.listen()
        let accepting = Task { try await listening.accept() }
        accepting.cancel()
        await #expect(throws: DataChannelError(.cancelled, reason: "")) { _ = try await accepting.value }
        let (client, authenticator) = try await Self.pair(at: .unused())
        let receiving = Task { try await client.receive() }
        receiving.cancel()
        await #expect(throws: DataChannelError(.cancelled, reason: "")) { _ = try await receiving.value }
        await #expect(throws: DataChannelError(.closed, reason: "")) { _ = try await authenticator.receive() }
        await authenticator.close()
        await listening.close()
    }

    @Test("take a listener's close for the end of accepting")
    func closeEndsAccepting() async throws {
        let listening = try await SimulatedChannels(at: [await .unused()]).listen()
        let accepting = Task { try await listening.accept() }
        try await Task.sleep(for: .milliseconds(50))
        await listening.close()
        await #expect(throws: DataChannelError(.closed, reason: "")) { _ = try await accepting.value }
    }

    @Test("end at an SDU that is too long, and deliver none of it", arguments: [16_385, 65_536, 70_000])
    func tooLong(count: Int) async throws {
        let deed = "channel.send(b'\\1'); channel.send(bytes(\(count))); channel.recv(1)"
        try await Self.withUnauthenticatedDevice(deed) { channel, _ in
            let first = try await channel.receive()
            #expect(first == [1])
            await #expect(throws: DataChannelError(.messageTooLong, reason: "")) { _ = try await channel.receive() }
        }
    }

    @Test("end at an SDU without bytes")
    func empty() async throws {
        try await Self.withUnauthenticatedDevice("channel.send(b''); channel.recv(1)") { channel, _ in
            await #expect(throws: DataChannelError(.closed, reason: "")) { _ = try await channel.receive() }
        }
    }

    @Test("keep no more than 2 MiB for a reader that does not come")
    func flood() async throws {
        let deed = """
            import select
            count = 0
            channel.setblocking(False)
            while select.select([], [channel], [], 60 if count < 1 << 20 else 2)[1]:
                try: count += channel.send(bytes(1000))
                except BlockingIOError: break
            print(count, flush=True)
            """
        try await Self.withUnauthenticatedDevice(deed) { channel, lines in
            let line = try #require(await lines.next())
            let count = try #require(Int(line))
            // Beside the contents of the system's own buffers.
            #expect((1 << 20...8 << 20).contains(count), "\(count)")
        }
    }

    @Test("survive a peer that connects and is gone, or that fills the queue of those who wait")
    func gone() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let channels = try SimulatedChannels(at: [address])
        let listening = try await channels.listen()
        var waiting: [any DataChannel] = []
        await #expect(throws: DataChannelError(.unreachable, reason: "")) {
            for _ in 0..<16 { waiting.append(try await channels.connect(to: Self.anyDevice, psm: listening.psm)) }
        }
        for channel in waiting { await channel.close() }
        for _ in waiting {
            let channel = try await listening.accept()
            await #expect(throws: DataChannelError(.closed, reason: "")) { _ = try await channel.receive() }
            await channel.close()
        }
        let client = try await channels.connect(to: Self.anyDevice, psm: listening.psm)
        await client.close()
        await listening.close()
    }

    @Test("need 1 to 16 addresses", arguments: [0, 17])
    func refusesAddressCount(count: Int) async throws {
        let address = try await SimulatedRadioAddress.unused()
        #expect(throws: RadioError(.invalidAddress, reason: "")) {
            try SimulatedChannels(at: Array(repeating: address, count: count))
        }
    }
}
