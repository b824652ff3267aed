internal import HybridProtocol
internal import NIOCore
internal import NIOEmbedded

@testable internal import TunnelService

// A service that is one of several nodes.
extension EmbeddedService {
    /// Joins the other nodes.
    func join(_ bus: EmbeddedBus) {
        let cluster = ContactCluster(bus: bus, relay: relay)
        relay.clusterBox.value = cluster
        _ = cluster.start()
        loop.run()
    }

    /// Lets the other nodes do one thing, drawn.
    func step(_ input: inout FuzzInput, _ bus: EmbeddedBus) throws {
        switch input.number(below: 8) {
        case 0, 1, 2: try step(&input)
        case 3, 4:
            guard !bus.listeners.isEmpty else { return }
            let listener = input.one(of: bus.listeners)
            let message = nodeMessage(&input)
            let question = Question()
            let answer: @Sendable ([UInt8]) -> Void = { question.answer($0) }
            listener.handler(ClusterDelivery(message: message, answer: input.bool() ? answer : nil))
        case 5:
            guard !bus.questions.isEmpty else { return }
            let question = bus.questions.remove(at: input.number(below: bus.questions.count))
            question(input.bool() ? .nobody : .message(nodeMessage(&input)))
        case 6: bus.connect(input.bool())
        default: loop.advanceTime(by: .milliseconds(Int64(input.byte()) * 40))
        }
        loop.run()
        for message in bus.takeTold() {
            expect((try? ClusterMessage(decoding: message)) != nil, "a node tells what none can read")
        }
        expect(
            relay.cluster.map { $0.processes.count <= 2 * ClusterProcesses.generationCount } ?? false,
            "too many processes are remembered")
    }

    /// Leaves the other nodes, when all peers are gone.
    func leaveBus() throws {
        guard let cluster = relay.cluster else { return }
        expect(cluster.listeners.isEmpty, "\(cluster.listeners.count) authenticators are announced that are gone")
        expect(cluster.calls.isEmpty, "\(cluster.calls.count) clients are asked for that are gone")
        cluster.stop()
        let bus = cluster.bus as? EmbeddedBus
        expect(bus?.listeners.isEmpty == true, "a node listens that has left")
        relay.clusterBox.value = nil
        // No question waits any longer.
        loop.advanceTime(by: .seconds(60))
    }

    /// A message of another node: a good one, one that was altered, or any bytes.
    private func nodeMessage(_ input: inout FuzzInput) -> [UInt8] {
        if input.number(below: 8) == 0 { return input.counted(atMost: 255) }
        var bytes = ClusterMessage.drawn(from: &input, contactIDs: said.contactIDs).encoded
        if input.number(below: 4) == 0 { _ = input.alter(&bytes) }
        return bytes
    }
}

/// A question of another node, which must not be answered twice: NATS would drop the second.
private final class Question: @unchecked Sendable {
    private var isAnswered = false

    func answer(_ bytes: [UInt8]) {
        expect(!isAnswered, "a question is answered twice")
        expect((try? ClusterMessage(decoding: bytes)) != nil, "an answer cannot be read")
        isAnswered = true
    }
}

extension ClusterMessage {
    /// Any message, with a contact ID that is known, if there is one.
    static func drawn(from input: inout FuzzInput, contactIDs: [[UInt8]]) -> ClusterMessage {
        switch input.number(below: 10) {
        case 0:
            let contactID = contactIDs.isEmpty ? [input.byte()] + input.counted(atMost: 80) : input.one(of: contactIDs)
            return .wake(
                .init(
                    contactID: contactID, tunnelID: [UInt8](repeating: input.byte(), count: TunnelID.byteCount),
                    routingID: input.bytes(3), clientPayload: [0xA0]),
                milliseconds: input.bool() ? number(&input) : nil)
        case 1:
            let outcomes: [Outcome] = [.acknowledged, .declined, .revoked, .limited, .away]
            return .outcome(input.one(of: outcomes), seconds: number(&input))
        case 2: return .query
        case 3: return .number(min(number(&input), maximumNumber))
        case 4:
            let registration = Registration(number: min(number(&input), maximumNumber), tie: number(&input))
            return .registered(registration, milliseconds: input.bool() ? number(&input) : nil)
        case 5:
            return .labels(
                (0..<input.number(below: 4)).compactMap { _ in ContactLabel(input.bytes(ContactLabel.byteCount)) })
        case 6: return .returned
        case 7: return .declined(tunnelID: [UInt8](repeating: input.byte(), count: TunnelID.byteCount))
        case 8: return .present(process: [UInt8](repeating: input.byte(), count: processByteCount))
        default:
            return .alive(process: [UInt8](repeating: input.byte(), count: processByteCount), number: number(&input))
        }
    }

    private static func number(_ input: inout FuzzInput) -> UInt64 {
        input.bool() ? UInt64(input.byte()) : input.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
