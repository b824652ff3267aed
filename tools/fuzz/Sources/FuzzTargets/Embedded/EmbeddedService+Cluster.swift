internal import HybridProtocol
internal import NIOCore
internal import NIOEmbedded

@testable internal import TunnelService

// A service that is one of several nodes.
extension EmbeddedService {
    /// Joins the other nodes.
    func join(_ bus: EmbeddedBus) {
        guard let contacts = relay.contacts else { return }
        let cluster = ContactCluster(bus: bus, relay: relay, broker: contacts)
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
            let reply = input.bool() ? "reply" : nil
            let message = nodeMessage(&input, on: .init(subject: listener.subject, reply: reply ?? ""))
            let question = Question()
            let answer: @Sendable ([UInt8]) -> Void = { question.answer($0) }
            listener.handler(
                ClusterDelivery(
                    message: message, subject: listener.subject, reply: reply, answer: reply == nil ? nil : answer))
        case 5:
            guard !bus.questions.isEmpty else { return }
            let question = input.one(of: bus.questions)
            question.answer(input.bool() ? .nobody : .message(answer(&input, to: question)))
        case 6: bus.connect(input.bool())
        default: loop.advanceTime(by: .milliseconds(Int64(input.byte()) * 40))
        }
        loop.run()
        for message in bus.takeTold() {
            expect(Self.isReadable(message), "a node tells what none can read")
        }
        expect(
            relay.cluster.map { $0.challenged.count <= 4_096 } ?? false, "too many processes are asked for a proof")
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

    /// True if another node can read it; whether it can believe it, its way shows.
    fileprivate static func isReadable(_ message: [UInt8]) -> Bool {
        guard let envelope = try? ClusterEnvelope(decoding: message) else { return false }
        return (try? ClusterMessage(decoding: envelope.contents)) != nil
    }

    private func answer(_ input: inout FuzzInput, to question: EmbeddedBus.Question) -> [UInt8] {
        let code = (try? ClusterEnvelope(decoding: question.message))?.code ?? []
        let route = ClusterEnvelope.Route(subject: question.reply, question: code)
        guard question.subject.hasPrefix("hybrid.process."), input.bool() else { return nodeMessage(&input, on: route) }
        // The process that is asked proves that it runs.
        let process = UInt8(question.subject.suffix(2), radix: 16)
        return nodeMessage(&input, .response(number: UInt64(input.byte())), of: process, on: route)
    }

    /// A message of one of three other nodes that has this way: a good one, one that was altered before or after it had
    /// its code, one that was sent before, or any bytes.
    private func nodeMessage(
        _ input: inout FuzzInput, _ message: ClusterMessage? = nil, of process: UInt8? = nil,
        on route: ClusterEnvelope.Route
    ) -> [UInt8] {
        if input.number(below: 8) == 0 { return input.counted(atMost: 255) }
        let message = message ?? ClusterMessage.drawn(from: &input, contactIDs: said.contactIDs)
        var contents = message.encoded
        if input.number(below: 8) == 0 { _ = input.alter(&contents) }
        let process = [UInt8](repeating: process ?? input.byte() % 3, count: ClusterEnvelope.processByteCount)
        sent += 1
        let counter = input.number(below: 8) == 0 ? UInt64(input.byte()) : sent
        guard let issuer = relay.contacts?.issuer else { return contents }
        var bytes = ClusterEnvelope(
            contents, from: .init(process: process, counter: counter), on: route, by: issuer
        ).encoded
        if input.number(below: 8) == 0 { _ = input.alter(&bytes) }
        return bytes
    }
}

/// A question of another node, which must not be answered twice: NATS would drop the second.
private final class Question: @unchecked Sendable {
    private var isAnswered = false

    func answer(_ bytes: [UInt8]) {
        expect(!isAnswered, "a question is answered twice")
        expect(EmbeddedService.isReadable(bytes), "an answer cannot be read")
        isAnswered = true
    }
}

extension ClusterMessage {
    /// Any message, with a contact ID that is known, if there is one.
    static func drawn(from input: inout FuzzInput, contactIDs: [[UInt8]]) -> ClusterMessage {
        switch input.number(below: 12) {
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
        case 3: return .number(registration(&input))
        case 4:
            return .registered(
                registration(&input), milliseconds: input.bool() ? number(&input) : nil,
                replacing: input.bool() ? number(&input) : nil)
        case 5:
            return .labels(
                (0..<input.number(below: 4)).compactMap { _ in ContactLabel(input.bytes(ContactLabel.byteCount)) })
        case 6: return .returned
        case 7: return .declined(tunnelID: [UInt8](repeating: input.byte(), count: TunnelID.byteCount))
        case 8: return .present
        case 9: return .challenge(missed: input.bool())
        case 10: return .response(number: number(&input))
        default: return .alive(number: number(&input))
        }
    }

    private static func registration(_ input: inout FuzzInput) -> Registration {
        Registration(number: min(number(&input), maximumNumber), tie: number(&input))
    }

    private static func number(_ input: inout FuzzInput) -> UInt64 {
        input.bool() ? UInt64(input.byte()) : input.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
