internal import HybridProtocol

/// Cases of the answer to a request for a tunnel: the same for authenticators and clients.
enum UpgradeCases {
    /// The delay of a late answer.
    static let delay = Duration.milliseconds(1_500)

    static func all<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        let group = CaseGroup<Context>(
            role: role, name: "upgrade", rule: "HT-TUN-1")
        return requests(group) + refusals(group) + badAcceptances(group) + goodAcceptances(group) + losses(group)
    }

    /// The answers that give or refuse a tunnel, to a client's contact request and to the authenticator that it wakes.
    static func linked<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        let group = CaseGroup<Context>(
            role: role, name: "linked-upgrade", rule: "HT-TUN-32", profile: .linked)
        return badAcceptances(group) + goodAcceptances(group)
    }

    private static func requests<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        func request(
            _ name: String, _ requirement: String,
            rule: String? = nil,
            check: @escaping @Sendable (RequestHead) throws -> Void
        ) -> ScriptedCase<Context> {
            group.behaves(name, requirement, rule: rule) { context in
                try check(try await context.atRequest().head)
            }
        }
        return [
            request("request-get", "request a tunnel with GET and HTTP/1.1", rule: "HT-TUN-1") { head in
                try demand(
                    head.method == "GET" && head.version == "HTTP/1.1", "it sends \(head.method) \(head.version)")
            },
            request("request-host", "send one Host field", rule: "HT-TUN-1") { head in
                try demand(head["Host"].count == 1, "it sends \(head["Host"].count) Host fields")
            },
            request("request-upgrade", "request an upgrade to a WebSocket of version 13", rule: "HT-TUN-1") {
                head in
                let upgrades = head["Upgrade"].map { $0.lowercased() }
                let connection = head["Connection"].joined(separator: ",").lowercased()
                try demand(upgrades == ["websocket"] && connection.contains("upgrade"), "it asks for no upgrade")
                try demand(head["Sec-WebSocket-Version"] == ["13"], "its Sec-WebSocket-Version is not 13")
            },
            request("request-key", "send one Sec-WebSocket-Key of 16 bytes in base64", rule: "HT-TUN-1") { head in
                let keys = head["Sec-WebSocket-Key"]
                try demand(
                    keys.count == 1 && keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") },
                    "its Sec-WebSocket-Key is not 16 bytes in base64")
            },
            request("request-subprotocol", "offer the subprotocol fido.cable", rule: "HT-TUN-3") { head in
                let offered = head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
                try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
            },
            request("request-origin", "send an Origin", rule: "HT-TUN-9") { head in
                let origins = head["Origin"]
                throw ObservedBehaviour(origins.isEmpty ? "sends no Origin" : "sends Origin \(origins[0].prefix(60))")
            },
            request(
                "request-hex-case", "write the hexadecimal digits of the path in lower case",
                rule: "HT-TUN-7"
            ) {
                head in
                let digits = head.path.filter(\.isHexDigit)
                throw ObservedBehaviour(digits == digits.lowercased() ? "lower case" : "upper case")
            },
        ]
    }

    private static func refusals<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        [200, 204, 400, 401, 403, 404, 405, 409, 410, 418, 429, 500, 502, 503].map { status in
            group.refuses("status-\(status)", "not use a tunnel after status \(status)", rule: "HT-TUN-36") {
                context in
                try await context.refusesAnswer(.status(status))
            }
        }
            + [301, 302, 307, 308].map { status in
                group.behaves(
                    "redirect-\(status)", "follow a redirect with status \(status)", rule: "HT-TUN-37"
                ) { context in
                    let first = try await context.atRequest()
                    let answer = UpgradeResponse.status(status, extra: [("Location", first.head.path + "?again")])
                    await first.connection.send(try await answer.bytes(to: first.head, on: first.connection))
                    await first.connection.close()
                    let isFollowed = (try? await context.request()) != nil
                    throw ObservedBehaviour(isFollowed ? "follows it" : "does not follow it")
                }
            }
    }

    private static func badAcceptances<Context: TunnelTestContext>(_ group: CaseGroup<Context>)
        -> CaseGroup<Context>.Cases
    {
        func bad(
            _ name: String, _ requirement: String,
            rule: String? = nil,
            change: @escaping @Sendable (UpgradeResponse) -> UpgradeResponse
        ) -> ScriptedCase<Context> {
            group.refuses(name, requirement, rule: rule) { context in
                try await context.refusesAnswer(change(context.acceptance))
            }
        }
        return [
            bad("no-subprotocol", "refuse a response that does not select fido.cable", rule: "HT-TUN-33") {
                $0.with("Sec-WebSocket-Protocol")
            },
            bad("other-subprotocol", "refuse a response that selects another subprotocol", rule: "HT-TUN-33") {
                $0.with("Sec-WebSocket-Protocol", "fido.other")
            },
            bad(
                "two-subprotocols", "refuse a response that selects two subprotocols",
                rule: "HT-TUN-33"
            ) {
                $0.with("Sec-WebSocket-Protocol", "fido.cable, fido.other")
            },
            bad("wrong-accept", "refuse a response with a wrong Sec-WebSocket-Accept", rule: "HT-TUN-32") {
                $0.with("Sec-WebSocket-Accept", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            },
            bad("no-accept", "refuse a response without Sec-WebSocket-Accept", rule: "HT-TUN-32") {
                $0.with("Sec-WebSocket-Accept")
            },
            bad("no-upgrade", "refuse a response without Upgrade: websocket", rule: "HT-TUN-32") {
                $0.with("Upgrade")
            },
            bad("other-upgrade", "refuse a response that upgrades to another protocol", rule: "HT-TUN-32") {
                $0.with("Upgrade", "h2c")
            },
            bad("no-connection", "refuse a response without Connection: Upgrade", rule: "HT-TUN-32") {
                $0.with("Connection")
            },
            bad("extension", "refuse a response that selects an extension that was not offered", rule: "HT-TUN-34") {
                $0.with("Sec-WebSocket-Extensions", "x-conformance")
            },
            bad("http-1.0", "refuse a response with status 101 in HTTP/1.0", rule: "HT-TUN-96") {
                $0.with(statusLine: "HTTP/1.0 101 Switching Protocols")
            }.observed,
            bad("nonsense", "refuse a response that is not HTTP", rule: "HT-TUN-32") {
                $0.with(statusLine: "SSH-2.0-conformance")
            },
            group.refuses("endless-head", "refuse a response whose header exceeds 1 MB", rule: "HT-TUN-38") {
                context in
                let request = try await context.atRequest()
                let line = "X-Filler: " + String(repeating: "a", count: 8_000) + "\r\n"
                await request.connection.send("HTTP/1.1 101 Switching Protocols\r\n" + line)
                // How much of the rest a peer reads is its own business.
                await request.connection.record.mistakeIsSent()
                for _ in 0..<128 { await request.connection.send(line) }
                try await context.givesUp(WebSocketEnd(connection: request.connection, side: .server))
            },
        ]
    }

    private static func goodAcceptances<Context: TunnelTestContext>(_ group: CaseGroup<Context>)
        -> CaseGroup<Context>.Cases
    {
        func good(
            _ name: String, _ requirement: String,
            rule: String? = nil,
            style: PendingRequest.Style = .atOnce,
            change: @escaping @Sendable (UpgradeResponse) -> UpgradeResponse = { $0 }
        ) -> ScriptedCase<Context> {
            group.behaves(name, requirement, rule: rule) { context in
                let handshake = try await context.atHandshake(change(context.acceptance), sending: style)
                await handshake.socket.send(handshake.message)
                try await handshake.complete()
            }
        }
        return [
            good(
                "byte-by-byte", "accept a response that arrives byte by byte", rule: "HT-TUN-30",
                style: .byteByByte),
            good(
                "late", "accept a response that comes 1.5 seconds late", rule: "HT-TUN-82",
                style: .after(delay)),
            group.behaves(
                "with-frame", "read a frame that begins in one packet with the response", rule: "HT-TUN-30"
            ) { context in
                // All that is known of a frame at that time is its head.
                let frame = WireFrame(payload: [UInt8](repeating: 0, count: handshakeMessageByteCount)).headAndPayload
                let handshake = try await context.atHandshake(context.acceptance, sending: .followed(by: frame[0]))
                await handshake.socket.send(raw: handshake.message)
                try await handshake.complete()
            },
            good(
                "other-case", "ignore the case of field names, and of the values of Upgrade and Connection",
                rule: "HT-TUN-35"
            ) {
                $0.with("Upgrade").with("Connection").with("UPGRADE", "WebSocket").with("connection", "upgrade")
            },
            good("more-fields", "ignore unknown header fields", rule: "HT-TUN-35") {
                $0.with("X-Conformance", "1", "2")
            },
            good("server-fields", "ignore the header fields of proxies", rule: "HT-TUN-35") {
                $0.with("Server", "nginx").with("Date", "Sat, 21 Nov 2026 00:00:00 GMT").with("Via", "1.1 proxy")
            },
        ]
    }

    private static func losses<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        [
            group.survives(
                "closed-unanswered", "end in bounded time when the service closes without a response",
                rule: "HT-TUN-56"
            ) {
                context in
                let request = try await context.atRequest()
                await request.connection.close()
                try await context.peer.ended()
            },
            group.survives(
                "reset-unanswered", "end in bounded time when the service resets the connection", rule: "HT-TUN-56"
            ) {
                context in
                let request = try await context.atRequest()
                await request.connection.reset()
                try await context.peer.ended()
            },
            group.survives(
                "silence", "end in bounded time when the service sends no response", rule: "HT-TUN-57"
            ) { context in
                _ = try await context.atRequest()
                try await context.peer.ended()
            },
            group.survives(
                "half-answer", "end in bounded time when the response stops half-way", rule: "HT-TUN-57"
            ) { context in
                let request = try await context.atRequest()
                await request.connection.send("HTTP/1.1 101 Switching Pro")
                try await context.peer.ended()
            },
            group.survives(
                "half-close", "end in bounded time when the service closes its sending direction alone",
                rule: "HT-TUN-56"
            ) { context in
                let request = try await context.atRequest()
                await request.connection.closeOutput()
                try await context.peer.ended()
            },
        ]
    }
}

extension TunnelTestContext {
    func refusesAnswer(_ answer: UpgradeResponse) async throws {
        let socket = try await atRequest().answer(answer)
        try await givesUp(socket)
        try checkHasNoTunnel()
    }
}

/// Demands something of the peer.
func demand(_ holds: Bool, _ reason: @autoclosure () -> String) throws {
    guard holds else { throw Deviation(reason()) }
}
