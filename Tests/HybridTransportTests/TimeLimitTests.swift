import HybridProtocol
import HybridTransport
import Synchronization
import TestPeers
import Testing

/// A silent peer, at each stage: a time-out that names the stage.
@Suite("A time limit", .timeLimit(.minutes(2)))
struct TimeLimitTests {
    /// A time-out that a client runs into, and how.
    struct ClientCase: Sendable, CustomTestStringConvertible {
        let stage: Stage
        let limits: TimeLimits
        var fates = TestTunnels.Fates()
        var onConnect = TestTunnels.Answer.open

        var testDescription: String { stage.rawValue }

        static let all = [
            ClientCase(stage: .tunnelJoined, limits: .short(\.tunnel), onConnect: .hang),
            ClientCase(stage: .handshaken, limits: .short(\.handshake), fates: .client(0, .stuck)),
            ClientCase(stage: .handshaken, limits: .short(\.handshake), fates: .client(0, .lost)),
            ClientCase(
                stage: .handshaken, limits: .short(\.handshake), fates: .init(ofAuthenticator: { _, _ in .lost })),
            ClientCase(
                stage: .ready, limits: .short(\.handshake),
                fates: .init(ofAuthenticator: { count, _ in count == 0 ? .delivered : .lost })),
            ClientCase(stage: .commandSent, limits: .short(\.command), fates: .client(1, .stuck)),
            ClientCase(stage: .commandAnswered, limits: .short(\.command), fates: .client(1, .lost)),
            ClientCase(stage: .commandAnswered, limits: .short(\.command), fates: .authenticator(3, .lost)),
        ]
    }

