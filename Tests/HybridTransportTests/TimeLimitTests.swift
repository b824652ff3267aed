import Edges
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// A peer that says nothing, at each stage: a time-out that names the stage (ARCHITECTURE.md, Stages).
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

    @Test("of a client names the stage that the other side kept away", arguments: ClientCase.all)
    func client(scenario: ClientCase) async {
        let scene = Scene(onConnect: scenario.onConnect, fates: scenario.fates)
        // The authenticator would wait for ever; the client's close ends it, or its own limit where nobody comes.
        var authenticator = TimeLimits.generous
        if scenario.stage == .tunnelJoined { authenticator = .short(\.discovery) }
        let (client, _, _) = await scene.play(client: scenario.limits, authenticator: authenticator)
        #expect(client.failed(.timeout, before: scenario.stage))
        #expect(scene.census.now == Census.Counts())
    }

    @Test("of a client tells hearing nothing from hearing only others", arguments: [true, false])
    func noAdvert(hearsOthers: Bool) async {
        let scene = Scene()
        if hearsOthers { scene.radio.shout([UInt8](repeating: 7, count: 20)) }
        var limits = TimeLimits.generous
        limits.discovery = .seconds(3)
        let client = await scene.client(limits, show: { _ in })
        #expect(client.failed(.timeout, before: hearsOthers ? .advertOpened : .advertSeen))
        #expect(client.error?.cause == "not reached within 3 s")
        #expect(scene.census.now == Census.Counts())
    }

    /// A time-out that an authenticator runs into, and how.
    struct AuthenticatorCase: Sendable, CustomTestStringConvertible {
        let stage: Stage
        let limits: TimeLimits
        var fates = TestTunnels.Fates()
        var onNew = TestTunnels.Answer.open

        var testDescription: String { stage.rawValue }

        static let all = [
            AuthenticatorCase(stage: .handshaken, limits: .short(\.discovery), fates: .client(0, .lost)),
            AuthenticatorCase(stage: .handshaken, limits: .short(\.handshake), fates: .authenticator(0, .stuck)),
            AuthenticatorCase(stage: .ready, limits: .short(\.handshake), fates: .authenticator(1, .stuck)),
            AuthenticatorCase(stage: .commandSent, limits: .short(\.idle), fates: .client(1, .lost)),
            AuthenticatorCase(stage: .commandAnswered, limits: .short(\.command), fates: .authenticator(3, .stuck)),
            AuthenticatorCase(stage: .commandSent, limits: .short(\.handshake), fates: .authenticator(2, .stuck)),
        ]
    }

    @Test("of an authenticator names the stage that the other side kept away", arguments: AuthenticatorCase.all)
    func authenticator(scenario: AuthenticatorCase) async {
        let scene = Scene(fates: scenario.fates)
        let (client, authenticator, _) = await scene.play(authenticator: scenario.limits)
        #expect(authenticator.failed(.timeout, before: scenario.stage))
        #expect(client.error?.code == .peerClosed)
        #expect(scene.census.now == Census.Counts())
    }

    @Test("of an authenticator names a tunnel service that does not answer")
    func noTunnel() async throws {
        let scene = Scene(onNew: .hang)
        let authenticator = await scene.authenticator(try QRReader.anyURL(), .short(\.tunnel))
        #expect(authenticator.failed(.timeout, before: .tunnelOpened))
        #expect(scene.census.now == Census.Counts())
    }

    @Test("of a command ends the question that is being asked, and tells the client")
    func slowUser() async {
        let wasCancelled = Mutex(false)
        let scene = Scene()
        let (client, authenticator, _) = await scene.play(
            authenticator: .short(\.command),
            respond: { _ in
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
                return Scene.answer
            })
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.timeout, before: .commandAnswered))
        #expect(client.failed(.peerClosed, before: .commandAnswered))
        #expect(scene.census.now == Census.Counts())
    }

    @Test("of the client's command tells the authenticator, which stops asking")
    func impatientClient() async {
        let wasCancelled = Mutex(false)
        let scene = Scene()
        let again = Mutex<HybridTransportError?>(nil)
        let (client, authenticator, _) = await scene.play(
            client: .short(\.command),
            respond: { _ in
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
                return Scene.answer
            },
            session: { connection in
                do {
                    return try await connection.send(Scene.command)
                } catch {
                    // The session is over; whoever tries again is told the same.
                    do { _ = try await connection.send(Scene.command) } catch {
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
        #expect(scene.census.now == Census.Counts())
    }

    @Test("of closing keeps a dead authenticator from holding the client")
    func deadAtTheEnd() async {
        let scene = Scene(fates: .client(2, .stuck))
        var limits = TimeLimits.generous
        limits.closing = .milliseconds(50)
        let (client, authenticator, _) = await scene.play(client: limits)
        #expect(client.value == Scene.answer)
        #expect(authenticator.value == 1)
        #expect(scene.census.now == Census.Counts())
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
