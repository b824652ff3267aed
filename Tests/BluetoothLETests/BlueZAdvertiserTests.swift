import Encodings
import HybridProtocol
import HybridTransport
import Testing

@testable import BluetoothLE

@Suite("The advertiser over BlueZ", .timeLimit(.minutes(5)))
struct BlueZAdvertiserTests {
    static let serviceData = [UInt8](0..<24)

    static func advertise<Value: Sendable>(
        _ peer: BlueZPeer, _ serviceData: [UInt8] = serviceData,
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await BlueZAdvertiser(.firstReady, on: peer.unix).advertise(serviceData, while: body)
    }

    @Test("lets bluetoothd read a broadcast of FFF9 with 20 to 100 ms between two, before the body begins")
    func advertises() async throws {
        try await BlueZPeer.with("") { peer in
            let told = try await Self.advertise(peer) { await peer.said(upTo: "advert") }
            let data = Self.serviceData.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
            #expect(told == ["advert broadcast 0000fff9-0000-1000-8000-00805f9b34fb=\(data) 20 100"])
            #expect(await peer.said(upTo: "unregister") == ["unregister"])
        }
    }

    @Test("lets bluetoothd read another service, as some phones have")
    func advertisesOtherService() async throws {
        try await BlueZPeer.with("") { peer in
            let told = try await BlueZAdvertiser(.firstReady, under: .google, on: peer.unix)
                .advertise(Self.serviceData) { await peer.said(upTo: "advert") }
            #expect(told.first?.hasPrefix("advert broadcast 0000fde2-") == true)
        }
    }

    @Test("lets bluetoothd take connections where they are wanted")
    func advertisesConnectably() async throws {
        try await BlueZPeer.with("") { peer in
            let told = try await BlueZAdvertiser(.firstReady, on: peer.unix)
                .advertiseConnectably(Self.serviceData) { await peer.said(upTo: "advert") }
            #expect(told.first?.hasPrefix("advert peripheral 0000fff9-") == true)
        }
    }

    @Test(
        "cancels the body and ends by name when the advert ends early, or could not be sent",
        arguments: [
            ("release", RadioError.Code.failed), ("gone", .serviceLost), ("killed", .serviceLost),
            ("unpowered", .poweredOff), ("unplugged", .absent), ("unplugged-powered-off", .absent),
            ("refuse", .noInstance), ("off", .poweredOff), ("broken", .failed),
        ])
    func ends(_ behaviour: String, _ code: RadioError.Code) async throws {
        try await BlueZPeer.with(behaviour) { peer in
            _ = await #expect(throws: RadioError(code, reason: "")) {
                try await Self.advertise(peer) { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
    }

    @Test("offers the advert again to an adapter that refuses the first one after rfkill")
    func offersAgain() async throws {
        try await BlueZPeer.with("stale") { peer in
            let told = try await Self.advertise(peer) { await peer.said(upTo: "advert") }
            #expect(told.count == 2 && told.first == "fail")
        }
    }

    @Test("removes the advert when the body throws, and when it is cancelled", arguments: [false, true])
    func unregisters(isCancelled: Bool) async throws {
        try await BlueZPeer.with("") { peer in
            let advertising = Task {
                try await Self.advertise(peer) {
                    guard isCancelled else { throw CancellationError() }
                    try await Task.sleep(for: .seconds(3_600))
                }
            }
            #expect(await peer.said(upTo: "advert").count == 1)
            if isCancelled { advertising.cancel() }
            await #expect(throws: CancellationError.self) { try await advertising.value }
            #expect(await peer.said(upTo: "unregister") == ["unregister"])
        }
    }

    @Test("refuses service data that no adapter can send", arguments: [0, 252])
    func refusesLengths(count: Int) async throws {
        await #expect(throws: RadioError(.advertTooLong, reason: "")) {
            try await BlueZAdvertiser().advertise([UInt8](repeating: 0, count: count)) {}
        }
    }
}