    @Test("of a client names the stage that the other side has prevented", arguments: ClientCase.all)
    func client(scenario: ClientCase) async {
        let context = TestContext(onConnect: scenario.onConnect, fates: scenario.fates)
        // The authenticator would wait for ever; the client's close ends it, or its own limit where no client comes.
        var authenticator = TimeLimits.generous
        if scenario.stage == .tunnelJoined { authenticator = .short(\.advertising) }
        let (client, _, _) = await context.run(client: scenario.limits, authenticator: authenticator)
        #expect(client.failed(.timeout, before: scenario.stage))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of a client distinguishes silence from foreign adverts", arguments: [true, false])
    func noAdvert(hearsOthers: Bool) async {
        let context = TestContext()
        if hearsOthers { context.radio.broadcast([UInt8](repeating: 7, count: 20)) }
        var limits = TimeLimits.generous
        limits.discovery = .seconds(3)
        let client = await context.client(limits, show: { _ in })
        #expect(client.failed(.timeout, before: hearsOthers ? .advertOpened : .advertSeen))
        #expect(client.error?.cause == "not reached within 3 s")
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("runs on the clock that is handed in")
    func otherClock() async {
        let context = TestContext()
        var limits = TimeLimits.generous
        limits.discovery = .seconds(3600)
        limits.clock = JumpingClock()
        let client = await context.client(limits, show: { _ in })
        #expect(client.failed(.timeout, before: .advertSeen))
        #expect(client.error?.cause == "not reached within 3600 s")
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    /// A time-out that an authenticator runs into, and how.
    struct AuthenticatorCase: Sendable, CustomTestStringConvertible {
        let stage: Stage
        let limits: TimeLimits
        var fates = TestTunnels.Fates()
        var onNew = TestTunnels.Answer.open

        var testDescription: String { stage.rawValue }

        static let all = [
            AuthenticatorCase(stage: .handshaken, limits: .short(\.advertising), fates: .client(0, .lost)),
            AuthenticatorCase(stage: .handshaken, limits: .short(\.handshake), fates: .authenticator(0, .stuck)),
            AuthenticatorCase(stage: .handshaken, limits: .short(\.handshake), fates: .authenticator(1, .stuck)),
            AuthenticatorCase(stage: .commandSent, limits: .short(\.idle), fates: .client(1, .lost)),
            AuthenticatorCase(stage: .commandAnswered, limits: .short(\.command), fates: .authenticator(3, .stuck)),
            // The update that offers nothing goes with the first message.
            AuthenticatorCase(stage: .handshaken, limits: .short(\.handshake), fates: .authenticator(2, .stuck)),
        ]
    }

    @Test("of an authenticator names the stage that the other side has prevented", arguments: AuthenticatorCase.all)
    func authenticator(scenario: AuthenticatorCase) async {
        let context = TestContext(fates: scenario.fates)
        let (client, authenticator, _) = await context.run(authenticator: scenario.limits)
        #expect(authenticator.failed(.timeout, before: scenario.stage))
        #expect(client.error?.code == .peerClosed)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of an authenticator names a tunnel service that does not answer")
    func noTunnel() async throws {
        let context = TestContext(onNew: .hang)
        let authenticator = await context.authenticator(try QRReader.anyURL(), .short(\.tunnel))
        #expect(authenticator.failed(.timeout, before: .tunnelOpened))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of a command ends the question that is being asked, and tells the client")
    func slowUser() async {
        let wasCancelled = Mutex(false)
        let context = TestContext()
        let (client, authenticator, _) = await context.run(
            authenticator: .short(\.command),
            respond: { _ in
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
                return TestContext.answer
            })
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.timeout, before: .commandAnswered))
        #expect(client.failed(.peerClosed, before: .commandAnswered))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of the client's command tells the authenticator, which stops asking")
    func impatientClient() async {
        let wasCancelled = Mutex(false)
        let context = TestContext()
        let again = Mutex<HybridTransportError?>(nil)
        let (client, authenticator, _) = await context.run(
            client: .short(\.command),
            respond: { _ in
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
                return TestContext.answer
            },
            session: { connection in
                do {
                    return try await connection.send(TestContext.command)
                } catch {
                    // The session is over; another attempt gets the same error.
                    do { _ = try await connection.send(TestContext.command) } catch {
                        again.withLock { $0 = error as? HybridTransportError }
                    }
                    throw error
                }
            })
        #expect(client.failed(.timeout, before: .commandAnswered))
        #expect(again.withLock { $0 } == client.error)
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.peerClosed, before: .commandAnswered))
        #expect(authenticator.error?.cause.contains("the client cancelled") == true)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of closing keeps a dead authenticator from holding the client")
    func deadAtTheEnd() async {
        let context = TestContext(fates: .client(2, .stuck))
        var limits = TimeLimits.generous
        limits.closing = .milliseconds(50)
        let (client, authenticator, _) = await context.run(client: limits)
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("of closing runs while the radio stops")
    func radioStopsMeanwhile() async throws {
        // Nobody reads the client's shutdown: it waits until the authenticator is gone.
        let context = TestContext(fates: .client(2, .stuck))
        let (urls, shown) = AsyncStream<String>.makeStream()
        let authenticator = Task { () -> Ending<Int>? in
            for await url in urls { return await context.authenticator(url) }
            return nil
        }
        let openChannels = Mutex(0)
        let scanner = ObservedScanner(radio: context.radio) {
            openChannels.withLock { $0 = context.resources.now.openChannels }
            authenticator.cancel()
        }
        var limits = TimeLimits.generous
        limits.closing = .seconds(60)
        let answer = try await ClientCeremony(scanner: scanner, opener: context.tunnels, limits: limits).run(
            hint: .getAssertion
        ) {
            shown.yield($0)
        } session: { connection in
            try await connection.send(TestContext.command)
        }
        #expect(answer == TestContext.answer)
        #expect(openChannels.withLock { $0 } == 2, "both ends are open when the scan is over")
        #expect(await authenticator.value?.error?.code == .cancelled)
        #expect(context.resources.now == ResourceCounter.Counts())
    }
}

/// A scanner that says when a scan is over.
private struct ObservedScanner: AdvertScanner {
    let radio: TestRadio
    let atEnd: @Sendable () -> Void

    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        let value = try await radio.scan(body)
        atEnd()
        return value
    }
}

extension TestTunnels.Fates {
    /// One message of the client's has this fate, the others arrive.
    static func client(_ number: Int, _ fate: TestChannel.Fate) -> Self {
        Self(ofClient: { count, _ in count == number ? fate : .delivered })
    }

    /// One message of the authenticator's has this fate, the others arrive.
    static func authenticator(_ number: Int, _ fate: TestChannel.Fate) -> Self {
        Self(ofAuthenticator: { count, _ in count == number ? fate : .delivered })
    }
}
