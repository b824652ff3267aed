import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("Cancelling a task", .serialized, .timeLimit(.minutes(5)))
struct CancellationTests {
    private static let promptly = Duration.seconds(5)

    /// Runs work, cancels it when something has happened or after a while, and expects it to end promptly.
    private func expectCancelled(
        when event: () async -> Void = { try? await Task.sleep(for: .milliseconds(300)) },
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let task = Task { await failure(work) }
        await event()
        let cancelled = ContinuousClock.now
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(ContinuousClock.now - cancelled < Self.promptly)
    }

    @Test("that opens a tunnel closes the connection, when it waits for the answer to its request")
    func open() async throws {
        try await ServicePeer.hostile("peer.wait_for_end()") { peer in
            let url = peer.url
            try await expectCancelled(when: { _ = await peer.next("request") }) {
                _ = try await TunnelClient().open(url)
            }
            #expect(await peer.ending() != nil)
        }
    }

    @Test("that opens a tunnel closes the connection, when it waits for the TLS handshake")
    func openHandshake() async throws {
        try await ServicePeer.hostile("pass") { peer in
            let url = "wss://127.0.0.1:\(peer.port)/"
            // The service takes the ClientHello for the beginning of a request, and waits for the rest.
            try await expectCancelled(when: { _ = await peer.next("accepted") }) {
                _ = try await TunnelClient().open(url)
            }
            #expect(await peer.ending() != nil)
        }
    }

    @Test("that opens a tunnel ends its wait for a connection that is not accepted")
    func openUnaccepted() async throws {
        try await ServicePeer.hostile(ServicePeer.fullListener) { peer in
            let url = "ws://127.0.0.1:\(try await peer.portOfFullListener())/"
            try await expectCancelled { _ = try await TunnelClient().open(url) }
        }
    }

    @Test("that has not begun to open a tunnel opens none")
    func openLate() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let url = peer.url
            let task = Task {
                try? await Task.sleep(for: .seconds(60))
                return await failure { _ = try await TunnelClient().open(url) }
            }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
        }
    }

    @Test("that receives ends the tunnel and closes the connection")
    func receive() async throws {
        try await ServicePeer.hostile("peer.accept(); say('ready')") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await expectCancelled { _ = try await channel.receive() }
            #expect(await peer.ending() != nil)
            #expect(await failure { try await channel.send([1]) }?.code == .cancelled)
            await channel.close()
        }
    }

    @Test("that sends ends the tunnel and closes the connection")
    func send() async throws {
        try await ServicePeer.hostile("peer.accept(); time.sleep(2)") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await expectCancelled {
                while true { try await channel.send([UInt8](repeating: 0, count: 1 << 20)) }
            }
            await channel.close()
        }
    }

    @Test("is not needed to end a tunnel: dropping the last reference closes the connection")
    func droppedChannel() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            _ = try await TunnelClient().open(peer.url)
            #expect(await peer.ending() != nil)
        }
    }

    @Test("is not what a second receiver gets: it is refused, and the first gets the message")
    func secondReceiver() async throws {
        try await ServicePeer.hostile("peer.accept(); peer.read_frame(); peer.frame(BINARY, b'one')") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let first = Task { try await channel.receive() }
            try await Task.sleep(for: .seconds(2))
            #expect(await failure { _ = try await channel.receive() }?.code == .receiveInProgress)
            try await channel.send([1])
            #expect(try await first.value == Array("one".utf8))
            await channel.close()
        }
    }

    @Test("and everything else leaves no socket behind")
    func leavesNothing() async throws {
        try await ServicePeer.hostile("peer.accept() if peer.number % 2 else peer.answer('500 No')") { peer in
            let client = try TunnelClient()
            for _ in 0..<60 {
                if let channel = try? await client.open(peer.url).channel { await channel.close() }
            }
            for _ in 0..<60 { #expect(await peer.ending() != nil) }
        }
    }
}
