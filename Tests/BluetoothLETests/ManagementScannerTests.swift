import Encodings
import HybridProtocol
import HybridTransport
import Testing

@testable import BluetoothLE

@Suite("The scanner over the management socket", .timeLimit(.minutes(5)))
struct ManagementScannerTests {
    static let timeLimit = Duration.seconds(60)
    static let random = BluetoothAddress("05:04:03:02:01:00", .random)
    static let `public` = BluetoothAddress("22:22:22:22:22:22", .public)
    static let first = ReceivedAdvert(
        service: .fido, serviceData: Array(0..<20), sender: "05:04:03:02:01:00", address: random)
    static let second = ReceivedAdvert(
        service: .google, serviceData: Array(0..<24), sender: "22:22:22:22:22:22", address: `public`)

    static func scanner(
        _ peer: ManagementPeer, restartedEvery interval: Duration = .seconds(600)
    ) -> ManagementScanner {
        ManagementScanner(.firstReady, by: peer.socket, restartedEvery: interval)
    }

    @Test(
        "receives adverts with their senders' addresses and kinds, searching Low Energy only; then it stops the discovery"
    )
    func receives() async throws {
        try await ManagementPeer.with("") { peer in
            let received = try await Self.scanner(peer).receive(2)
            #expect(received == [Self.first, Self.second])
            #expect(received.map(\.rssi) == [-50, nil])
            #expect(await peer.said(upTo: "closed") == ["start 6", "stop 6", "closed"])
        }
    }

    @Test("is not deceived by packets of wrong lengths, reports that are cut off, and other adapters' events")
    func ignoresNonsense() async throws {
        try await ManagementPeer.with("nonsense") { peer in
            let received = try await Self.scanner(peer).receive(2)
            #expect(received == [Self.first, Self.second])
        }
    }

    @Test("starts the discovery again whenever it ends by itself")
    func startsAgain() async throws {
        try await ManagementPeer.with("ends") { peer in
            let received = try await Self.scanner(peer).receive(2)
            #expect(received == [Self.first, Self.second])
            #expect(await peer.said(upTo: "closed") == ["start 6", "start 6", "start 6", "stop 6", "closed"])
        }
    }

    @Test("starts the discovery anew at intervals, and does not stop another program's", arguments: [true, false])
    func restarts(isOurs: Bool) async throws {
        try await ManagementPeer.with(isOurs ? "" : "busy") { peer in
            try await Self.scanner(peer, restartedEvery: .milliseconds(100)).scan { _ in
                #expect(await peer.said(upTo: "start") == ["start 6"])
                for _ in 0..<3 {
                    #expect(await peer.said(upTo: "start") == (isOurs ? ["stop 6", "start 6"] : ["start 6"]))
                }
            }
        }
    }

    @Test("listens to another program's discovery, and does not stop it")
    func sharesDiscoveries() async throws {
        try await ManagementPeer.with("busy") { peer in
            let received = try await Self.scanner(peer).receive(2)
            #expect(received == [Self.first, Self.second])
            #expect(await peer.said(upTo: "closed") == ["start 6", "closed"])
        }
    }

    @Test(
        "ends by name when the adapter is lost, and when the kernel refuses from the start",
        arguments: [
            ("unpowered", RadioError.Code.poweredOff), ("le-off", .poweredOff), ("unplugged", .absent),
            ("unplugged-powered-off", .absent), ("gone", .failed), ("off", .poweredOff), ("not-powered", .poweredOff),
            ("none", .absent),
            ("no-le", .noLowEnergy), ("denied", .noCapability), ("wrong-reply", .invalidKernelReply),
        ])
    func ends(_ behaviour: String, _ code: RadioError.Code) async throws {
        try await ManagementPeer.with(behaviour) { peer in
            let clock = ContinuousClock()
            var error: RadioError?
            let elapsed = await clock.measure { error = await Self.scanner(peer).end() }
            #expect(error?.code == code)
            #expect(elapsed < Self.timeLimit)
        }
    }

    @Test("powers an adapter on only when it is asked to, and Low Energy before it")
    func powersOn() async throws {
        try await ManagementPeer.with("off") { peer in
            let selection = try AdapterSelection(adapter: "hci0", powersOn: true)
            let received = try await ManagementScanner(selection, by: peer.socket).receive(1)
            #expect(received == [Self.first])
            #expect(await peer.said(upTo: "start") == ["le 1", "power 1", "start 6"])
        }
    }

    @Test("has an error of its own for an adapter that rfkill keeps from being powered on")
    func blocked() async throws {
        try await ManagementPeer.with("blocked") { peer in
            let selection = try AdapterSelection(adapter: nil, powersOn: true)
            #expect(await ManagementScanner(selection, by: peer.socket).end()?.code == .blocked)
        }
    }

    @Test(
        "says that an adapter is blocked where the kernel says only that it is switched off",
        arguments: [ManagementStatus.notPowered, .rejected])
    func blockedInTheMiddle(_ status: ManagementStatus) {
        func code(isBlocked: Bool) -> RadioError.Code {
            RadioError(status, of: .startDiscovery(0), isBlocked: { $0 == "hci0" && isBlocked }).code
        }
        #expect(code(isBlocked: true) == .blocked)
        #expect(code(isBlocked: false) == .poweredOff)
    }

    @Test("gives up at once when it is cancelled while the kernel does not answer, and takes the discovery back")
    func cancels() async throws {
        try await ManagementPeer.with("hang") { peer in
            let scanning = Task { try await Self.scanner(peer).receive(1) }
            #expect(await peer.said(upTo: "start").last == "start 6")
            scanning.cancel()
            await #expect(throws: CancellationError.self) { try await scanning.value }
            #expect(await peer.said(upTo: "closed") == ["stop 6", "closed"])
        }
    }

    @Test("stops the discovery when the body throws")
    func stopsAfterErrors() async throws {
        try await ManagementPeer.with("") { peer in
            await #expect(throws: RadioError(.failed, reason: "")) {
                try await Self.scanner(peer).scan { _ in throw RadioError(.failed, reason: "of the body") }
            }
            #expect(await peer.said(upTo: "closed") == ["start 6", "stop 6", "closed"])
        }
    }

    @Test("ends the adverts without an error when it is done")
    func endsAdverts() async throws {
        try await ManagementPeer.with("") { peer in
            let adverts = try await Self.scanner(peer).scan { $0 }
            for try await advert in adverts { #expect([Self.first, Self.second].contains(advert)) }
        }
    }

    @Test("has errors of its own for a kernel without Bluetooth, or that keeps it from us")
    func noKernelSupport() async {
        let error = await ManagementScanner().end()
        #expect([.noKernelSupport, .noCapability, .absent, nil].contains(error?.code))
    }

    @Test("lists the kernel's adapters with their states")
    func lists() async throws {
        for (behaviour, state, free) in [
            ("", BluetoothAdapter.State.ready, 2), ("off", .poweredOff, 2), ("full", .noInstance, 0),
            ("no-le", .noLowEnergy, nil),
        ] {
            try await ManagementPeer.with(behaviour) { peer in
                let adapters = try await BluetoothAdapter.knownToKernel(by: peer.socket)
                let adapter = try #require(adapters.first)
                #expect(adapters.count == 1)
                #expect(adapter.name == "hci0")
                #expect(adapter.address == "05:04:03:02:01:00")
                #expect(adapter.alias == "lab ")
                #expect(adapter.state == state)
                #expect(adapter.freeInstances == free)
            }
        }
    }
}
