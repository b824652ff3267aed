import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import TestPeers
import Testing

@Suite("The simulated advertiser", .serialized, .timeLimit(.minutes(5)))
struct SimulatedAdvertiserTests {
    static let advert: [UInt8] = Array(0..<20) + [0xA1, 0x01, 0x19, 0x12, 0x34]

    /// A scanner in Python: prints the time in milliseconds and the datagram in hex.
    static let listener = """
        import socket, sys, time
        radio = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
        radio.bind((sys.argv[1], int(sys.argv[2])))
        print("bound", flush=True)
        while True:
            datagram = radio.recv(512)
            print(time.monotonic_ns() // 1000000, datagram.hex(), flush=True)
        """

    static func withListener<Value: Sendable>(
        at address: SimulatedRadioAddress, _ body: (inout AsyncStream<String>.Iterator) async throws -> Value
    ) async throws -> Value {
        try await ChildProcess.with(["python3", "-c", listener, address.host, "\(address.port)"]) { listener in
            var lines = listener.lines.makeAsyncIterator()
            try #require(await lines.next() == "bound")
            return try await body(&lines)
        }
    }

    @Test("sends FFF9 and the service data at once and every 100 ms, to a script that listens")
    func repeats() async throws {
        let address = try await SimulatedRadioAddress.unused()
        try await Self.withListener(at: address) { lines in
            let advertiser = try SimulatedAdvertiser(to: [address])
            let advertising = Task {
                try await advertiser.advertise(Self.advert) { try await Task.sleep(for: .seconds(100)) }
            }
            defer { advertising.cancel() }
            var times: [Int] = []
            for _ in 0..<8 {
                let fields = try #require(await lines.next()).split(separator: " ")
                try #require(fields.count == 2)
                #expect(fields[1] == "fff9000102030405060708090a0b0c0d0e0f10111213a101191234")
                times.append(try #require(Int(fields[0])))
            }
            let intervals = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
            // A listener that is held up reads several at once.
            #expect((intervals.last ?? 0) >= 80 && intervals[intervals.count / 2] <= 1000, "\(intervals)")
        }
    }

    @Test("sends to every address of its list, IPv6 too, and works without a listener")
    func sendsToAll() async throws {
        let deaf = try await SimulatedRadioAddress.unused()
        let first = try await SimulatedRadioAddress.unused()
        let second = try SimulatedRadioAddress(parsing: "[::1]:\(first.port)")
        let advertiser = try SimulatedAdvertiser(to: [deaf, first, second])
        try await Self.withListener(at: first) { firstLines in
            try await Self.withListener(at: second) { secondLines in
                try await advertiser.advertise(Self.advert) { try await Task.sleep(for: .milliseconds(300)) }
                #expect(try #require(await firstLines.next()).hasSuffix("a101191234"))
                #expect(try #require(await secondLines.next()).hasSuffix("a101191234"))
            }
        }
    }

    @Test("stops sending when the body is done, and returns its result")
    func stopsAfterBody() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let scanner = SimulatedScanner(at: address)
        let advertiser = try SimulatedAdvertiser(to: [address])
        try await scanner.scan { adverts in
            #expect(try await advertiser.advertise(Self.advert) { 7 } == 7)
            try await until { scanner.counts.heard >= 1 }
            try await Task.sleep(for: .milliseconds(350))
            let atEnd = scanner.counts.heard
            try await Task.sleep(for: .milliseconds(350))
            #expect(scanner.counts.heard == atEnd)
        }
    }

    @Test("throws what the body throws")
    func throwsWhatBodyThrows() async throws {
        struct Mishap: Error {}
        let advertiser = try SimulatedAdvertiser(to: [await .unused()])
        await #expect(throws: Mishap.self) {
            try await advertiser.advertise(Self.advert) { throw Mishap() }
        }
    }

    @Test("stops sending and closes its socket when the task is cancelled")
    func stopsWhenCancelled() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let scanner = SimulatedScanner(at: address)
        let advertiser = try SimulatedAdvertiser(to: [address])
        try await scanner.scan { adverts in
            let started = ContinuousClock.now
            let task = Task {
                try await advertiser.advertise(Self.advert) { try await Task.sleep(for: .seconds(60)) }
            }
            for try await _ in adverts { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - started < .seconds(10))
            try await Task.sleep(for: .milliseconds(350))
            let atEnd = scanner.counts.heard
            try await Task.sleep(for: .milliseconds(350))
            #expect(scanner.counts.heard == atEnd)
        }
    }

    @Test("leaves no socket behind", arguments: [true, false])
    func leavesNothing(cancelled: Bool) async throws {
        let addresses = try SimulatedRadioAddress.list(parsing: "127.0.0.1:9,[::1]:9")
        let advertiser = try SimulatedAdvertiser(to: addresses)
        try await advertiser.advertise(Self.advert) {}
        let before = try OpenSockets.udpOfThisProcess()
        for _ in 0..<20 {
            let task = Task {
                try await advertiser.advertise(Self.advert) { try await Task.sleep(for: .milliseconds(5)) }
            }
            if cancelled { task.cancel() }
            _ = await task.result
        }
        // Other tests run in the same process and hold sockets of their own; twenty leaked pairs would still show.
        #expect(try OpenSockets.udpOfThisProcess() < before + 20)
    }

    @Test("refuses service data that no radio can send", arguments: [0, 256, 1 << 20])
    func refusesLongAdvert(count: Int) async throws {
        let advertiser = try SimulatedAdvertiser(to: [await .unused()])
        await #expect(throws: RadioError(.advertTooLong, reason: "")) {
            try await advertiser.advertise([UInt8](repeating: 0, count: count)) {}
        }
    }

    @Test("needs 1 to 16 addresses", arguments: [0, 17])
    func refusesAddressCount(count: Int) async throws {
        let address = try await SimulatedRadioAddress.unused()
        #expect(throws: RadioError(.invalidAddress, reason: "")) {
            try SimulatedAdvertiser(to: Array(repeating: address, count: count))
        }
    }
}
