import HybridProtocol
import NIOCore

// The messages of other nodes that are believed: their code is right (TS-CON-54), and they are new (TS-CON-55).
extension ContactCluster {
    /// Outcome of a question.
    enum Reply: Sendable {
        case message(ClusterMessage, ClusterEnvelope.Sender)
        /// Nobody listens, as anybody may have said. An answer may come all the same.
        case nobody
        /// Nothing that could be believed came in time.
        case silence
    }

    /// A message that is believed, and how it is answered.
    struct Delivery: Sendable {
        let message: ClusterMessage
        let sender: ClusterEnvelope.Sender
        /// False for a question of a process that has not proved that it runs.
        let isProven: Bool
        /// Answers it, if it is a question.
        let answer: (@Sendable (ClusterMessage) -> Void)?
    }

    /// The most processes that are asked for a proof at a time.
    private static let challengeCount = 4_096

    private func seal(_ message: ClusterMessage, on route: ClusterEnvelope.Route) -> ClusterEnvelope {
        counter += 1
        return ClusterEnvelope(
            message.encoded, from: .init(process: process, counter: counter), on: route, by: broker.issuer)
    }

    /// Tells all others who listen to a subject.
    func publish(_ message: ClusterMessage, to subject: String) {
        guard bus.isConnected else { return }
        bus.publish(seal(message, on: .init(subject: subject)).encoded, to: subject)
    }

    /// Listens to a subject; messages that cannot be believed are dropped.
    func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ContactCluster, Delivery) -> Void
    ) -> any ClusterSubscription {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        return bus.subscribe(to: subject) { [eventLoop] delivery in
            eventLoop.execute {
                let cluster = reference.value
                do throws(ClusterMessage.Violation) {
                    handler(cluster, try cluster.open(delivery))
                } catch {
                    cluster.relay.metrics.clusterDropped(error)
                }
            }
        }
    }

    /// Asks, and hands on the outcome: at most once that nobody listens, and then one answer, or silence.
    func ask(
        _ message: ClusterMessage, _ subject: String, for time: TimeAmount,
        _ answer: @escaping @Sendable (ContactCluster, Reply) -> Void
    ) {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        let asking = NIOLoopBoundBox<(any ClusterSubscription)?>(nil, eventLoop: eventLoop)
        let isDenied = NIOLoopBoundBox(false, eventLoop: eventLoop)
        let timeout = eventLoop.scheduleTask(in: time) {
            asking.value?.cancel()
            asking.value = nil
            answer(reference.value, .silence)
        }
        let route = NIOLoopBoundBox(ClusterEnvelope.Route(subject: ""), eventLoop: eventLoop)
        asking.value = bus.request(of: subject) { reply in
            let envelope = seal(message, on: .init(subject: subject, reply: reply))
            route.value = ClusterEnvelope.Route(subject: reply, question: envelope.code)
            return envelope.encoded
        } _: { [eventLoop] reply in
            eventLoop.execute {
                guard let question = asking.value else { return }
                switch reply {
                case .message(let bytes):
                    guard let (message, sender) = reference.value.open(bytes, answering: route.value) else { return }
                    timeout.cancel()
                    question.cancel()
                    asking.value = nil
                    answer(reference.value, .message(message, sender))
                case .nobody:
                    guard !isDenied.value else { return }
                    isDenied.value = true
                    answer(reference.value, .nobody)
                }
            }
        }
    }

    private func open(
        _ bytes: [UInt8], answering route: ClusterEnvelope.Route
    ) -> (ClusterMessage, ClusterEnvelope.Sender)? {
        do throws(ClusterMessage.Violation) {
            let envelope = try envelope(bytes)
            return (try envelope.message(on: route, by: broker.issuer), envelope.sender)
        } catch {
            relay.metrics.clusterDropped(error)
            return nil
        }
    }

    /// An envelope of another process: nobody can give this one its own messages back.
    private func envelope(_ bytes: [UInt8]) throws(ClusterMessage.Violation) -> ClusterEnvelope {
        let envelope = try ClusterEnvelope(decoding: bytes)
        guard envelope.sender.process != process else { throw .replayed }
        return envelope
    }

    private func open(_ delivery: ClusterDelivery) throws(ClusterMessage.Violation) -> Delivery {
        let envelope = try envelope(delivery.message)
        let sender = envelope.sender
        let message = try envelope.message(
            on: .init(subject: delivery.subject, reply: delivery.reply ?? ""), by: broker.issuer)
        let standing = processes.take(sender, at: .now(), for: TimeAmount(times.proof))
        if standing == .replayed { throw .replayed }
        let isProven = standing != .unproven
        if standing != .new { challenge(sender.process, isKnown: isProven) }
        guard isProven || message.isPureQuestion else { throw .unproven }
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        let answer = delivery.answer.flatMap { send in
            delivery.reply.map { reply -> @Sendable (ClusterMessage) -> Void in
                { send(reference.value.seal($0, on: .init(subject: reply, question: envelope.code)).encoded) }
            }
        }
        return Delivery(message: message, sender: sender, isProven: isProven, answer: answer)
    }

    /// Asks a process for a proof that it runs, unless it is being asked: a message that was recorded shows only that
    /// it once ran.
    private func challenge(_ name: [UInt8], isKnown: Bool) {
        guard challenged.count < Self.challengeCount, challenged.insert(name).inserted else { return }
        let asked = NIODeadline.now()
        let missed = !isKnown && aliveNumber > ClusterProcesses.firstNumber
        ask(.challenge(missed: missed), ClusterSubject.process(name), for: TimeAmount(times.query)) { cluster, reply in
            switch reply {
            case .message(.response(let number), let sender) where sender.process == name:
                cluster.challenged.remove(name)
                cluster.proved(cluster.processes.prove(sender, number: number, asked: asked))
            case .message:
                cluster.challenged.remove(name)
                cluster.relay.metrics.clusterDropped(.malformed)
            // It is not asked again before the time is over.
            case .nobody: break
            case .silence: cluster.challenged.remove(name)
            }
        }
    }

    private func proved(_ proof: ClusterProcesses.Proof) {
        switch proof {
        case .renewed: break
        // It has nothing that others told before it was there; clients here may wait for its authenticators.
        case .begun: askAgain()
        case .unheard:
            relay.metrics.clusterGap()
            recover()
        }
    }

    /// Proves to another process that this one runs, and tells and asks it again if it has dropped messages until now.
    func take(challenge delivery: Delivery) {
        guard case .challenge(let missed) = delivery.message, let answer = delivery.answer else {
            return relay.metrics.clusterDropped(.malformed)
        }
        answer(.response(number: aliveNumber))
        guard delivery.isProven else { return }
        if missed { recover() } else { askAgain() }
    }
}
