import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A tunnel's memory", .serialized, .timeLimit(.minutes(5)))
struct MemoryTests {
    /// The bytes that the kernel's buffers and ours may take between a service and a client that receives nothing.
    private static let inTransit = 64 << 20

    @Test("takes no more than there is room for when no task receives what a service sends", arguments: [65536, 4096])
    func flood(messageSize: Int) async throws {
        let behaviour = """
            peer.accept()
            block = peer.bytes_of_frame(BINARY, b"x" * \(messageSize)) * 16
            sent = 0
            peer.connection.settimeout(3)
            try:
                while sent < 1 << 28:
                    sent += peer.connection.send(block[sent % len(block):])
            except TimeoutError:
                pass
            say("sent", sent)
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let sent = try #require(await peer.next("sent").flatMap { Int($0) })
            #expect(sent < Self.inTransit, "of 256 MiB")
            await channel.close()
        }
    }

    @Test("lets a slow receiver have all messages, in order, when it comes to them")
    func slowReceiver() async throws {
        let behaviour = """
            peer.accept()
            for n in range(2000): peer.frame(BINARY, struct.pack(">I", n) + b"x" * 4000)
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await Task.sleep(for: .seconds(1))
            for n in 0..<2000 {
                let message = try await channel.receive()
                #expect(message.prefix(4).reduce(0) { $0 << 8 | Int($1) } == n && message.count == 4004)
            }
            await channel.close()
        }
    }

    @Test("makes a sender wait for a service that does not read")
    func slowPeer() async throws {
        try await ServicePeer.hostile("peer.accept(); time.sleep(3)") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let sent = Task {
                var count = 0
                while true {
                    do { try await channel.send([UInt8](repeating: 0, count: 1 << 20)) } catch { return count }
                    count += 1
                }
            }
            try await Task.sleep(for: .seconds(2))
            sent.cancel()
            // The system's socket buffers, and no more.
            #expect(await sent.value < 64)
        }
    }
}
