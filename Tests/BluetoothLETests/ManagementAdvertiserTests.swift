import Encodings
import HybridProtocol
import HybridTransport
import Testing

@testable import BluetoothLE

/// One stand-in at a time: the instances that are reserved are those of the whole machine.
@Suite("The advertiser over the management socket", .serialized, .timeLimit(.minutes(5)))
struct ManagementAdvertiserTests {
    static let short = [UInt8](0..<20)
    static let long = [UInt8](0..<30)

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    static func advertise<Value: Sendable>(
        _ peer: ManagementPeer, _ serviceData: [UInt8] = short,
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await ManagementAdvertiser(.firstReady, by: peer.socket).advertise(serviceData, while: body)
    }

    @Test("sends FFF9 on a free instance, with 20 to 100 ms between two, for 15 seconds unless it is renewed")
    func advertises() async throws {
        try await ManagementPeer.with("") { peer in
            let told = try await Self.advertise(peer) { await peer.said(upTo: "data") }
            #expect(told == ["parameters 2 0x6000 15 32 160 127", "data 2 1716f9ff" + Self.hex(Self.short)])
            #expect(await peer.said(upTo: "closed") == ["remove 2", "closed"])
        }
    }

    @Test("sends another service, as some phones have")
    func otherService() async throws {
        try await ManagementPeer.with("") { peer in
            let advertiser = ManagementAdvertiser(.firstReady, under: .google, by: peer.socket)
            let told = try await advertiser.advertise(Self.short) { await peer.said(upTo: "data") }
            #expect(told.last == "data 2 1716e2fd" + Self.hex(Self.short))
        }
    }

    @Test("sends more than 31 bytes on a secondary channel, and connectably only when asked")
    func flags() async throws {
        try await ManagementPeer.with("") { peer in
            let told = try await Self.advertise(peer, Self.long) { await peer.said(upTo: "data") }
            #expect(told == ["parameters 2 0x6080 15 32 160 127", "data 2 2116f9ff" + Self.hex(Self.long)])
        }
        try await ManagementPeer.with("") { peer in
            let advertiser = ManagementAdvertiser(.firstReady, by: peer.socket)
            let told = try await advertiser.advertiseConnectably(Self.short) { await peer.said(upTo: "parameters") }
            #expect(told == ["parameters 2 0x6001 15 32 160 127"])
        }
    }

    @Test("uses the older command where the kernel does not know the newer one")
    func olderKernels() async throws {
        try await ManagementPeer.with("old") { peer in
            let told = try await Self.advertise(peer) { await peer.said(upTo: "advert") }
            #expect(told == ["advert 2 0x0 15 1716f9ff" + Self.hex(Self.short)])
            #expect(await peer.said(upTo: "closed") == ["remove 2", "closed"])
        }
    }

    @Test("renews the advert while the body runs")
    func renews() async throws {
        try await ManagementPeer.with("others-removed") { peer in
            let (told, again) = try await Self.advertise(peer) {
                (await peer.said(upTo: "data"), await peer.said(upTo: "data"))
            }
            #expect(told.count == 2)
            #expect(told == again)
        }
    }

    @Test("tries again while the kernel is busy")
    func busy() async throws {
        try await ManagementPeer.with("busy") { peer in
            let told = try await Self.advertise(peer) { await peer.said(upTo: "data") }
            #expect(told.count == 2)
        }
    }

    @Test(
        "cancels the body and ends by name when the advert ends early, or could not be sent",
        arguments: [
            ("removed", RadioError.Code.failed), ("gone", .failed), ("unpowered", .poweredOff),
            ("unplugged", .absent), ("full", .noInstance), ("crowded", .noInstance), ("off", .poweredOff),
            ("none", .absent), ("no-le", .noLowEnergy), ("denied", .noCapability), ("narrow", .advertTooLong),
        ])
    func ends(_ behaviour: String, _ code: RadioError.Code) async throws {
        try await ManagementPeer.with(behaviour) { peer in
            _ = await #expect(throws: RadioError(code, reason: "")) {
                try await Self.advertise(peer, Array(0..<25)) { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
    }

    @Test("removes the advert when the body throws, and when it is cancelled", arguments: [false, true])
    func removes(isCancelled: Bool) async throws {
        try await ManagementPeer.with("") { peer in
            let advertising = Task {
                try await Self.advertise(peer) {
                    guard isCancelled else { throw CancellationError() }
                    try await Task.sleep(for: .seconds(3_600))
                }
            }
            #expect(await peer.said(upTo: "data").count == 2)
            if isCancelled { advertising.cancel() }
            await #expect(throws: CancellationError.self) { try await advertising.value }
            #expect(await peer.said(upTo: "closed") == ["remove 2", "closed"])
        }
    }

    @Test("does not take the instance of another process that looks for one at the same time")
    func reserves() async throws {
        try await ManagementPeer.with("") { one in
            try await ManagementPeer.with("") { other in
                let told = try await Self.advertise(one) {
                    _ = await one.said(upTo: "data")
                    return try await Self.advertise(other) { await other.said(upTo: "data") }
                }
                #expect(told.first?.hasPrefix("parameters 3 ") == true)
            }
        }
    }

    @Test("refuses service data that the adapter cannot send", arguments: [0, 248])
    func refusesLengths(count: Int) async throws {
        await #expect(throws: RadioError(.advertTooLong, reason: "")) {
            try await ManagementAdvertiser().advertise([UInt8](repeating: 0, count: count)) {}
        }
    }

    @Test("refuses more than 31 bytes where there is no secondary channel", arguments: [25, 28])
    func refusesLongAdverts(count: Int) async throws {
        try await ManagementPeer.with("small") { peer in
            _ = await #expect(throws: RadioError(.advertTooLong, reason: "")) {
                try await Self.advertise(peer, [UInt8](repeating: 0, count: count)) {}
            }
        }
    }
}
