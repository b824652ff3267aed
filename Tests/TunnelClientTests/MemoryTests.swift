import Edges
import TestPeers
import Testing
import TunnelClient

@Suite("A tunnel's memory", .serialized, .timeLimit(.minutes(5)))
struct MemoryTests {
    private static let allowance = 16 << 20

    @Test(
        "does not grow when nobody receives what a service floods it with",
        arguments: [
            "block = peer.bytes_of_frame(BINARY, b'x' * 65536)",
            "block = peer.bytes_of_frame(BINARY, b'x') * 4096",
            "block = peer.bytes_of_frame(PING, b'x' * 125) * 512",
            "block = peer.bytes_of_frame(BINARY, b'x', fin=False) + peer.bytes_of_frame(CONTINUATION, fin=False) * 8192",
        ])
    func flood(behaviour: String) async throws {
        let lines = """
            peer.accept()
            \(behaviour)
            sent = 0
            peer.connection.settimeout(2)
            try:
                while sent < 1 << 28:
                    sent += peer.connection.send(block[sent % len(block):])
            except TimeoutError:
                pass
            say("sent", sent)
            """
        try await ServicePeer.hostile(lines) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await Task.sleep(for: .milliseconds(200))
            let before = try ResidentMemory.ofThisProcess()
            var peak = before
            for _ in 0..<15 {
                try await Task.sleep(for: .milliseconds(200))
                peak = max(peak, try ResidentMemory.ofThisProcess())
            }
            #expect(peak - before < Self.allowance, "\(peak - before) bytes more")
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
            // What the system's socket buffers take, and no more.
            #expect(await sent.value < 64)
        }
    }
}
