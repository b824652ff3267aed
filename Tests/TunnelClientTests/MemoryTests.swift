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

    @Test("does not hold an answer for every ping of a service that does not read them")
    func pingFlood() async throws {
        let behaviour = """
            peer.accept()
            if peer.number == 2:
                Peer.may_read = True
                peer.listen()
            peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
            peer.send(b"".join(peer.bytes_of_frame(PING, b"%125d" % n) for n in range(60000)))
            peer.frame(BINARY, b"all sent")
            while not hasattr(Peer, "may_read"): time.sleep(0.05)
            count, payload = 0, b""
            while int(payload or 0) != 59999:
                opcode, payload = peer.read_frame()
                count += 1
            say("pongs", count)
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == Array("all sent".utf8))
            let signal = try await TunnelClient().open(peer.url).channel
            let pongs = try #require(await peer.next("pongs").flatMap { Int($0) })
            #expect(pongs < 59_999, "the last ping is answered, and as many others as there was room for")
            await signal.close()
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
