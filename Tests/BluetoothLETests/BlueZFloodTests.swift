import Foundation
import HybridProtocol
import HybridTransport
import Synchronization
import TestPeers
import Testing

@testable import BluetoothLE

/// `HYBRID_FLOOD_SECONDS` makes the flood longer than the few seconds that every run has.
@Suite("The scanner over BlueZ in a flood of other devices' adverts", .timeLimit(.minutes(10)))
struct BlueZFloodTests {
    static let seconds = Int(ProcessInfo.processInfo.environment["HYBRID_FLOOD_SECONDS"] ?? "") ?? 3
    /// Number of bytes that 10,000 adverts a second may add to the process's memory, however long they last.
    static let mostGrowth = 48 << 20

    final class Flood: Sendable {
        let isOver = Atomic(false)
    }

    @Test("finds the right one, and keeps memory bounded", arguments: [false, true])
    func survives(readsSlowly: Bool) async throws {
        try await BlueZPeer.with("flood", "\(Self.seconds)") { peer in
            let before = try ResidentMemory.ofThisProcess()
            let flood = Flood()
            try await BlueZScannerTests.scanner(peer).scan { adverts in
                async let (received, found) = Self.read(adverts, slowly: readsSlowly) {
                    flood.isOver.load(ordering: .relaxed)
                }
                let report = await peer.said(upTo: "flooded").last ?? ""
                flood.isOver.store(true, ordering: .relaxed)
                print("\(report); \(try await received) received, the right one \(try await found) times")
            }
            let growth = try ResidentMemory.ofThisProcess() - before
            print("memory grew by \(growth >> 10) KiB")
            // Beside other tests, it is theirs too.
            if ProcessInfo.processInfo.environment["HYBRID_TESTS_ALONE"] != nil { #expect(growth < Self.mostGrowth) }
        }
    }

    /// Reads until the flood is over and the right advert has been received.
    static func read(
        _ adverts: ReceivedAdverts, slowly: Bool, until isOver: @escaping @Sendable () -> Bool
    ) async throws -> (received: Int, found: Int) {
        var received = 0
        var found = 0
        for try await advert in adverts {
            received += 1
            if advert.service == .google { found += 1 }
            if found > 0, isOver() { break }
            if slowly { try await Task.sleep(for: .milliseconds(1)) }
        }
        return (received, found)
    }
}
