/// Cases of the HTTP requests that a tunnel service accepts or refuses: paths, header fields, bytes that are not HTTP,
/// origins.
enum ServiceHTTPCases {
    private static let http = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "http", rule: "HT-TUN-22")

    static let all = badPaths + badRequests + nonsense + origins

    // MARK: - Paths

    private static let badPaths: [ScriptedCase<ServiceTestContext>] =
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
            http.refuses("path-\(name)", "refuse the path \(path)", rule: "HT-TUN-27") { context in
                try await context.isRefused(context.request(path))
            }
        } + [
            http.refuses("path-of-1-mib", "refuse a path of 1 MiB", rule: "HT-TUN-27") { context in
                let request = context.request("/cable/new/" + String(repeating: "0", count: 1 << 20))
                try await context.isRefused(request)
            },
            http.refuses("path-query", "refuse a tunnel's path with a query", rule: "HT-TUN-28") {
                context in
                try await context.isRefused(context.request("/cable/new/\(ServiceTestContext.tunnelID())?x=1"))
            },
        ]

    // MARK: - Requests

    private static func refuses(
        _ name: String, _ requirement: String, rule: String? = nil,
        change: @escaping @Sendable (ServiceRequest) -> ServiceRequest
    ) -> ScriptedCase<ServiceTestContext> {
        http.refuses(name, requirement, rule: rule) { context in
            try await context.isRefused(change(context.request("/cable/new/\(ServiceTestContext.tunnelID())")))
        }
    }

    private static let badRequests =
        ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "FIDO"].map { method in
            refuses("method-\(method.lowercased())", "refuse the method \(method)") {
                $0.with(method: method)
            }
        } + [
            refuses("no-host", "refuse a request without Host", rule: "HT-TUN-23") {
                $0.with("Host")
            },
            refuses("two-hosts", "refuse a request with two Host fields", rule: "HT-TUN-23") {
                $0.with("Host", "a.example", "b.example")
            },
            refuses("no-subprotocol", "refuse a request that does not offer fido.cable", rule: "HT-TUN-21") {
                $0.with("Sec-WebSocket-Protocol")
            },
            refuses(
                "other-subprotocol", "refuse a request that offers fido.cable2 instead of fido.cable",
                rule: "HT-TUN-21"
            ) {
                $0.with("Sec-WebSocket-Protocol", "fido.cable2")
            },
            refuses("no-upgrade", "refuse a request without Upgrade") { $0.with("Upgrade") },
            refuses("other-upgrade", "refuse a request for an upgrade to another protocol") {
                $0.with("Upgrade", "h2c")
            },
            refuses("no-connection", "refuse a request without Connection: Upgrade") {
                $0.with("Connection", "keep-alive")
            },
            refuses("no-key", "refuse a request without Sec-WebSocket-Key") { $0.with("Sec-WebSocket-Key") },
            refuses("short-key", "refuse a Sec-WebSocket-Key of 15 bytes; it has 16") {
                $0.with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j")
            },
            refuses("two-keys", "refuse a request with two Sec-WebSocket-Key fields") {
                $0.with("Sec-WebSocket-Key", ServiceTestContext.key, "AAAAAAAAAAAAAAAAAAAAAA==")
            },
            refuses("no-version", "refuse a request without Sec-WebSocket-Version") {
                $0.with("Sec-WebSocket-Version")
            },
            refuses("version-8", "refuse version 8 of the WebSocket protocol; it is 13") {
                $0.with("Sec-WebSocket-Version", "8")
            },
            refuses("http-1.0", "refuse a request for an upgrade in HTTP/1.0") { $0.with(version: "HTTP/1.0") },
            refuses("body", "refuse a request for an upgrade with a body", rule: "HT-TUN-29") {
                $0.with("Content-Length", "5").with(body: "hello")
            },
            refuses(
                "chunked", "refuse a request for an upgrade with a chunked body", rule: "HT-TUN-29"
            ) {
                $0.with("Transfer-Encoding", "chunked").with(body: "5\r\nhello\r\n0\r\n\r\n")
            },
        ]

    // MARK: - Bytes that are not HTTP at all

    private static func survives(
        _ name: String, _ requirement: String, _ bytes: [UInt8], thenCloses: Bool = false
    ) -> ScriptedCase<ServiceTestContext> {
        http.survives(name, requirement, rule: "HT-TUN-31") { context in
            let connection = try await context.connect()
            await connection.send(bytes)
            if thenCloses { await connection.close() }
            try await context.isAlive()
        }
    }

    private static let nonsense = [
        survives("nothing", "serve others while a connection sends nothing", []),
        survives("closed-at-once", "survive a connection that is closed at once", [], thenCloses: true),
        survives(
            "half-a-line", "serve others while a connection has sent half a request",
            Array("GET /cable/new/00".utf8)),
        survives(
            "half-a-line-closed", "survive a connection that ends after half a request",
            Array("GET /cable/new/00".utf8),
            thenCloses: true),
        survives("zeros", "survive 4,096 zero bytes in place of a request", [UInt8](repeating: 0, count: 4_096)),
        survives("ones", "survive 4,096 bytes FF in place of a request", [UInt8](repeating: 0xFF, count: 4_096)),
        survives(
            "line-ends", "survive 4,096 line ends in place of a request",
            Array(String(repeating: "\r\n", count: 4_096).utf8)),
        survives("http-2", "survive the preface of HTTP/2", Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)),
        survives(
            "smuggling", "survive a request with both Content-Length and chunks",
            Array(
                ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\n\r\nGET / HTTP/1.1\r\n\r\n").utf8)),
        survives(
            "negative-length", "survive a negative Content-Length",
            Array(
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n".utf8)),
        http.survives("many-fields", "survive 10,000 header fields", rule: "HT-TUN-31") { context in
            var request = context.request("/")
            request.fields += (0..<10_000).map { ("X-\($0)", "1") }
            let connection = try await context.connect()
            await connection.send(request.bytes)
            try await context.isAlive()
        },
        http.survives("endless-field", "survive a header field of 1 MiB", rule: "HT-TUN-31") { context in
            let request = context.request("/").with("X-Filler", String(repeating: "a", count: 1 << 20))
            let connection = try await context.connect()
            await connection.send(request.bytes)
            try await context.isAlive()
        },
        http.behaves("byte-by-byte", "accept a request that arrives byte by byte", rule: "HT-TUN-30") { context in
            let connection = try await context.connect()
            try await connection.sendByteByByte(context.request("/cable/new/\(ServiceTestContext.tunnelID())").bytes)
            let head = try await context.answerHead(on: connection)
            try demand(head.status == 101, "it answers with status \(head.status)")
        },
        http.behaves(
            "field-case", "ignore the case of field names, and of Upgrade's and Connection's values",
            rule: "HT-TUN-25"
        ) {
            context in
            _ = try await context.authenticator { request in
                request.with("Upgrade").with("Connection").with("UPGRADE", "WebSocket").with(
                    "connection", "keep-alive, upgrade")
            }
        },
    ]

    // MARK: - Origin

    private static let origins = [
        http.behaves(
            "origin-own", "accept the service's own name as Origin, as Chromium sends it", rule: "HT-TUN-11"
        ) { context in
            _ = try await context.authenticator { $0.with("Origin", "wss://\(context.target.host)") }
        },
        http.behaves("origin-none", "accept a request without Origin, as Safari sends it", rule: "HT-TUN-10") {
            context in
            _ = try await context.authenticator()
        },
        http.refuses("origin-page", "refuse the Origin of a web page", rule: "HT-TUN-12") {
            context in
            try await context.isRefused(
                context.request("/cable/new/\(ServiceTestContext.tunnelID())").with("Origin", "https://evil.example"))
        },
        http.refuses("origin-other", "refuse another service's name as Origin", rule: "HT-TUN-12") {
            context in
            try await context.isRefused(
                context.request("/cable/new/\(ServiceTestContext.tunnelID())").with("Origin", "wss://evil.example"))
        },
        http.refuses("origin-null", "refuse the Origin null", rule: "HT-TUN-12") { context in
            try await context.isRefused(
                context.request("/cable/new/\(ServiceTestContext.tunnelID())").with("Origin", "null"))
        },
    ]
}
