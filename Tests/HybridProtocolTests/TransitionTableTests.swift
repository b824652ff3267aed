import Foundation
import HybridProtocol
import Testing

/// The orders of messages that each end takes, as the types of this module have them: the model in `tools/model` reads
/// them from `tools/model/transitions.json`.
@Suite("The transition table")
struct TransitionTableTests {
    private static let longest = 3
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../tools/model/transitions.json")

    private enum ClientStep: String, CaseIterable {
        case sendsRequest = "sends request"
        case receivesAnswer = "receives answer"
        case receivesUpdate = "receives update"
        case sendsShutdown = "sends shutdown"
        case receivesShutdown = "receives shutdown"
    }

    private enum AuthenticatorStep: String, CaseIterable {
        case receivesRequest = "receives request"
        case sendsAnswer = "sends answer"
        case sendsUpdate = "sends update"
        case receivesUpdate = "receives update"
        case receivesShutdown = "receives shutdown"
    }

    @Test("is what the file has; HYBRID_WRITE_TRANSITIONS=yes writes it")
    func table() throws {
        let table = [
            "client": Self.table { Self.takes(client: $0) },
            "authenticator": Self.table { Self.takes(authenticator: $0) },
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(table) + Data("\n".utf8)
        if ProcessInfo.processInfo.environment["HYBRID_WRITE_TRANSITIONS"] == "yes" { try data.write(to: Self.file) }
        #expect(try Data(contentsOf: Self.file) == data)
    }

    /// For each order of steps that is taken, the steps that are taken next.
    private static func table<Step: CaseIterable & RawRepresentable<String>>(
        _ takes: ([Step]) -> Bool
    ) -> [String: [String]] {
        var table: [String: [String]] = [:]
        var orders: [[Step]] = [[]]
        while let order = orders.popLast() {
            let next = Step.allCases.filter { takes(order + [$0]) }
            table[order.map(\.rawValue).joined(separator: ", ")] = next.map(\.rawValue)
            if order.count < longest { orders += next.map { order + [$0] } }
        }
        return table
    }

    private static func takes(client steps: [ClientStep]) -> Bool {
        do {
            var peer = try ClientAlone().begun()
            for step in steps {
                switch step {
                case .sendsRequest: _ = try peer.client.sealRequest(.ctap([4]))
                case .receivesAnswer: _ = try peer.client.open(peer.sealer.seal([1, 0]))
                case .receivesUpdate: _ = try peer.client.open(peer.sealer.seal([2, 0xa0]))
                case .sendsShutdown: _ = try peer.client.sealShutdown()
                case .receivesShutdown: _ = try peer.client.open(peer.sealer.seal([0]))
                }
            }
            return true
        } catch { return false }
    }

    private static func takes(authenticator steps: [AuthenticatorStep]) -> Bool {
        do {
            var peer = try AuthenticatorAlone()
            for step in steps {
                switch step {
                case .receivesRequest: _ = try peer.authenticator.open(peer.sealer.seal([1, 4]))
                case .sendsAnswer: _ = try peer.authenticator.sealResponse(.ctap([0]))
                case .sendsUpdate: _ = try peer.authenticator.sealUpdate()
                case .receivesUpdate: _ = try peer.authenticator.open(peer.sealer.seal([2, 0xa0]))
                case .receivesShutdown: _ = try peer.authenticator.open(peer.sealer.seal([0]))
                }
            }
            return true
        } catch { return false }
    }
}
