import Edges
import Foundation
import TestPeers
import Testing

@testable import BluetoothLE

/// `HYBRID_FLOOD_SECONDS` makes the flood longer than the few seconds that every run has.
@Suite("The scanner over BlueZ in a flood of strangers' adverts", .timeLimit(.minutes(10)))
struct BlueZFloodTests {
    static let seconds = Int(ProcessInfo.processInfo.environment["HYBRID_FLOOD_SECONDS"] ?? "") ?? 3
    /// What 10,000 adverts a second may add to the process's memory, however long they last.
    static let mostGrowth = 48 << 20

    @Test("finds the right one, and keeps memory bounded", arguments: [false, true])
    func survives(readsSlowly: Bool) async throws {
        try await BlueZPeer.with("flood", "\(Self.seconds)") { peer in
            let before = try ResidentMemory.ofThisProcess()
            let found = try await BlueZScannerTests.scanner(peer).scan { adverts in
                let reading = Task {
                    var heard = 0
                    var found = 0
                    do {
                        for try await advert in adverts {
                            heard += 1
                            if advert.service == .google { found += 1 }
                            if readsSlowly { try await Task.sleep(for: .milliseconds(1)) }
                        }
                    } catch is CancellationError {}
                    return (heard, found)
                }
                let report = await peer.said(upTo: "flooded").last ?? ""
                reading.cancel()
                let (heard, found) = try await reading.value
                print("\(report); \(heard) heard, the right one \(found) times")
                return found
            }
            let growth = try ResidentMemory.ofThisProcess() - before
            print("memory grew by \(growth >> 10) KiB")
            #expect(found > 0)
            if ProcessInfo.processInfo.environment["HYBRID_TESTS_ALONE"] != nil { #expect(growth < Self.mostGrowth) }
        }
    }
}
