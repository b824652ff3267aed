import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// The authenticator's ceremony against clients that are unusual, in a hurry, or break the rules of the article
/// Messages of HybridProtocol.
@Suite("An authenticator facing a misbehaving client", .timeLimit(.minutes(10)))
struct HostileClientTests {
    @Test("ends cleanly when the client closes without a shutdown after its answer, as libwebauthn and microG do")
    func closesWithoutShutdown() async throws {
        let context = TestContext()
        let authenticator = try await context.authenticatorFacing { peer in
            try await peer.send([1] + TestContext.command)
            let answer = try await peer.receive()
            #expect(answer == [1] + TestContext.answer)
        }
        #expect(authenticator.value == 1)
        #expect(authenticator.stages.last == .closed)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("serves a client that asks before it has read the first message, as microG does")
    func asksEarly() async throws {
        let authenticator = try await TestContext().authenticatorFacing(receivesFirst: false) { peer in
            try await peer.send([1] + TestContext.command)
            let first = try await peer.receive()
            #expect(first == RawPeer.firstMessage)
            let update = try await peer.receive()
            #expect(update.first == MessageType.update.rawValue)
            let answer = try await peer.receive()
            #expect(answer == [1] + TestContext.answer)
        }
        #expect(authenticator.value == 1)
    }

    @Test("says so when the client closes before it has asked for anything")
    func closesAtOnce() async throws {
        let authenticator = try await TestContext().authenticatorFacing { (_: inout RawPeer) in }
        #expect(authenticator.failed(.peerClosed, before: .commandSent))
    }

    @Test("ends cleanly when the client shuts down before it has asked for anything")
    func shutsDownAtOnce() async throws {
        let authenticator = try await TestContext().authenticatorFacing { peer in try await peer.send([0]) }
        #expect(authenticator.value == 0)
    }

    @Test("stops asking the user at once when the client leaves", arguments: [true, false])
    func leavesWhileAsking(byShutdown: Bool) async throws {
        let context = TestContext()
        let wasCancelled = Mutex(false)
        let asked = Gate()
        let authenticator = try await context.authenticatorFacing(respond: { _ in
            asked.open()
            do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
            return TestContext.answer
        }) { peer in
            try await peer.send([1] + TestContext.command)
            await asked.wait()
            if byShutdown {
                try await peer.send([0])
                await #expect(throws: DataChannelError.self) { try await peer.channel.receive() }
            }
        }
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.peerClosed, before: .commandAnswered))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("refuses a second command before the first is answered, and stops asking the user")
    func secondCommand() async throws {
        let wasCancelled = Mutex(false)
        let authenticator = try await TestContext().authenticatorFacing(respond: { _ in
            do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
            return TestContext.answer
        }) { peer in
            try await peer.send([1] + TestContext.command)
            try await peer.send([1] + TestContext.command)
            _ = try await peer.receive()
        }
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.protocolViolation, before: .commandAnswered))
    }

    @Test(
        "refuses what a client may not send",
        arguments: [
            [], [1], [4, 0], [3, 0x7b, 0x7d], [2, 0xff], [0, 1],
        ] as [[UInt8]])
    func badMessage(plaintext: [UInt8]) async throws {
        let context = TestContext()
        let authenticator = try await context.authenticatorFacing { peer in
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        #expect(authenticator.failed(.protocolViolation, before: .commandSent))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("goes on after updates, before and while it is asked (HT-MSG-48)")
    func updates() async throws {
        let authenticator = try await TestContext().authenticatorFacing { peer in
            try await peer.send([2, 0xa0])
            try await peer.send([1] + TestContext.command)
            try await peer.send([2, 0xa1, 0x09, 0xf5])
            #expect(try await peer.receive() == [1] + TestContext.answer)
            try await peer.send([2, 0xa0])
            try await peer.send([0])
        }
        #expect(authenticator.value == 1)
    }

    /// A moment at which a session waits, and the end that its time limit gives it.
    enum Moment: CaseIterable { case beforeRequest, whileAsked, afterOperation }

    @Test("keeps its time limits while updates come without end", arguments: Moment.allCases)
    func endlessUpdates(_ moment: Moment) async throws {
        var limits = TimeLimits.generous
        (limits.idle, limits.command, limits.departure) = (.seconds(2), .seconds(2), .seconds(2))
        let context = TestContext()
        let isOutlasted = Mutex(false)
        let offer = SessionOffer(getInfo: TestContext.getInfo) { _ in
            if moment == .whileAsked { try? await Task.sleep(for: .seconds(3600)) }
            return [0]
        }
        let authenticator = try await context.authenticatorFacing(limits, offer: offer) { peer in
            if moment != .beforeRequest { try await peer.send([1] + TestContext.command) }
            // Four times as long as the authenticator waits.
            for _ in 0..<60 {
                try await peer.send([2, 0xa0])
                try await Task.sleep(for: .milliseconds(130))
            }
            isOutlasted.withLock { $0 = true }
        }
        #expect(!isOutlasted.withLock { $0 })
        switch moment {
        case .beforeRequest: #expect(authenticator.failed(.timeout, before: .commandSent))
        case .whileAsked: #expect(authenticator.failed(.timeout, before: .commandAnswered))
        case .afterOperation: #expect(authenticator.value == 1)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("takes 256 updates or 1 MiB of them, and no more", arguments: [(256, false), (1, true)])
    func tooManyUpdates(count: Int, isLong: Bool) async throws {
        // A text of so many bytes, or an empty map.
        let text: [UInt8] = [0x7a, 0, 0x0f, 0xff, 0xf0] + [UInt8](repeating: 0x61, count: 0x0f_fff0)
        let contents = isLong ? text : [0xa0]
        for isOneMore in [false, true] {
            let authenticator = try await TestContext().authenticatorFacing { peer in
                for _ in 0..<count { try await peer.send([2] + contents) }
                if isOneMore { try await peer.send([2] + [0x6b] + [UInt8](repeating: 0x61, count: 11)) }
                try await peer.send([0])
            }
            let isRefused = authenticator.failed(.protocolViolation, before: .commandSent)
            #expect(isOneMore ? isRefused : authenticator.value == 0)
        }
    }

    @Test("answers a thousand commands in a row, then still notices the shutdown")
    func manyCommands() async throws {
        let authenticator = try await TestContext().authenticatorFacing { peer in
            for _ in 0..<1_000 {
                try await peer.send([1] + TestContext.command)
                _ = try await peer.receive()
            }
            try await peer.send([0])
        }
        #expect(authenticator.value == 1_000)
    }
}
