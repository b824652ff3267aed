import Encodings
import Foundation
import HybridProtocol
import HybridTransport
import LinuxSupport
import Testing

@testable import BluetoothLE

@Suite("The scanner over BlueZ", .timeLimit(.minutes(5)))
struct BlueZScannerTests {
    static let timeLimit = Duration.seconds(60)
    static let known = advert(.fido, Array(0..<20), "11:11:11:11:11:11", .public)
    static let added = advert(.google, Array(0..<24), "22:22:22:22:22:22", .public)
    /// The kind of its address was told before its service data.
    static let changed = advert(.fido, [3, 3, 3], "33:33:33:33:33:33", .random)

    static func advert(
        _ service: ServiceUUID, _ data: [UInt8], _ sender: String, _ kind: BluetoothAddress.Kind
    ) -> ReceivedAdvert {
        ReceivedAdvert(
            service: service, serviceData: data, sender: sender, address: BluetoothAddress(sender, kind))
    }

    /// True if this machine has an adapter, by the kernel's own list of them.
    static let hasAdapter = {
        let adapters = try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")
        return adapters?.contains { $0.hasPrefix("hci") && !$0.contains(":") } == true
    }()

    static func scanner(_ peer: BlueZPeer, restartedEvery interval: Duration = .seconds(600)) -> BlueZScanner {
        BlueZScanner(.firstReady, on: peer.unix, restartedEvery: interval)
    }

    @Test("receives devices that were known before, that come, and that change; then it stops the scan")
    func receives() async throws {
        try await BlueZPeer.with("") { peer in
            let received = try await Self.scanner(peer).receive(3)
            #expect(Set(received) == [Self.known, Self.added, Self.changed])
            #expect(received.first { $0 == Self.added }?.rssi == -61)
            #expect(received.first { $0 == Self.changed }?.rssi == nil)
            #expect(await peer.said(upTo: "stop") == ["filter DuplicateData=1 Transport=le", "start", "stop"])
        }
    }

    @Test("starts the scan anew at intervals: one that goes on can hear nothing more of a sender, or pause")
    func restarts() async throws {
        try await BlueZPeer.with("") { peer in
            try await Self.scanner(peer, restartedEvery: .milliseconds(100)).scan { _ in
                #expect(await peer.said(upTo: "start").last == "start")
                let (with, without) = (
                    "filter DuplicateData=1 RSSI=-127 Transport=le", "filter DuplicateData=1 Transport=le"
                )
                for filter in [with, without, with] { #expect(await peer.said(upTo: "filter") == [filter]) }
            }
        }
    }

    @Test("accepts a bus over TCP that allows anonymous clients only")
    func hearsOverTCP() async throws {
        try await BlueZPeer.with("") { peer in
            let received = try await BlueZScanner(.firstReady, on: peer.tcp).receive(1)
            #expect([Self.known, Self.added, Self.changed].contains(received.first))
        }
    }

    @Test("is not deceived by signals of others than bluetoothd")
    func ignoresForgeries() async throws {
        try await BlueZPeer.with("forged") { peer in
            let received = try await Self.scanner(peer).receive(3)
            #expect(Set(received) == [Self.known, Self.added, Self.changed])
        }
    }

    @Test("passes over signals with other types than theirs, and malformed service data")
    func ignoresNonsense() async throws {
        try await BlueZPeer.with("nonsense") { peer in
            let received = try await Self.scanner(peer).receive(3)
            #expect(Set(received) == [Self.known, Self.added, Self.changed])
        }
    }

    @Test("asks again when bluetoothd, just started, is still busy with the adapter")
    func asksAgain() async throws {
        try await BlueZPeer.with("starting") { peer in
            _ = try await Self.scanner(peer).receive(1)
            #expect(await peer.said(upTo: "stop").filter { $0 == "start" }.count == 2)
        }
    }

    @Test(
        "ends by name when bluetoothd leaves, is killed, or loses the adapter, and when it misbehaves from the start",
        arguments: [
            ("gone", RadioError.Code.serviceLost), ("killed", .serviceLost), ("unpowered", .poweredOff),
            ("unplugged", .absent), ("unplugged-powered-off", .absent), ("absent", hasAdapter ? .noService : .absent),
            ("wrong-type", .invalidReply), ("not-ready", .poweredOff), ("off", .poweredOff), ("denied", .notPermitted),
            ("busy", .busy),
        ])
    func ends(_ behaviour: String, _ code: RadioError.Code) async throws {
        try await BlueZPeer.with(behaviour) { peer in
            let clock = ContinuousClock()
            var error: RadioError?
            let elapsed = await clock.measure { error = await Self.scanner(peer).end() }
            #expect(error?.code == code)
            #expect(elapsed < Self.timeLimit)
        }
    }

    @Test("powers an adapter on only when it is asked to")
    func powersOn() async throws {
        try await BlueZPeer.with("off") { peer in
            let selection = try AdapterSelection(adapter: "hci0", powersOn: true)
            let received = try await BlueZScanner(selection, on: peer.unix).receive(1)
            #expect([Self.known, Self.added, Self.changed].contains(received.first))
            #expect(await peer.said(upTo: "set") == ["set org.bluez.Adapter1 Powered True"])
        }
    }

    @Test("gives up at once when it is cancelled while bluetoothd does not answer, and takes the scan back")
    func cancels() async throws {
        try await BlueZPeer.with("hang") { peer in
            let scanning = Task { try await Self.scanner(peer).receive(1) }
            #expect(await peer.said(upTo: "start").last == "start")
            scanning.cancel()
            await #expect(throws: CancellationError.self) { try await scanning.value }
            #expect(await peer.said(upTo: "stop") == ["stop"])
        }
    }

    @Test("stops the scan when the body throws")
    func stopsAfterErrors() async throws {
        try await BlueZPeer.with("") { peer in
            await #expect(throws: RadioError(.failed, reason: "")) {
                try await Self.scanner(peer).scan { _ in throw RadioError(.failed, reason: "of the body") }
            }
            #expect(await peer.said(upTo: "stop").last == "stop")
        }
    }

    @Test("has an error of its own for a bus that is not there")
    func noBus() async throws {
        let nowhere = try DBusAddress(parsing: "unix:path=/nowhere")
        let error = await BlueZScanner(.firstReady, on: nowhere).end()
        #expect(error?.code == (SystemSandbox.current?.hidesBus == true ? .sandboxed : .noSystemBus))
    }
}
