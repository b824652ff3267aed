import HybridProtocol
import HybridTransport
import Testing

/// The client's ceremony against authenticators that are unusual, old, or break the rules of the article
/// Messages of HybridProtocol.
@Suite("A client facing a misbehaving authenticator", .timeLimit(.minutes(2)))
struct HostileAuthenticatorTests {
    private static let update: [UInt8] = [2, 0xa1, 0x00, 0x43, 0, 0, 0]

    @Test("takes updates before and during its command, and ignores one after it")
    func updates() async throws {
        let context = TestContext()
        let client = try await context.clientFacing { peer in
            try await peer.send(RawPeer.firstMessage)
            try await peer.send(Self.update)
            _ = try await peer.receive()
            for _ in 0..<100 { try await peer.send(Self.update) }
            try await peer.send([1] + TestContext.answer)
            try await peer.send(Self.update)
            let shutdown = try await peer.receive()
            #expect(shutdown == [0])
        }
        #expect(client.value == TestContext.answer)
        #expect(client.stages.last == .closed)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("takes an update between two commands")
    func updateBetween() async throws {
        let client = try await TestContext().clientFacing(session: { connection in
            _ = try await connection.send(TestContext.command)
            return try await connection.send(TestContext.command)
        }) { peer in
            try await peer.send(RawPeer.firstMessage)
            _ = try await peer.receive()
            try await peer.send([1, 0])
            try await peer.send(Self.update)
            _ = try await peer.receive()
            try await peer.send([1, 0x7f])
        }
        #expect(client.value == [0x7f])
    }

    @Test("refuses an answer that had come before its request, whichever is read first", arguments: 0..<40)
    func earlyAnswer(_: Int) async throws {
        let said = AsyncStream<Void>.makeStream()
        let client = try await TestContext().clientFacing(session: { connection in
            for await _ in said.stream { break }
            return try await connection.send(TestContext.command)
        }) { peer in
            try await peer.send(RawPeer.firstMessage)
            try await peer.send([1] + TestContext.answer)
            said.continuation.yield()
            // The request, and whatever comes until the client leaves.
            while (try? await peer.receive()) != nil {}
        }
        #expect(client.value == nil)
        #expect(client.error?.code == .protocolViolation)
    }

    @Test("accepts webauthn-rs's shutdown after the answer")
    func shutdownAfterAnswer() async throws {
        let client = try await TestContext().clientFacing { peer in
            try await peer.send(RawPeer.firstMessage)
            _ = try await peer.receive()
            try await peer.send([1] + TestContext.answer)
            try await peer.send([0])
        }
        #expect(client.value == TestContext.answer)
        #expect(client.stages.last == .closed)
    }

    @Test("takes a shutdown or a close in place of the answer as declined", arguments: [true, false])
    func declined(byShutdown: Bool) async throws {
        let client = try await TestContext().clientFacing { peer in
            try await peer.send(RawPeer.firstMessage)
            _ = try await peer.receive()
            if byShutdown { try await peer.send([0]) }
        }
        #expect(client.failed(.peerClosed, before: .commandAnswered))
        #expect(client.error?.advice == .checkAuthenticator)
    }

    @Test("speaks revision 0, and the old construction, with an authenticator of 2021", arguments: [true, false])
    func revision0(isOld: Bool) async throws {
        let zeroCount = 512 - RawPeer.firstMessage.count - 2
        let padded =
            RawPeer.firstMessage + [UInt8](repeating: 0, count: zeroCount)
            + [UInt8(truncatingIfNeeded: zeroCount), UInt8(truncatingIfNeeded: zeroCount >> 8)]
        let client = try await TestContext().clientFacing(construction: isOld ? .old : .current) { peer in
            try await peer.send(padded)
            let asked = try await peer.receive()
            #expect(asked == TestContext.command)
            try await peer.send(TestContext.answer)
            await #expect(throws: DataChannelError(.closed, reason: "")) { try await peer.channel.receive() }
        }
        #expect(client.value == TestContext.answer)
    }

    @Test(
        "refuses an invalid first message",
        arguments: [
            [], [0x80], [0xa0], [0xff], [0xa1, 0x01, 0x01], [0xa1, 0x03, 0x80, 0x00],
        ] as [[UInt8]])
    func badFirstMessage(plaintext: [UInt8]) async throws {
        let context = TestContext()
        let client = try await context.clientFacing { peer in
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        #expect(client.failed(.protocolViolation, before: .ready))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test(
        "refuses an answer of no known type, of no contents, of another type, or none that was asked for",
        arguments: [
            [], [1], [4, 0], [3, 0x7b, 0x7d], [2, 0x80], [0, 1],
        ] as [[UInt8]])
    func badAnswer(plaintext: [UInt8]) async throws {
        let client = try await TestContext().clientFacing { peer in
            try await peer.send(RawPeer.firstMessage)
            _ = try await peer.receive()
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        #expect(client.failed(.protocolViolation, before: .commandAnswered))
    }

    @Test("refuses an answer that came before the command, at once")
    func unaskedAnswer() async throws {
        let refused = Gate()
        let client = try await TestContext().clientFacing(session: { connection in
            await refused.wait()
            return try await connection.send(TestContext.command)
        }) { peer in
            try await peer.send(RawPeer.firstMessage)
            try await peer.send([1, 0])
            await #expect(throws: DataChannelError(.closed, reason: "")) { try await peer.channel.receive() }
            refused.open()
        }
        #expect(client.failed(.protocolViolation, before: .commandSent))
        #expect(client.error?.cause.hasPrefix("unexpected-message") == true)
    }

    @Test("says so when the authenticator has no CTAP to offer")
    func noCTAP() async throws {
        let client = try await TestContext().clientFacing { peer in
            try await peer.send([0xa1, 0x03, 0x81, 0x62, 0x64, 0x63])
            _ = try await peer.receive()
        }
        #expect(client.failed(.noCTAP, before: .commandSent))
    }
}
