import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A contact request", .serialized, .timeLimit(.minutes(5)))
struct ContactTests {
    private static let payload: [UInt8] = [0xA1, 0x03, 0x62, 0x67, 0x61]
    private static let headers = ContactHeaders(clientPayload: payload).fields
    private static let payloadHeader = "header X-caBLE-Client-Payload: a103626761"
    private static let signalHeader = "header X-caBLE-Signal-Connection: true"

    @Test(
        "carries the client's payload in lower-case hexadecimal, and asks for the signal if it is to",
        arguments: [true, false])
    func headers(asksForSignal: Bool) async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let contact = ContactHeaders(clientPayload: Self.payload, asksForSignal: asksForSignal)
            let tunnel = try await TunnelClient().open(peer.url, headers: contact.fields)
            await tunnel.channel.close()
            let lines = await peer.lines(through: "close")
            #expect(lines.contains(Self.payloadHeader))
            #expect(lines.contains(Self.signalHeader) == asksForSignal)
            #expect(!tunnel.signalsConnection)
        }
    }

    @Test("is agreed to by the signal header, whatever its value", arguments: ["true", "1", ""])
    func agreed(value: String) async throws {
        try await ServicePeer.hostile("peer.accept('x-CABLE-signal-connection: \(value)')") { peer in
            let tunnel = try await TunnelClient().open(peer.url, headers: Self.headers)
            #expect(tunnel.signalsConnection)
            await tunnel.channel.close()
        }
    }

    @Test("is sent again with its headers where it is redirected to")
    func redirected() async throws {
        try await ServicePeer.hostile("peer.redirect('/moved') if peer.number == 1 else peer.accept()") { peer in
            let tunnel = try await TunnelClient().open(peer.url, headers: Self.headers)
            await tunnel.channel.close()
            let lines = await peer.lines(through: "close")
            #expect(lines.count { $0 == Self.payloadHeader } == 2)
            #expect(lines.count { $0 == Self.signalHeader } == 2)
        }
    }

    @Test("may name a contact ID of 4,096 bytes")
    func longestContactID() async throws {
        try await ServicePeer.hostile("peer.accept()") { peer in
            let contactID = String(repeating: "A", count: 5462)
            let url = "ws://127.0.0.1:\(peer.port)/cable/contact/\(contactID)"
            let tunnel = try await TunnelClient().open(url, headers: Self.headers)
            await tunnel.channel.close()
            #expect(await peer.next("request") == "GET /cable/contact/\(contactID) HTTP/1.1")
        }
    }

    @Test(
        "that is refused for now says so, and when to try again",
        arguments: [(503, DataChannelError.Code.unavailable), (429, .tooManyRequests)],
        [
            ("7", Duration.seconds(7)), ("0", .zero), ("99999999999999999999", .seconds(86_400)), ("-1", nil),
            ("+1", nil),
            ("", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", nil),
        ])
    func refusedForNow(refusal: (status: Int, code: DataChannelError.Code), after: (value: String, wait: Duration?))
        async throws
    {
        try await ServicePeer.hostile("peer.answer('\(refusal.status) Later', 'Retry-After: \(after.value)')") { peer in
            let error = await failure { _ = try await TunnelClient().open(peer.url) }
            #expect(error?.code == refusal.code)
            #expect(error?.httpStatus == refusal.status)
            #expect(error?.retryAfter == after.wait)
        }
    }
}
