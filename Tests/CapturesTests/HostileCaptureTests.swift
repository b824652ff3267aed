import Captures
import Foundation
import HybridProtocol
import Testing

/// Captures that were damaged, or made to mislead.
@Suite("A hostile capture")
struct HostileCaptureTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../CommandLineTests/Fixtures/captures").standardized

    @Test("is read to its end, or to where it contradicts itself", arguments: ["l2cap.btsnoop", "tunnel.pcapng"])
    func altered(name: String) throws {
        let original = Array(try Data(contentsOf: Self.directory.appending(path: name)))
        let seed = UInt64.random(in: .min ... .max)
        var random = Random(state: seed)
        let whole = try packetCount(original)
        #expect(whole > 20)
        for _ in 0..<300 {
            var file = original
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let place = Int.random(in: 8..<file.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: file[place] = .random(in: 0...255, using: &random)
                case 1: file[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
                case 2: file.removeSubrange(place..<min(file.count, place + Int.random(in: 1...9, using: &random)))
                default:
                    let end = min(file.count, place + Int.random(in: 1...200, using: &random))
                    file.insert(contentsOf: file[place..<end], at: place)
                }
            }
            let count = try? packetCount(file)
            #expect(count ?? 0 <= 2 * whole + 2_400, "seed \(seed)")
        }
    }

    /// Reads a file whole, with keys that open nothing.
    private func packetCount(_ file: [UInt8]) throws -> Int {
        guard var reader = CaptureReader(start: Array(file.prefix(8))) else { return 0 }
        let keys = CaptureKeys()
        try keys.add(secret: [UInt8](repeating: 3, count: 16).span)
        let analysis = CaptureAnalysis(keys) { _ in }
        reader.append(file)
        defer { analysis.finish() }
        while let packet = try reader.next() { analysis.take(packet) }
        return analysis.counts.packets
    }
}

/// SplitMix64.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
