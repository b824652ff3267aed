/// Cases of the requests that a tunnel service answers, and of how it refuses.
enum ServiceRequestCases {
    private static let open = Group<ServiceStage>(
        role: .tunnelService, name: "new",
        source: "the convention of Chromium's phones, /cable/new/; RFC 6455 section 4.2")
    private static let join = Group<ServiceStage>(
        role: .tunnelService, name: "connect",
        source: "CTAP 2.2 section 11.5.1, the tunnel service; RFC 6455 section 4.2")
    private static let contact = Group<ServiceStage>(
        role: .tunnelService, name: "contact", source: "CTAP 2.2 section 11.5.2, state-assisted transactions")
    private static let http = Group<ServiceStage>(
        role: .tunnelService, name: "http", source: "RFC 9112; RFC 6455 section 4.2.1")

    static let all = opened + joined + notJoined + badPaths + badRequests + nonsense + origins + contacts

    // MARK: - Opening

    private static func answers(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (AnswerHead) throws -> Void
    ) -> PlayedCase<ServiceStage> {
        open.behaves(name, rule, certainty) { stage in
            let (head, _) = try await stage.answer(to: stage.request("/cable/new/\(ServiceStage.tunnelID())"))
            try demand(head.status == 101, "it answers with status \(head.status)")
            try check(head)
        }
    }

    private static let opened = [
        answers("accepted", "an authenticator's request is answered with 101") { _ in },
        answers("upgrade", "an answer upgrades to a WebSocket") { head in
            try demand(head["Upgrade"].map { $0.lowercased() } == ["websocket"], "it has no Upgrade: websocket")
            try demand(
                head["Connection"].joined(separator: ",").lowercased().contains("upgrade"),
                "it has no Connection: Upgrade")
        },
        answers("accept", "an answer proves by Sec-WebSocket-Accept that the request was read") { head in
            try demand(head["Sec-WebSocket-Accept"] == [ServiceStage.digest], "it has another Sec-WebSocket-Accept")
        },
        answers("subprotocol", "the subprotocol fido.cable is selected, without which clients go away") { head in
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it selects \(head["Sec-WebSocket-Protocol"])")
        },
        answers("routing-id", "an answer names one routing ID of six hexadecimal digits") { head in
            let values = head["X-caBLE-Routing-ID"]
            try demand(
                values.count == 1 && values.allSatisfy { $0.count == 6 && $0.allSatisfy(\.isHexDigit) },
                "its routing IDs are \(values)")
        },
        open.behaves("upper-case", "a tunnel ID is read in upper case too") { stage in
            let authenticator = try await stage.authenticator(ServiceStage.tunnelID().uppercased())
            _ = try await stage.client(
                of: .init(
                    tunnelID: authenticator.tunnelID.lowercased(), routingID: authenticator.routingID,
                    socket: authenticator.socket))
        },
        open.behaves(
            "extension-offered", "an extension that is offered need not be selected, and ciphertext passes as it is"
        ) { stage in
            let request = try stage.request("/cable/new/\(ServiceStage.tunnelID())")
                .with("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
            let head = try await stage.answer(to: request).head
            try demand(head.status == 101, "it answers with status \(head.status)")
            throw Observation(
                head["Sec-WebSocket-Extensions"].isEmpty ? "selects no extension" : "selects permessage-deflate")
        },
        open.behaves("subprotocol-among-others", "fido.cable may be one of several subprotocols", .secondHand) {
            stage in
            _ = try await stage.authenticator { $0.with("Sec-WebSocket-Protocol", "chat, fido.cable") }
        },
        open.refuses("id-in-use", "a tunnel ID that is in use is not given to a second authenticator", .secondHand) {
            stage in
            let first = try await stage.authenticator()
            let (head, _) = try await stage.answer(to: stage.request("/cable/new/\(first.tunnelID)"))
            try demand(head.status != 101, "it gives a second authenticator the same tunnel")
            let client = try await stage.client(of: first)
            try await stage.carries([7], from: client, to: first.socket)
        },
        open.behaves("id-free-again", "a tunnel ID is free again when its authenticator has gone") { stage in
            let first = try await stage.authenticator()
            await first.socket.close()
            for _ in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                let (head, connection) = try await stage.answer(to: stage.request("/cable/new/\(first.tunnelID)"))
                if head.status == 101 { return }
                await connection.close()
            }
            throw Deviation("it is still in use two seconds later")
        },
    ]

