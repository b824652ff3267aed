import Cryptography
import Foundation
import HybridProtocol
import HybridTransport
import Synchronization
import TunnelClient

/// Authenticators that are registered at a service, and clients that wake them.
final class Crowd: Sendable {
    /// The times of a wake, from the moment in which the client began to connect.
    struct Times: Sendable {
        /// Until the authenticator knew.
        let woken: Duration
        /// Until the client knew that.
        let answered: Duration
    }

    private struct State {
        var contactIDs: [ContactID?]
        var registered: Set<Int> = []
        var woken: [[UInt8]: ContinuousClock.Instant] = [:]
        var waitingSince = ContinuousClock.now
        var timeOfHalf = Duration.zero
        var tasks: [Task<Void, Never>] = []
    }

    /// A client was told that its authenticator knew, and the authenticator did not.
    private struct Lost: Error {}

    private static let timeout = Duration.seconds(60)

    private let service: TunnelURL.Service
    private let opener: TunnelClient
    private let listeners: [ContactListener]
    private let state: Mutex<State>

    /// A crowd of this size, each with a key and a link of its own.
    init(of size: Int, _ task: ServerTask, port: Int) throws {
        service = TunnelURL.Service(address: "\(task.security == .tls ? "wss" : "ws")://localhost:\(port)")
        var configuration = TunnelClient.Configuration()
        configuration.additionalAuthorities = [task.certificate.certificateFile]
        configuration.idleTimeout = ContactListener.idleTimeout
        // Thousands of handshakes wait for each other on this machine.
        configuration.connectTimeout = .seconds(120)
        configuration.upgradeTimeout = .seconds(120)
        let opener = try TunnelClient(configuration: configuration)
        self.opener = opener
        let link = try LinkID([UInt8](repeating: 1, count: LinkID.byteCount))
        var limits = ContactListener.Limits.standard
        limits.answer = .seconds(120)
        listeners = try (0..<size).map { [service] _ in
            let key = try P256.PrivateKey.generate()
            return ContactListener(key: key, service: service, opener: opener, limits: limits) { [ContactLink(link)] }
        }
        state = Mutex(State(contactIDs: Array(repeating: nil, count: size)))
    }

    /// The time until half were registered, of the last wait.
    var timeOfHalf: Duration { state.withLock { $0.timeOfHalf } }

    /// Starts them all.
    func start() {
        forgetRegistrations()
        for (number, listener) in listeners.enumerated() {
            let run = Task { do { try await listener.run() } catch { print("a listener ended: \(error)") } }
            let watch = Task { [self] in
                for await event in listener.events { note(event, number) }
            }
            state.withLock { $0.tasks += [run, watch] }
        }
    }

    /// Ends them all.
    func stop() async {
        let tasks = state.withLock { $0.tasks }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func note(_ event: ContactEvent, _ number: Int) {
        state.withLock { state in
            switch event {
            case .registered(let contactIDs):
                state.contactIDs[number] = contactIDs.values.first
                state.registered.insert(number)
                if state.registered.count == listeners.count / 2 { state.timeOfHalf = .now - state.waitingSince }
            case .wake(let wake): state.woken[wake.clientPayload] = .now
            case .reconnecting, .refused: break
            }
        }
    }

    /// Counts registrations from here on.
    func forgetRegistrations() {
        state.withLock { $0.registered = [] }
    }

    /// Waits until each has registered since the last ``forgetRegistrations()``.
    func whenAllRegistered() async throws {
        state.withLock { $0.waitingSince = .now }
        while state.withLock({ $0.registered.count }) < listeners.count { try await Task.sleep(for: .milliseconds(50)) }
    }

    /// Wakes some, one after the other in several lines.
    func wake(_ count: Int, atATime lines: Int) async throws -> [Times] {
        try await withThrowingTaskGroup(of: [Times].self) { group in
            for line in 0..<lines {
                group.addTask {
                    var times: [Times] = []
                    for number in stride(from: line, to: count, by: lines) {
                        times.append(try await self.wakeOne(number))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Wakes one of them.
    ///
    /// - Parameter number: tells the request from others.
    func wakeOne(_ number: Int) async throws -> Times {
        let payload = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        // A step that has no common divisor with the size: each is woken about as often as the others.
        let step = 7_919
        guard let contactID = state.withLock({ $0.contactIDs[number * step % listeners.count] }) else {
            throw Lost()
        }
        let start = ContinuousClock.now
        let headers = ContactHeaders(clientPayload: payload).fields
        let tunnel = try await opener.open(TunnelRequest(.contact(contactID, at: service), headers: headers))
        let answered = ContinuousClock.now - start
        await tunnel.channel.close()
        // The listener's event may be read a moment after its acknowledgement has arrived.
        var woken = state.withLock { $0.woken[payload] }
        while woken == nil {
            guard ContinuousClock.now - start < Self.timeout else { throw Lost() }
            try await Task.sleep(for: .milliseconds(1))
            woken = state.withLock { $0.woken[payload] }
        }
        return Times(woken: (woken ?? start) - start, answered: answered)
    }
}

/// Requests at a steady pace, whatever becomes of them.
actor Load {
    private var outcomes: [String: Int] = [:]
    private var pacing: Task<Void, Never>?
    private var isOver = false
    private static let firstNumber = 1 << 32

    init(_ crowd: Crowd, every interval: Duration) {
        Task { await self.begin(crowd, interval) }
    }

    private func begin(_ crowd: Crowd, _ interval: Duration) {
        pacing = Task {
            await withTaskGroup(of: Void.self) { group in
                var number = Self.firstNumber
                while !self.isOver {
                    let mine = number
                    number += 1
                    group.addTask {
                        do {
                            _ = try await crowd.wakeOne(mine)
                            await self.note("answered")
                        } catch let error as DataChannelError {
                            await self.note(error.httpStatus.map { "refused \($0)" } ?? error.code.rawValue)
                        } catch {
                            await self.note("acknowledged without a wake")
                        }
                    }
                    try? await Task.sleep(for: interval)
                }
            }
        }
    }

    private func note(_ outcome: String) { outcomes[outcome, default: 0] += 1 }

    /// Ends it when all requests are answered, and returns the number of each outcome.
    func stop() async -> String {
        isOver = true
        await pacing?.value
        return outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
