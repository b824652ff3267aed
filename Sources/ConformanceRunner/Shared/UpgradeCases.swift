/// Cases of the answer to a request for a tunnel: the same for authenticators and clients.
enum UpgradeCases {
    /// How long the runner holds an answer back where a delay is the point.
    static let delay = Duration.milliseconds(1_500)

    static func all<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        let group = Group<Stage>(
            role: role, name: "upgrade", source: "CTAP 2.2 section 11.5.1, the tunnel; RFC 6455 section 4.1")
        return requests(group) + refusals(group) + badAcceptances(group) + goodAcceptances(group) + losses(group)
    }

    /// The answers that give or refuse a tunnel, to a client's contact request and to the authenticator that it wakes.
    static func linked<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        let group = Group<Stage>(
            role: role, name: "linked-upgrade", source: "CTAP 2.2 section 11.5.2, the tunnel; RFC 6455 section 4.1")
        return badAcceptances(group) + goodAcceptances(group)
    }

    private static func requests<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func request(
            _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
            _ check: @escaping @Sendable (RequestHead) throws -> Void
        ) -> PlayedCase<Stage> {
            group.behaves(name, rule, certainty, source: "RFC 6455 section 4.1") { stage in
                try check(try await stage.atRequest().head)
            }
        }
        return [
            request("request-get", "a tunnel is asked for with GET and HTTP/1.1") { head in
                try demand(
                    head.method == "GET" && head.version == "HTTP/1.1", "it sends \(head.method) \(head.version)")
            },
            request("request-host", "the request has one Host field") { head in
                try demand(head["Host"].count == 1, "it sends \(head["Host"].count) Host fields")
            },
            request("request-upgrade", "the request asks for an upgrade to a WebSocket, version 13") { head in
                let upgrades = head["Upgrade"].map { $0.lowercased() }
                let connection = head["Connection"].joined(separator: ",").lowercased()
                try demand(upgrades == ["websocket"] && connection.contains("upgrade"), "it asks for no upgrade")
                try demand(head["Sec-WebSocket-Version"] == ["13"], "its Sec-WebSocket-Version is not 13")
            },
            request("request-key", "the request has a Sec-WebSocket-Key of 16 bytes in base64") { head in
                let keys = head["Sec-WebSocket-Key"]
                try demand(
                    keys.count == 1 && keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") },
                    "its Sec-WebSocket-Key is not 16 bytes in base64")
            },
            request("request-subprotocol", "the request offers the subprotocol fido.cable") { head in
                let offered = head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
                try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
            },
            request("request-origin", "a request may name an Origin", .disputed) { head in
                let origins = head["Origin"]
                throw Observation(origins.isEmpty ? "sends no Origin" : "sends Origin \(origins[0].prefix(60))")
            },
            request("request-hex-case", "the hexadecimal digits of the path are lower case", .disputed) { head in
                let digits = head.path.filter(\.isHexDigit)
                throw Observation(digits == digits.lowercased() ? "lower case" : "upper case")
            },
        ]
    }

    private static func refusals<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        [200, 204, 400, 401, 403, 404, 405, 409, 410, 418, 429, 500, 502, 503].map { status in
            group.refuses("status-\(status)", "status \(status) gives no tunnel") { stage in
                try await stage.refusesAnswer(.status(status))
            }
        }
            + [301, 302, 307, 308].map { status in
                group.behaves(
                    "redirect-\(status)", "a redirect is followed", .disputed,
                    source: "CTAP 2.3 section 11.5.1.1.1"
                ) { stage in
                    let first = try await stage.atRequest()
                    let answer = UpgradeAnswer.status(status, extra: [("Location", first.head.path + "?again")])
                    await first.connection.send(try await answer.bytes(to: first.head, on: first.connection))
                    await first.connection.close()
                    let isFollowed = (try? await stage.request()) != nil
                    throw Observation(isFollowed ? "follows it" : "does not follow it")
                }
            }
    }

    private static func badAcceptances<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func bad(
            _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
            _ change: @escaping @Sendable (UpgradeAnswer) -> UpgradeAnswer
        ) -> PlayedCase<Stage> {
            group.refuses(name, rule, certainty) { stage in try await stage.refusesAnswer(change(stage.acceptance)) }
        }
        return [
            bad("no-subprotocol", "an answer that does not select fido.cable is no tunnel") {
                $0.with("Sec-WebSocket-Protocol")
            },
            bad("other-subprotocol", "an answer that selects another subprotocol is no tunnel") {
                $0.with("Sec-WebSocket-Protocol", "fido.other")
            },
            bad("two-subprotocols", "an answer selects one subprotocol", .secondHand) {
                $0.with("Sec-WebSocket-Protocol", "fido.cable, fido.other")
            },
            bad("wrong-accept", "an answer proves by Sec-WebSocket-Accept that it answers this request") {
                $0.with("Sec-WebSocket-Accept", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            },
            bad("no-accept", "an answer has a Sec-WebSocket-Accept") { $0.with("Sec-WebSocket-Accept") },
            bad("no-upgrade", "an answer has Upgrade: websocket") { $0.with("Upgrade") },
            bad("other-upgrade", "an answer upgrades to a WebSocket and nothing else") { $0.with("Upgrade", "h2c") },
            bad("no-connection", "an answer has Connection: Upgrade") { $0.with("Connection") },
            bad("extension", "an answer must not select an extension that was not offered") {
                $0.with("Sec-WebSocket-Extensions", "x-conformance")
            },
            bad("http-1.0", "an answer that upgrades is HTTP/1.1") {
                $0.with(statusLine: "HTTP/1.0 101 Switching Protocols")
            },
            bad("nonsense", "an answer is HTTP") { $0.with(statusLine: "SSH-2.0-conformance") },
            group.refuses("endless-head", "an answer whose head never ends is given up") { stage in
                let request = try await stage.atRequest()
                let line = "X-Filler: " + String(repeating: "a", count: 8_000) + "\r\n"
                await request.connection.send("HTTP/1.1 101 Switching Protocols\r\n")
                for _ in 0..<128 { await request.connection.send(line) }
                try await stage.givesUp(WebSocketEnd(connection: request.connection, side: .server))
            },
        ]
    }

    private static func goodAcceptances<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func good(
            _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
            _ style: TunnelRequest.Style = .atOnce,
            _ change: @escaping @Sendable (UpgradeAnswer) -> UpgradeAnswer = { $0 }
        ) -> PlayedCase<Stage> {
            group.behaves(name, rule, certainty) { stage in
                let handshake = try await stage.atHandshake(change(stage.acceptance), sending: style)
                await handshake.socket.send(handshake.message)
                try await handshake.complete()
            }
        }
        return [
            good("byte-by-byte", "an answer may come in any number of pieces", .certain, .byteByByte),
            good("late", "an answer may take a second and a half", .certain, .after(delay)),
            good(
                "with-frame", "a frame may come in one packet with the answer", .certain,
                .followed(by: WireFrame.ping(Array("early".utf8)).bytes())),
            good("other-case", "names of header fields, and the values of Upgrade and Connection, have no case") {
                $0.with("Upgrade").with("Connection").with("UPGRADE", "WebSocket").with("connection", "upgrade")
            },
            good("more-fields", "header fields that nobody knows are ignored") { $0.with("X-Conformance", "1", "2") },
            good("server-fields", "fields of proxies do no harm") {
                $0.with("Server", "nginx").with("Date", "Sat, 21 Nov 2026 00:00:00 GMT").with("Via", "1.1 proxy")
            },
        ]
    }

    private static func losses<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        [
            group.survives("closed-unanswered", "a service that closes without an answer ends the attempt") { stage in
                let request = try await stage.atRequest()
                await request.connection.close()
                try await stage.peer.failed()
            },
            group.survives("reset-unanswered", "a service that resets the connection ends the attempt") { stage in
                let request = try await stage.atRequest()
                await request.connection.reset()
                try await stage.peer.failed()
            },
            group.survives("silence", "a service that never answers ends the attempt in bounded time") { stage in
                _ = try await stage.atRequest()
                try await stage.peer.failed()
            },
            group.survives("half-answer", "an answer that stops half-way ends the attempt in bounded time") { stage in
                let request = try await stage.atRequest()
                await request.connection.send("HTTP/1.1 101 Switching Pro")
                try await stage.peer.failed()
            },
            group.survives("half-close", "a service that closes its direction alone ends the attempt") { stage in
                let request = try await stage.atRequest()
                await request.connection.closeOutput()
                try await stage.peer.failed()
            },
        ]
    }
}

extension TunnelStage {
    func refusesAnswer(_ answer: UpgradeAnswer) async throws {
        let socket = try await atRequest().answer(answer)
        try await givesUp(socket)
        try checkHasNoTunnel()
    }
}

/// Demands something of the peer.
func demand(_ holds: Bool, _ reason: @autoclosure () -> String) throws {
    guard holds else { throw Deviation(reason()) }
}