    // MARK: - Joining

    private static let joined = [
        join.behaves("accepted", "a client's request is answered with 101, and the subprotocol") { stage in
            let authenticator = try await stage.authenticator()
            let (head, _) = try await stage.answer(
                to: stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
            try demand(head.status == 101, "it answers with status \(head.status)")
            try demand(head["Sec-WebSocket-Protocol"] == ["fido.cable"], "it does not select fido.cable")
        },
        join.behaves("upper-case", "routing ID and tunnel ID are read in upper case too") { stage in
            let authenticator = try await stage.authenticator()
            _ = try await stage.client(of: authenticator) { request in
                var request = request
                request.path =
                    "/cable/connect/\(authenticator.routingID.uppercased())/\(authenticator.tunnelID.uppercased())"
                return request
            }
        },
    ]

    private static let notJoined = [
        join.refuses("unknown-tunnel", "a tunnel that nobody has opened cannot be joined") { stage in
            try await stage.isRefused(stage.request("/cable/connect/000000/\(ServiceStage.tunnelID())"))
        },
        join.refuses("other-routing-id", "a tunnel is joined under its own routing ID", .secondHand) { stage in
            let authenticator = try await stage.authenticator()
            let other = authenticator.routingID == "ffffff" ? "fffffe" : "ffffff"
            try await stage.isRefused(stage.request("/cable/connect/\(other)/\(authenticator.tunnelID)"))
        },
        join.refuses("second-client", "a tunnel has one client", .secondHand) { stage in
            let authenticator = try await stage.authenticator()
            _ = try await stage.client(of: authenticator)
            try await stage.isRefused(
                stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
        join.refuses("after-authenticator", "a tunnel whose authenticator has gone cannot be joined") { stage in
            let authenticator = try await stage.authenticator()
            await authenticator.socket.close()
            try await Task.sleep(for: .seconds(2))
            try await stage.isRefused(
                stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)"))
        },
    ]

    // MARK: - Paths

    private static let badPaths: [PlayedCase<ServiceStage>] =
        [
            ("root", "/"), ("cable", "/cable/"), ("new-without-id", "/cable/new/"),
            ("id-of-31-digits", "/cable/new/0011223344556677889900112233445"),
            ("id-of-33-digits", "/cable/new/001122334455667788990011223344556"),
            ("id-not-hex", "/cable/new/g0112233445566778899001122334455"),
            ("id-with-sign", "/cable/new/+0112233445566778899001122334455"),
            ("id-escaped", "/cable/new/%300112233445566778899001122334455"),
            ("routing-of-5-digits", "/cable/connect/00000/00112233445566778899001122334455"),
            ("routing-of-7-digits", "/cable/connect/0000000/00112233445566778899001122334455"),
            ("connect-without-tunnel", "/cable/connect/000000"),
            ("dot-segments", "/cable/../etc/passwd"),
        ].map { name, path in
            http.refuses("path-\(name)", "\(path) is no tunnel") { stage in
                try await stage.isRefused(stage.request(path))
            }
        } + [
            http.refuses("path-of-1-mib", "nobody reads a path of a megabyte") { stage in
                let request = stage.request("/cable/new/" + String(repeating: "0", count: 1 << 20))
                try await stage.isRefused(request)
            },
            http.refuses("path-query", "a query is no part of a tunnel's path", .disputed) { stage in
                try await stage.isRefused(stage.request("/cable/new/\(ServiceStage.tunnelID())?x=1"))
            },
        ]

    // MARK: - Requests

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable (ServiceRequest) -> ServiceRequest
    ) -> PlayedCase<ServiceStage> {
        http.refuses(name, rule, certainty) { stage in
            try await stage.isRefused(change(stage.request("/cable/new/\(ServiceStage.tunnelID())")))
        }
    }

    private static let badRequests =
        ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "FIDO"].map { method in
            refuses("method-\(method.lowercased())", "a tunnel is opened with GET, not \(method)") {
                $0.with(method: method)
            }
        } + [
            refuses("no-host", "a request has a Host field", .secondHand) { $0.with("Host") },
            refuses("two-hosts", "a request has one Host field", .secondHand) {
                $0.with("Host", "a.example", "b.example")
            },
            refuses("no-subprotocol", "a request offers fido.cable") { $0.with("Sec-WebSocket-Protocol") },
            refuses("other-subprotocol", "a request offers fido.cable, not something that begins like it") {
                $0.with("Sec-WebSocket-Protocol", "fido.cable2")
            },
            refuses("no-upgrade", "a request asks for an upgrade") { $0.with("Upgrade") },
            refuses("other-upgrade", "a request asks for an upgrade to a WebSocket") { $0.with("Upgrade", "h2c") },
            refuses("no-connection", "a request has Connection: Upgrade") { $0.with("Connection", "keep-alive") },
            refuses("no-key", "a request has a Sec-WebSocket-Key") { $0.with("Sec-WebSocket-Key") },
            refuses("short-key", "a Sec-WebSocket-Key is 16 bytes", .secondHand) {
                $0.with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j")
            },
            refuses("two-keys", "a request has one Sec-WebSocket-Key", .secondHand) {
                $0.with("Sec-WebSocket-Key", ServiceStage.key, "AAAAAAAAAAAAAAAAAAAAAA==")
            },
            refuses("no-version", "a request names version 13 of the WebSocket") { $0.with("Sec-WebSocket-Version") },
            refuses("version-8", "a request names version 13, not 8") { $0.with("Sec-WebSocket-Version", "8") },
            refuses("http-1.0", "a request that upgrades is HTTP/1.1") { $0.with(version: "HTTP/1.0") },
            refuses("body", "a request for an upgrade has no body", .secondHand) {
                $0.with("Content-Length", "5").with(body: "hello")
            },
            refuses("chunked", "a request for an upgrade has no chunks", .secondHand) {
                $0.with("Transfer-Encoding", "chunked").with(body: "5\r\nhello\r\n0\r\n\r\n")
            },
        ]

    // MARK: - What is no HTTP at all

    private static func survives(
        _ name: String, _ rule: String, _ bytes: [UInt8], thenCloses: Bool = false
    ) -> PlayedCase<ServiceStage> {
        http.survives(name, rule) { stage in
            let connection = try await stage.connect()
            await connection.send(bytes)
            if thenCloses { await connection.close() }
            try await stage.isAlive()
        }
    }

    private static let nonsense = [
        survives("nothing", "a connection on which nothing comes does no harm", []),
        survives("closed-at-once", "a connection that is closed at once does no harm", [], thenCloses: true),
        survives("half-a-line", "half a request does no harm", Array("GET /cable/new/00".utf8)),
        survives(
            "half-a-line-closed", "half a request, and the end, do no harm", Array("GET /cable/new/00".utf8),
            thenCloses: true),
        survives("zeros", "zeros are no request", [UInt8](repeating: 0, count: 4_096)),
        survives("ones", "bytes FF are no request", [UInt8](repeating: 0xFF, count: 4_096)),
        survives("line-ends", "line ends are no request", Array(String(repeating: "\r\n", count: 4_096).utf8)),
        survives("http-2", "HTTP/2's preface does no harm", Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)),
        survives(
            "smuggling", "a length in front of chunks does no harm",
            Array(
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
                    .utf8)),
        survives(
            "negative-length", "a negative length does no harm",
            Array(
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n".utf8)),
        http.survives("many-fields", "ten thousand header fields do no harm") { stage in
            var request = stage.request("/")
            request.fields += (0..<10_000).map { ("X-\($0)", "1") }
            let connection = try await stage.connect()
            await connection.send(request.bytes)
            try await stage.isAlive()
        },
        http.survives("endless-field", "a header field of a megabyte does no harm") { stage in
            let request = stage.request("/").with("X-Filler", String(repeating: "a", count: 1 << 20))
            let connection = try await stage.connect()
            await connection.send(request.bytes)
            try await stage.isAlive()
        },
        http.behaves("byte-by-byte", "a request may come in any number of pieces") { stage in
            let connection = try await stage.connect()
            try await connection.trickle(stage.request("/cable/new/\(ServiceStage.tunnelID())").bytes)
            let head = try await stage.answerHead(on: connection)
            try demand(head.status == 101, "it answers with status \(head.status)")
        },
        http.behaves("field-case", "names of header fields, and the values of Upgrade and Connection, have no case") {
            stage in
            _ = try await stage.authenticator { request in
                request.with("Upgrade").with("Connection").with("UPGRADE", "WebSocket").with(
                    "connection", "keep-alive, upgrade")
            }
        },
    ]

    // MARK: - Origin

    private static let origins = [
        http.behaves("origin-own", "the service's own name as Origin is taken, as Chromium sends it") { stage in
            _ = try await stage.authenticator { $0.with("Origin", "wss://\(stage.target.host)") }
        },
        http.behaves("origin-none", "a request without an Origin is taken, as Safari's client sends it") { stage in
            _ = try await stage.authenticator()
        },
        http.refuses("origin-page", "a web page may not open tunnels", .secondHand) { stage in
            try await stage.isRefused(
                stage.request("/cable/new/\(ServiceStage.tunnelID())").with("Origin", "https://evil.example"))
        },
        http.refuses("origin-other", "another service's name as Origin is refused", .secondHand) { stage in
            try await stage.isRefused(
                stage.request("/cable/new/\(ServiceStage.tunnelID())").with("Origin", "wss://evil.example"))
        },
        http.refuses("origin-null", "the Origin null is refused", .secondHand) { stage in
            try await stage.isRefused(stage.request("/cable/new/\(ServiceStage.tunnelID())").with("Origin", "null"))
        },
    ]

    // MARK: - Contact

    private static let contacts = [
        contact.refuses("unknown", "a contact ID that nobody has registered is refused", .secondHand) { stage in
            let request = stage.request("/cable/contact/AAAAAAAAAAAAAAAAAAAAAA").with(
                "X-caBLE-Client-Payload", "a301480102030405060708025000112233445566778899aabbccddeeff0362" + "6761")
            let (head, _) = try await stage.answer(to: request)
            try demand(head.status != 101, "it accepts it")
            throw Observation("answers with status \(head.status)")
        },
        contact.refuses("no-payload", "a request for a contact without a payload is refused", .secondHand) { stage in
            try await stage.isRefused(stage.request("/cable/contact/AAAAAAAAAAAAAAAAAAAAAA"))
        },
        contact.refuses("no-id", "a request for no contact is refused", .secondHand) { stage in
            try await stage.isRefused(stage.request("/cable/contact/"))
        },
    ]
}

extension ServiceStage {
    /// Demands that a request is refused, with a status of 4xx or 5xx or by the end of the connection.
    func isRefused(_ request: ServiceRequest) async throws {
        let connection = try await connect()
        await connection.send(request.bytes)
        do {
            let head = try await answerHead(on: connection)
            guard head.status >= 400 else { throw Deviation("it answers with status \(head.status)") }
        } catch is WireConnection.Ended {}
    }
}
