import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite(
    "A tunnel to a service made with the library websockets",
    .enabled("needs: pip install websockets") { try await ServicePeer.hasLibrary() },
    .serialized, .timeLimit(.minutes(5))
)
struct LibraryPeerTests {
    static let echo = "for message in tunnel: tunnel.send(message)"

    @Test("is opened with the subprotocol, without extensions, and with the routing ID's header in any case")
    func opens() async throws {
        try await ServicePeer.library("") { peer in
            let tunnel = try await TunnelClient().open(peer.url)
            #expect(tunnel.routingIDHeader == "0A0b0C")
            #expect(await peer.next("extensions") == "none")
            await tunnel.channel.close()
            #expect(await peer.next("closed") == "1000")
        }
    }

    @Test("carries messages of 1 byte to 1 MiB both ways, unaltered and in order")
    func echoes() async throws {
        try await ServicePeer.library(Self.echo) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let sizes = [1, 2, 81, 125, 126, 127, 4096, 65535, 65536, 1 << 20]
            let messages = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) } }
            let sending = Task { for message in messages { try await channel.send(message) } }
            for message in messages { #expect(try await channel.receive() == message) }
            try await sending.value
            await channel.close()
        }
    }

    @Test("joins a message that the service sends in fragments")
    func joinsFragments() async throws {
        try await ServicePeer.library("tunnel.send([b'one', b'', b' and ', b'two'])") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == Array("one and two".utf8))
            await channel.close()
        }
    }

    @Test("answers pings")
    func answersPings() async throws {
        try await ServicePeer.library("say('pong', tunnel.ping(b'there?').wait(10))") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(await peer.next("pong") == "True")
            await channel.close()
        }
    }

    @Test("hands out what came before the service closed, then says closed", arguments: [1000, 1001, 1011, 4000])
    func closedByPeer(code: Int) async throws {
        try await ServicePeer.library("tunnel.send(b'one'); tunnel.send(b'two'); tunnel.close(\(code))") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == Array("one".utf8))
            #expect(try await channel.receive() == Array("two".utf8))
            for _ in 0..<2 {
                let error = await failure { _ = try await channel.receive() }
                #expect(error?.code == .closed)
                #expect(code < 1002 || error?.reason.contains("\(code)") == true)
            }
            #expect(await failure { try await channel.send([1]) }?.code == .closed)
            #expect(await peer.next("closed") == "\(code)")
        }
    }

    @Test("learns that the service found a message too long")
    func peerRefusesLength() async throws {
        let configuration = TunnelClient.Configuration.with { $0.maximumMessageSize = 1 << 21 }
        try await ServicePeer.library("") { peer in
            let channel = try await TunnelClient(configuration: configuration).open(peer.url).channel
            // The service may close before it has taken all of the message.
            _ = await failure { try await channel.send([UInt8](repeating: 0, count: 1 << 20 + 1)) }
            #expect(await failure { _ = try await channel.receive() }?.code == .messageTooLong)
        }
    }

    @Test("refuses to send a message that is empty or longer than the limit, and goes on")
    func refusesToSend() async throws {
        try await ServicePeer.library(Self.echo) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(await failure { try await channel.send([]) }?.code == .framingViolation)
            let tooLong = [UInt8](repeating: 0, count: (1 << 20) + 1)
            #expect(await failure { try await channel.send(tooLong) }?.code == .messageTooLong)
            try await channel.send([7])
            #expect(try await channel.receive() == [7])
            await channel.close()
        }
    }

    @Test("takes several messages in one go, and none of them if one may not be sent")
    func sendsTogether() async throws {
        try await ServicePeer.library(Self.echo) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await channel.send(contentsOf: [])
            #expect(await failure { try await channel.send(contentsOf: [[1], []]) }?.code == .framingViolation)
            try await channel.send(contentsOf: [[2], [3, 4], [5]])
            for expected in [[2], [3, 4], [5]] as [[UInt8]] { #expect(try await channel.receive() == expected) }
            await channel.close()
        }
    }

    @Test("sends a last message with its close, unless that may not be sent", arguments: [[7, 8], []] as [[UInt8]])
    func closesAfter(last: [UInt8]) async throws {
        try await ServicePeer.library("") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            await channel.close(after: last)
            if !last.isEmpty { #expect(await peer.next("message") == "2") }
            #expect(await peer.next("closed") == "1000")
            #expect(await failure { try await channel.send([1]) }?.code == .closed)
        }
    }

    @Test("is closed when it is closed here: the socket is gone, and a task that waits is told")
    func closes() async throws {
        try await ServicePeer.library("") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let waiting = Task { await failure { _ = try await channel.receive() } }
            try await Task.sleep(for: .milliseconds(100))
            await channel.close()
            await channel.close()
            #expect(await waiting.value?.code == .closed)
            #expect(await failure { try await channel.send([1]) }?.code == .closed)
            #expect(await failure { _ = try await channel.receive() }?.code == .closed)
            #expect(await peer.next("closed") == "1000")
        }
    }
}
