import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import TestPeers
import Testing

@Suite("The simulated scanner", .serialized, .timeLimit(.minutes(5)))
struct SimulatedScannerTests {
    /// Sends each of its hex arguments as one datagram, five times over, as an advertiser repeats itself.
    static let talker = """
        import socket, sys, time
        radio = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(5):
            for datagram in sys.argv[3:]:
                radio.sendto(bytes.fromhex(datagram), (sys.argv[1], int(sys.argv[2])))
            time.sleep(0.05)
        """

    /// Sends as many datagrams as it can, each the hex argument, at a rate a second, for some seconds.
    static let flooder = """
        import socket, sys, time
        radio = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagram, rate, seconds = bytes.fromhex(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
        start = time.monotonic()
        for n in range(rate * seconds):
            radio.sendto(datagram, (sys.argv[1], int(sys.argv[2])))
            if n % 100 == 0:
                time.sleep(max(0, start + n / rate - time.monotonic()))
        """

    static func talk(to address: SimulatedRadioAddress, _ datagrams: [String]) async throws {
        let status = try await ChildProcess.run(["python3", "-c", talker, address.host, "\(address.port)"] + datagrams)
            .status
        try #require(status == 0)
    }

    @Test("receives FFF9 and FDE2 from a script, with the service data unaltered and the sender's name")
    func receives() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let long = String(repeating: "ab", count: 255)
        try await SimulatedScanner(at: address).scan { adverts in
            try await Self.talk(to: address, ["fff9" + "00", "fde2" + "0102", "fff9" + long])
            var iterator = adverts.makeAsyncIterator()
            let received = [try await iterator.next(), try await iterator.next(), try await iterator.next()]
            #expect(received.map { $0?.service } == [.fido, .google, .fido])
            #expect(received.map { $0?.serviceData } == [[0], [1, 2], [UInt8](repeating: 0xAB, count: 255)])
            #expect(received.allSatisfy { $0?.sender.hasPrefix("127.0.0.1:") == true })
        }
    }

    @Test("ignores and counts what is not an advert")
    func ignores() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let scanner = SimulatedScanner(at: address)
        let tooLong = "fff9" + String(repeating: "ab", count: 256)
        let wayTooLong = "fff9" + String(repeating: "ab", count: 9000)
        let received = try await scanner.scan { adverts in
            try await Self.talk(
                to: address, ["", "ff", "fff9", tooLong, wayTooLong, "f9ff00", "180f00", "fff955"])
            try await until { scanner.counts.heard + scanner.counts.ignored == 40 }
            for try await advert in adverts { return advert.serviceData }
            return []
        }
        #expect(received == [0x55])
        let counts = scanner.counts
        #expect(counts.heard == 5)
        #expect(counts.tooShort == 15)
        #expect(counts.tooLong == 10)
        #expect(counts.foreignService == 10)
        #expect(counts.ignored == 35)
    }

    @Test(
        "keeps the newest 64 adverts for a slow reader, through a flood of 10,000 a second",
        arguments: ["fff9", "180f"])
    func survivesFlood(service: String) async throws {
        let address = try await SimulatedRadioAddress.unused()
        let scanner = SimulatedScanner(at: address)
        let datagram = service + String(repeating: "00", count: 255)
        let kept = try await scanner.scan { adverts in
            let status = try await ChildProcess.run(
                ["python3", "-c", Self.flooder, address.host, "\(address.port)", datagram, "10000", "3"]
            ).status
            try #require(status == 0)
            try await Self.talk(to: address, ["fde2" + "77"])
            // All that is still to be handled is handled before the first is read.
            var before: UInt64?
            try await until(every: .milliseconds(500)) {
                defer { before = scanner.counts.heard + scanner.counts.ignored }
                return scanner.counts.heard + scanner.counts.ignored == before
            }
            // The kernel may have had no room for some of the last ones, but not for none of them.
            let count = min(SimulatedScanner.bufferedAdverts, Int(scanner.counts.heard))
            try #require(count > 0)
            var kept: [ReceivedAdvert] = []
            for try await advert in adverts {
                kept.append(advert)
                if kept.count == count { break }
            }
            return kept
        }
        #expect(kept.last?.service == .google)
        #expect(service != "fff9" || kept.count == SimulatedScanner.bufferedAdverts)
        let counts = scanner.counts
        #expect(counts.heard + counts.ignored > 1000)
    }

    @Test("finds its address in use while another scan runs, and free thereafter")
    func addressInUse() async throws {
        let scanner = SimulatedScanner(at: try await .unused())
        _ = try await scanner.scan { _ in
            await #expect(throws: RadioError(.addressInUse, reason: "")) {
                _ = try await scanner.scan { _ in Issue.record("a second scan began") }
            }
        }
        try await scanner.scan { _ in }
    }

    @Test("leaves its address free when the task is cancelled, whether or not it reads")
    func cancellation() async throws {
        let address = try await SimulatedRadioAddress.unused()
        for reads in [true, false] {
            let (started, signal) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await SimulatedScanner(at: address).scan { adverts in
                    signal.yield()
                    if reads {
                        for try await _ in adverts {}
                    } else {
                        try await Task.sleep(for: .seconds(60))
                    }
                    try Task.checkCancellation()
                }
            }
            for await _ in started { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await SimulatedScanner(at: address).scan { _ in }
        }
    }

    @Test("throws what the body throws, and ends the adverts when it is done")
    func ends() async throws {
        struct Mishap: Error {}
        let scanner = SimulatedScanner(at: try await .unused())
        await #expect(throws: Mishap.self) { try await scanner.scan { _ in throw Mishap() } }
        let adverts = try await scanner.scan { $0 }
        for try await _ in adverts { Issue.record("an advert after the scan") }
    }

    @Test("receives our own advertiser")
    func hearsOurs() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let advert = [UInt8](repeating: 9, count: 20)
        let received = try await SimulatedScanner(at: address).scan { adverts in
            try await SimulatedAdvertiser(to: [address]).advertise(advert) {
                var received: [[UInt8]] = []
                for try await advert in adverts {
                    received.append(advert.serviceData)
                    if received.count == 3 { break }
                }
                return received
            }
        }
        #expect(received == [advert, advert, advert])
    }
}
