import HybridProtocol
import NIOConcurrencyHelpers

@testable import TunnelService

/// A process that speaks as a node of a service does, with a contact secret that it is given, and proves that it runs.
final class ClusterPeer: Sendable {
    private struct State {
        var counter: UInt64 = 0
        var number: UInt64 = 0
        var proofs = 0
        var subscription: (any ClusterSubscription)?
    }

    /// Its name.
    let process = (0..<16).map { _ in UInt8.random(in: 0...UInt8.max) }
    private let bus: any ClusterBus
    private let issuer: ContactTokenIssuer
    private let state = NIOLockedValueBox(State())

    init(_ bus: any ClusterBus, _ issuer: ContactTokenIssuer) {
        self.bus = bus
        self.issuer = issuer
        let subscription = bus.subscribe(to: ClusterSubject.process(process)) { [weak self] delivery in
            guard let self else { return }
            answer(delivery, .response(number: state.withLockedValue { $0.number }))
            state.withLockedValue { $0.proofs += 1 }
        }
        state.withLockedValue { $0.subscription = subscription }
    }

    /// The number of times that it has been asked for a proof.
    var proofs: Int { state.withLockedValue { $0.proofs } }

    /// Closes a message in; those of a process that counts have no counter of their own.
    func seal(
        _ contents: [UInt8], to subject: String, reply: String = "", question: [UInt8] = [], counter: UInt64? = nil
    ) -> ClusterEnvelope {
        let next = state.withLockedValue { state in
            state.counter += 1
            return state.counter
        }
        return ClusterEnvelope(
            contents, from: .init(process: process, counter: counter ?? next),
            on: .init(subject: subject, reply: reply, question: question), by: issuer)
    }

    func seal(_ message: ClusterMessage, to subject: String, reply: String = "") -> [UInt8] {
        seal(message.encoded, to: subject, reply: reply).encoded
    }

    /// Tells that it goes on, and waits until so many nodes have asked it for a proof.
    func begin(_ nodes: Int, number: UInt64 = ClusterProcesses.firstNumber) async throws {
        tellAlive(number)
        try await until { proofs >= nodes }
    }

    func tellAlive(_ number: UInt64) {
        state.withLockedValue { $0.number = number }
        tell(.alive(number: number), to: ClusterSubject.alive)
    }

    func tell(_ message: ClusterMessage, to subject: String) {
        bus.publish(seal(message, to: subject), to: subject)
    }

    /// Answers the question of a node.
    func answer(_ delivery: ClusterDelivery, _ message: ClusterMessage) {
        guard let envelope = try? ClusterEnvelope(decoding: delivery.message), let reply = delivery.reply else {
            return
        }
        delivery.answer?(seal(message.encoded, to: reply, question: envelope.code).encoded)
    }

    /// The first answer to a question; nil if nobody listens, or answers in time.
    func ask(
        _ message: ClusterMessage, of subject: String, for time: Duration = RawPeer.timeout
    ) async throws -> ClusterMessage? {
        let (answers, continuation) = AsyncStream<ClusterAnswer>.makeStream()
        let question = bus.request(of: subject) {
            seal(message, to: subject, reply: $0)
        } _: {
            continuation.yield($0)
        }
        let timeout = Task {
            try await Task.sleep(for: time)
            continuation.finish()
        }
        defer {
            timeout.cancel()
            question.cancel()
        }
        let answer = await answers.first { _ in true }
        guard case .message(let bytes) = answer else { return nil }
        return try ClusterMessage(decoding: ClusterEnvelope(decoding: bytes).contents)
    }

    func stop() { state.withLockedValue { $0.subscription }?.cancel() }
}
