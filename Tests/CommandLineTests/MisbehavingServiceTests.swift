import TestPeers
import Testing

/// A tunnel service that misbehaves: each role names the context, says why, gives a hint, and ends with the right exit
/// code.
@Suite struct MisbehavingServiceTests {
    struct Misbehaviour: Sendable, CustomTestStringConvertible {
        let name: String
        /// The exit code; nil where it depends on how far the connection has come when it breaks.
        let exitCode: Int32?
        let cause: String
        /// The cause that an authenticator tells, where it is another one.
        var authenticatorCause: String?
        /// True if it misbehaves only when the tunnel is open.
        var isLate = false

        var testDescription: String { name }

        init(
            _ name: String, _ exitCode: Int32?, _ cause: String, authenticatorCause: String? = nil, isLate: Bool = false
        ) {
            self.authenticatorCause = authenticatorCause
            self.name = name
            self.exitCode = exitCode
            self.cause = cause
            self.isLate = isLate
        }
    }

    static let misbehaviours = [
        Misbehaviour("200", 14, "answered 200: it is a web server"), Misbehaviour("400", 14, "answered 400:"),
        Misbehaviour("403", 14, "answered 403:"),
        Misbehaviour(
            "404", 14, "answered 404: it knows no such tunnel",
            authenticatorCause: "answered 404: it opens no tunnels at this path"),
        Misbehaviour("409", 14, "answered 409:"), Misbehaviour("410", 14, "answered 410:"),
        Misbehaviour("500", 14, "answered 500:"), Misbehaviour("circle", 14, "redirects form a loop"),
        Misbehaviour("weaker", 14, "the new location is without TLS"), Misbehaviour("garbage", 14, "not HTTP"),
        Misbehaviour("no-subprotocol", 14, "did not select the subprotocol fido.cable"),
        Misbehaviour("silence", 11, "did not answer the request in time"),
        Misbehaviour("drip", 11, "did not answer the request in time"),
        Misbehaviour("close", nil, "closed before it answered"),
        Misbehaviour("text", 15, "a text message came", isLate: true),
        Misbehaviour("empty", 15, "an empty message came", isLate: true),
        Misbehaviour("too-long", 15, "longer than the limit", isLate: true),
        Misbehaviour("endless", 15, "longer than the limit", isLate: true),
        Misbehaviour("noise", 15, "invalid point", isLate: true),
        Misbehaviour("good-bye", 16, "the peer closed", isLate: true),
        Misbehaviour("quiet", 11, "not reached within", isLate: true),
    ]

    @Test(.enabled(if: Peer.isInstalled, Peer.isNeeded), arguments: misbehaviours)
    func isNamed(_ misbehaviour: Misbehaviour) async throws {
        try await TestContext.with { context in
            let service = try context.start(["python3", "-u", Peer.path("bad_service.py"), misbehaviour.name])
            let tunnel = try await "ws://127.0.0.1:\(service.find(/port (\d+)/))"
            let radio = "127.0.0.1:\(try FreePort.next())"
            // Where nothing else ends it, the time limit does; it must leave a slow machine's peers the time to start.
            let limit = misbehaviour.exitCode == 11 ? "20" : "60"
            let options = ["--radio", "udp:\(radio)", "--tunnel", tunnel, "--timeout", limit]
            let client = try context.start(
                ["hybrid", "client", "register", "--rp-id", "example.com", "--user", "alice", "--qr", "url"] + options)
            let url = try await client.find(/(FIDO:\/\d+)/)
            let advertiser = try context.start(["python3", Peer.path("advertiser.py"), url, radio])
            let authenticator = try context.start(
                ["hybrid", "authenticator", "answer", url, "--yes", "--ephemeral"] + options)
            let (exitCode, cause) = (misbehaviour.exitCode, misbehaviour.cause)
            try await check(
                authenticator, exitCode, misbehaviour.authenticatorCause ?? cause,
                before: misbehaviour.isLate ? "the handshake was done" : "a tunnel was opened")
            try await check(
                client, exitCode, cause,
                before: misbehaviour.isLate ? "the handshake was done" : "the tunnel was joined")
            advertiser.end()
        }
    }

    @Test(.enabled(if: Peer.isInstalled, Peer.isNeeded), arguments: ["", "0a0b", "0a0b0c0d", "nonsense"])
    func aBadRoutingIDIsRefused(_ routingID: String) async throws {
        try await TestContext.with { context in
            let service = try context.start(["python3", "-u", Peer.path("bad_service.py"), "quiet", routingID])
            let tunnel = try await "ws://127.0.0.1:\(service.find(/port (\d+)/))"
            let radio = "udp:127.0.0.1:\(try FreePort.next())"
            let authenticator = try context.start(
                [
                    "hybrid", "authenticator", "answer", Peer.code, "--allow-old", "--yes", "--ephemeral", "--radio",
                    radio,
                    "--tunnel", tunnel,
                ])
            try await check(
                authenticator, 14, "no valid X-caBLE-Routing-ID", before: "a tunnel was opened")
        }
    }

    private func check(
        _ program: Program, _ exitCode: Int32?, _ cause: String, before stage: String
    ) async throws {
        let status = try await program.wait(atMost: .seconds(90)) { program.status }
        let text = program.text(.stderr)
        if let expected = exitCode { #expect(status == expected, "\(text)") }
        #expect(status != nil, "it does not end")
        let pattern = try Regex("(?m)^hybrid: error before \(stage): .*\(cause).*\nhybrid: hint: .+$")
        #expect(text.contains(pattern), "\(text)")
    }
}
