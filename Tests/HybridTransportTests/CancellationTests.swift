import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// Cancelling the surrounding task at every stage: it ends promptly, and nothing is left behind.
@Suite("Cancellation", .timeLimit(.minutes(2)))
struct CancellationTests {
    private static let clientStages: [Stage] = [
        .qrShown, .advertSeen, .advertOpened, .tunnelJoined, .handshaken, .ready, .commandSent,
    ]
    private static let authenticatorStages: [Stage] = [
        .tunnelOpened, .advertising, .handshaken, .ready, .commandSent,
    ]

    @Test("of a client at any stage ends both sides and leaves nothing", arguments: clientStages)
    func client(stage: Stage) async {
        let context = TestContext()
        let task = Later<Void>()
        let log = EventLog { if $0 == .stage(stage) { task.cancel() } }
        let life = Life()
        let result = Mutex<(Ending<[UInt8]>, Ending<Int>?)?>(nil)
        let clock = ContinuousClock()
        let time = await clock.measure {
            await task.run {
                let (urls, shown) = AsyncStream<String>.makeStream()
                // The authenticator is not part of the cancelled task.
                let authenticator = Task { () -> Ending<Int>? in
                    for await url in urls {
                        return await context.authenticator(url) { _ in await EndlessQuestion.answer() }
                    }
                    return nil
                }
                let client = await context.client(
                    log: log,
                    show: { [life = life.token] in
                        _ = life
                        shown.yield($0)
                    })
                shown.finish()
                // A client that never came is waited for until one side gives up.
                if [.qrShown, .advertSeen, .advertOpened].contains(stage) { authenticator.cancel() }
                let other = await authenticator.value
                result.withLock { $0 = (client, other) }
            }
        }
        let (client, authenticator) = result.withLock { $0 } ?? (nil, nil)
        #expect(client?.error?.code == .cancelled)
        #expect(authenticator?.value == nil)
        #expect(time < .seconds(20))
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(!life.isAlive)
    }

    @Test("of an authenticator at any stage ends both sides and leaves nothing", arguments: authenticatorStages)
    func authenticator(stage: Stage) async {
        let context = TestContext()
        let task = Later<Void>()
        let life = Life()
        let log = EventLog { if $0 == .stage(stage) { task.cancel() } }
        let (urls, shown) = AsyncStream<String>.makeStream()
        let client = Task { await context.client(show: { shown.yield($0) }) }
        let ending = Mutex<Ending<Int>?>(nil)
        let clock = ContinuousClock()
        let time = await clock.measure {
            for await url in urls {
                await task.run {
                    let result = await context.authenticator(url, log: log) { [life = life.token] _ in
                        _ = life
                        return await EndlessQuestion.answer()
                    }
                    ending.withLock { $0 = result }
                }
                break
            }
        }
        if [.tunnelOpened, .advertising].contains(stage) { client.cancel() }
        #expect(ending.withLock { $0?.error?.code } == .cancelled)
        #expect(await client.value.value == nil)
        #expect(time < .seconds(20))
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(!life.isAlive)
    }

    @Test(
        "of a client while the user is asked reaches the authenticator as a shutdown, also where the question blocks",
        arguments: [false, true])
    func shutdownArrives(blocks: Bool) async {
        let respond: TestContext.Responder = { _ in await EndlessQuestion.answer(blocking: blocks) }
        let context = TestContext()
        let task = Later<Void>()
        let log = EventLog { if $0 == .stage(.commandSent) { task.cancel() } }
        let authenticatorLog = EventLog { if $0 == .stage(.commandSent) { log.note($0) } }
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let authenticator = { () -> Ending<Int>? in
            for await url in urls {
                return await context.authenticator(url, log: authenticatorLog, respond: respond)
            }
            return nil
        }()
        await task.run { _ = await context.client(show: { shown.yield($0) }) }
        let ending = await authenticator
        #expect(ending?.failed(.peerClosed, before: .commandAnswered) == true)
        #expect(ending?.error?.cause.contains("the client cancelled") == true)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("before a ceremony begins leaves nothing either")
    func beforeTheBeginning() async throws {
        let context = TestContext()
        let url = try QRReader.anyURL()
        let task = Later<Void>()
        task.cancel()
        await task.run {
            let client = await context.client(show: { _ in })
            #expect(client.error?.code == .cancelled)
            let authenticator = await context.authenticator(url)
            #expect(authenticator.error?.code == .cancelled)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("in the very moment in which the tunnel opens does not lose the tunnel", arguments: [true, false])
    func openTunnel(byTimeLimit: Bool) async throws {
        // An opener that notices nothing and succeeds too late.
        let context = TestContext()
        let opener = StubbornOpener(context.tunnels)
        let limits: TimeLimits = byTimeLimit ? .generous.with(\.tunnel, .milliseconds(200)) : .generous
        let ceremony = AuthenticatorCeremony(
            advertiser: context.radio, opener: opener, limits: limits.with(\.advertising, .milliseconds(50)))
        let url = try QRReader.anyURL()
        let task = Task {
            await #expect(throws: HybridTransportError.self) {
                _ = try await ceremony.run(
                    Invitation(url: url), offer: SessionOffer(getInfo: TestContext.getInfo) { _ in [0] })
            }
        }
        if !byTimeLimit { task.cancel() }
        _ = await task.value
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(context.tunnels.urls.count == 1)
    }
}

/// Opens tunnels after a while, cancelled or not.
private struct StubbornOpener: TunnelOpener {
    private let tunnels: TestTunnels

    init(_ tunnels: TestTunnels) { self.tunnels = tunnels }

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        await Task { try? await Task.sleep(for: .seconds(1)) }.value
        return try await tunnels.open(request)
    }
}

/// A task that can be cancelled from within, even before it runs.
final class Later<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Value, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func run(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = state.withLock { state in
            let task = Task(operation: body)
            state.task = task
            if state.isCancelled { task.cancel() }
            return task
        }
        return await task.value
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

/// True as long as a closure that was given away is held, as by a task that was left behind.
final class Life: Sendable {
    final class Token: Sendable {}

    private let held: Mutex<Token?>
    private nonisolated(unsafe) weak var observed: Token?

    init() {
        let token = Token()
        held = Mutex(token)
        observed = token
    }

    /// The token to be captured; it can be taken once.
    var token: Token? {
        held.withLock { token in
            defer { token = nil }
            return token
        }
    }

    var isAlive: Bool { observed != nil }
}

extension TimeLimits {
    fileprivate func with(_ path: WritableKeyPath<TimeLimits, Duration>, _ duration: Duration) -> Self {
        var limits = self
        limits[keyPath: path] = duration
        return limits
    }
}
