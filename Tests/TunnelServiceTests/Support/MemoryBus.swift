import NIOConcurrencyHelpers
import Testing

@testable import TunnelService

/// A bus in memory, with a tap for each node.
final class MemoryBus: Sendable {
    private struct Listener {
        let node: Int
        let number: Int
        let handler: @Sendable (ClusterDelivery) -> Void
    }

    private struct State {
        var listeners: [String: [Listener]] = [:]
        var last = 0
        var isConnected = true
        var cutOff: Set<Int> = []
        var knowsOfSplit = true
        var unheard: Set<Int> = []
        var changed: [@Sendable () -> Void] = []
        var holdsAnswers = false
        var holdsRequests = false
        var forgesNobody = false
        var held: [@Sendable () -> Void] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Cuts all nodes off, or connects them again.
    func connect(_ isConnected: Bool) {
        let changed = state.withLockedValue { state in
            state.isConnected = isConnected
            return state.changed
        }
        for change in changed { change() }
    }

    /// Cuts these nodes off from the others, without a change of their own connections; none, to join them again.
    ///
    /// - Parameter isNoticed: true if who asks is told that nobody listens; otherwise nothing is heard.
    func split(_ nodes: Set<Int>, isNoticed: Bool = true) {
        state.withLockedValue { state in
            state.cutOff = nodes
            state.knowsOfSplit = isNoticed
            state.unheard = []
        }
    }

    /// The nodes of whose messages to all nodes one was lost by the split.
    var unheard: Set<Int> { state.withLockedValue { $0.unheard } }

    /// Keeps answers to requests back, until it is told not to: so that registrations race.
    func holdAnswers(_ holds: Bool) { hold { $0.holdsAnswers = holds } }

    /// Says to each request first that nobody listens, until it is told not to.
    func forgeNobody(_ forges: Bool) { state.withLockedValue { $0.forgesNobody = forges } }

    /// Keeps requests back, until it is told not to: also from those who listen no more by then.
    func holdRequests(_ holds: Bool) { hold { $0.holdsRequests = holds } }

    private func hold(_ change: (inout State) -> Void) {
        let held = state.withLockedValue { state in
            change(&state)
            defer { state.held = [] }
            return state.held
        }
        for delivery in held { delivery() }
    }

    private func deliver(_ holds: any KeyPath<State, Bool> & Sendable, _ delivery: @escaping @Sendable () -> Void) {
        let isHeld = state.withLockedValue { state in
            if state[keyPath: holds] { state.held.append(delivery) }
            return state[keyPath: holds]
        }
        if !isHeld { delivery() }
    }

    /// The number of requests and answers that are kept back.
    var heldCount: Int { state.withLockedValue { $0.held.count } }

    /// Sends any bytes to every listener.
    func send(
        _ message: [UInt8], to subject: String, reply: String? = nil, answer: (@Sendable ([UInt8]) -> Void)? = nil
    ) {
        for listener in listeners(of: subject, but: -1) {
            listener.handler(ClusterDelivery(message: message, subject: subject, reply: reply, answer: answer))
        }
    }

    /// The subjects to which somebody listens.
    var subjects: Set<String> { state.withLockedValue { Set($0.listeners.filter { !$0.value.isEmpty }.keys) } }

    /// The number of those who listen to a subject.
    func count(of subject: String) -> Int { state.withLockedValue { $0.listeners[subject]?.count ?? 0 } }

    func node(_ number: Int) -> some ClusterBus { Tap(bus: self, node: number) }

    private func listeners(of subject: String, but node: Int) -> [Listener] {
        state.withLockedValue { state in
            (state.listeners[subject] ?? []).filter { listener in
                // The test itself reaches all.
                let isReached = node < 0 || state.cutOff.contains(node) == state.cutOff.contains(listener.node)
                return listener.node != node && isReached
            }
        }
    }

    private struct Tap: ClusterBus {
        let bus: MemoryBus
        let node: Int

        var isConnected: Bool { bus.state.withLockedValue { $0.isConnected } }

        func start(_ changed: @escaping @Sendable () -> Void) {
            bus.state.withLockedValue { $0.changed.append(changed) }
        }

        func stop() {
            bus.state.withLockedValue { state in
                for subject in state.listeners.keys { state.listeners[subject]?.removeAll { $0.node == node } }
            }
        }

        func publish(_ message: [UInt8], to subject: String) {
            guard isConnected else { return }
            let reached = bus.listeners(of: subject, but: node)
            bus.state.withLockedValue { state in
                let others = state.listeners[subject]?.count { $0.node != node } ?? 0
                if subject == ClusterSubject.alive, reached.count < others { state.unheard.insert(node) }
            }
            for listener in reached {
                listener.handler(ClusterDelivery(message: message, subject: subject, reply: nil, answer: nil))
            }
        }

        func request(
            of subject: String, _ message: (_ reply: String) -> [UInt8],
            _ answer: @escaping @Sendable (ClusterAnswer) -> Void
        ) -> any ClusterSubscription {
            let number = bus.state.withLockedValue { state in
                state.last += 1
                return state.last
            }
            let reply = "answers.\(node).\(number)"
            // Nobody listens to that: the asker drops an answer that comes too late.
            let asking = Subscription(bus: bus, subject: reply, number: number)
            guard isConnected else { return asking }
            let message = message(reply)
            let listeners = bus.listeners(of: subject, but: node)
            let give: @Sendable (ClusterAnswer) -> Void = { [bus] reply in
                bus.deliver(\.holdsAnswers) { answer(reply) }
            }
            let isHeard = bus.state.withLockedValue { $0.knowsOfSplit || ($0.listeners[subject] ?? []).isEmpty }
            if listeners.isEmpty && isHeard || bus.state.withLockedValue({ $0.forgesNobody }) { give(.nobody) }
            for listener in listeners {
                bus.deliver(\.holdsRequests) {
                    listener.handler(
                        ClusterDelivery(message: message, subject: subject, reply: reply) { give(.message($0)) })
                }
            }
            return asking
        }

        func subscribe(
            to subject: String, _ handler: @escaping @Sendable (ClusterDelivery) -> Void
        ) -> any ClusterSubscription {
            let number = bus.state.withLockedValue { state in
                state.last += 1
                state.listeners[subject, default: []].append(Listener(node: node, number: state.last, handler: handler))
                return state.last
            }
            return Subscription(bus: bus, subject: subject, number: number)
        }
    }

    private struct Subscription: ClusterSubscription {
        let bus: MemoryBus
        let subject: String
        let number: Int

        func cancel() {
            bus.state.withLockedValue { $0.listeners[subject]?.removeAll { $0.number == number } }
        }
    }
}
