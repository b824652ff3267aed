import Edges
import HybridProtocol
import HybridTransport
import Noise
import Testing

/// The client's ceremony against authenticators that are strange, old, or break the rules (PROTOCOL.md 7, 11).
@Suite("A client facing a strange authenticator", .timeLimit(.minutes(2)))
struct HostileAuthenticatorTests {
    private static let update: [UInt8] = [2, 0xa1, 0x00, 0x43, 0, 0, 0]

    @Test("takes updates before and during its command, and ignores one after it")
    func updates() async throws {
        let scene = Scene()
        let client = try await scene.clientFacing { peer in
            try await peer.say(Stranger.firstMessage)
            try await peer.say(Self.update)
            _ = try await peer.hear()
            for _ in 0..<100 { try await peer.say(Self.update) }
            try await peer.say([1] + Scene.answer)
            try await peer.say(Self.update)
            let shutdown = try await peer.hear()
            #expect(shutdown == [0])
        }
        #expect(client.value == Scene.answer)
        #expect(client.stages.last == .closed)
        #expect(scene.census.now == Census.Counts())
    }

    @Test("finds an update between two commands in its way no obstacle")
    func updateBetween() async throws {
        let client = try await Scene().clientFacing(session: { connection in
            _ = try await connection.send(Scene.command)
            return try await connection.send(Scene.command)
        }) { peer in
            try await peer.say(Stranger.firstMessage)
            _ = try await peer.hear()
            try await peer.say([1, 0])
            try await peer.say(Self.update)
            _ = try await peer.hear()
            try await peer.say([1, 0x7f])
        }
        #expect(client.value == [0x7f])
    }

    @Test("refuses an answer that had come before its request, whichever is looked at first", arguments: 0..<40)
    func earlyAnswer(_: Int) async throws {
        let said = AsyncStream<Void>.makeStream()
        let client = try await Scene().clientFacing(session: { connection in
            for await _ in said.stream { break }
            return try await connection.send(Scene.command)
        }) { peer in
            try await peer.say(Stranger.firstMessage)
            try await peer.say([1] + Scene.answer)
            said.continuation.yield()
            // The request, and whatever comes until the client leaves.
            while (try? await peer.hear()) != nil {}
        }
        #expect(client.value == nil)
        #expect(client.error?.code == .protocolViolation)
    }

    @Test("bears webauthn-rs's shutdown after the answer")
    func shutdownAfterAnswer() async throws {
        let client = try await Scene().clientFacing { peer in
            try await peer.say(Stranger.firstMessage)
            _ = try await peer.hear()
            try await peer.say([1] + Scene.answer)
            try await peer.say([0])
        }
        #expect(client.value == Scene.answer)
        #expect(client.stages.last == .closed)
    }

    @Test("takes a shutdown or a close in place of the answer as declined", arguments: [true, false])
    func declined(byShutdown: Bool) async throws {
        let client = try await Scene().clientFacing { peer in
            try await peer.say(Stranger.firstMessage)
            _ = try await peer.hear()
            if byShutdown { try await peer.say([0]) }
        }
        #expect(client.failed(.peerClosed, before: .commandAnswered))
        #expect(client.error?.hint.contains("declined") == true)
    }

    @Test("speaks revision 0, and the old construction, with an authenticator of 2021", arguments: [true, false])
    func revision0(isOld: Bool) async throws {
        let zeroCount = 512 - Stranger.firstMessage.count - 2
        let padded =
            Stranger.firstMessage + [UInt8](repeating: 0, count: zeroCount)
            + [UInt8(truncatingIfNeeded: zeroCount), UInt8(truncatingIfNeeded: zeroCount >> 8)]
        let client = try await Scene().clientFacing(construction: isOld ? .old : .current) { peer in
            try await peer.say(padded)
            let asked = try await peer.hear()
            #expect(asked == Scene.command)
            try await peer.say(Scene.answer)
            await #expect(throws: DataChannelError(.closed, reason: "")) { try await peer.channel.receive() }
        }
        #expect(client.value == Scene.answer)
    }

    @Test(
        "refuses a first message that is none",
        arguments: [
            [], [0x80], [0xa0], [0xff], [0xa1, 0x01, 0x01], [0xa1, 0x03, 0x80, 0x00],
        ] as [[UInt8]])
    func badFirstMessage(plaintext: [UInt8]) async throws {
        let scene = Scene()
        let client = try await scene.clientFacing { peer in
            try await peer.say(plaintext)
            _ = try await peer.hear()
        }
        #expect(client.failed(.protocolViolation, before: .ready))
        #expect(scene.census.now == Census.Counts())
    }

    @Test(
        "refuses an answer of no known type, of no contents, of another type, or none that was asked for",
        arguments: [
            [], [1], [4, 0], [3, 0x7b, 0x7d], [2, 0x80], [0, 1],
        ] as [[UInt8]])
    func badAnswer(plaintext: [UInt8]) async throws {
        let client = try await Scene().clientFacing { peer in
            try await peer.say(Stranger.firstMessage)
            _ = try await peer.hear()
            try await peer.say(plaintext)
            _ = try await peer.hear()
        }
        #expect(client.failed(.protocolViolation, before: .commandAnswered))
    }

    @Test("refuses an answer that came before the command, at once")
    func unaskedAnswer() async throws {
        let refused = Gate()
        let client = try await Scene().clientFacing(session: { connection in
            await refused.wait()
            return try await connection.send(Scene.command)
        }) { peer in
            try await peer.say(Stranger.firstMessage)
            try await peer.say([1, 0])
            await #expect(throws: DataChannelError(.closed, reason: "")) { try await peer.channel.receive() }
            refused.open()
        }
        #expect(client.failed(.protocolViolation, before: .commandSent))
        #expect(client.error?.cause.hasPrefix("unexpected-message") == true)
    }

    @Test("says so when the authenticator has no CTAP to offer")
    func noCTAP() async throws {
        let client = try await Scene().clientFacing { peer in
            try await peer.say([0xa1, 0x03, 0x81, 0x62, 0x64, 0x63])
            _ = try await peer.hear()
        }
        #expect(client.failed(.noCTAP, before: .commandSent))
    }
}
