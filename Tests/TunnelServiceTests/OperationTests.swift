import Foundation
import Glibc
import Metrics
import NIOCore
import NIOPosix
import TestPeers
import Testing

@testable import TunnelService

@Suite("The admin address")
struct OperationTests {
    private func answer(
        _ request: String, host: String = "Host: localhost\r\n", of service: RunningTunnelService
    ) async throws -> Answer {
        let peer = try await RawPeer.connect(try #require(service.adminPort))
        try await peer.send("\(request) HTTP/1.1\r\n\(host)\r\n")
        let answer = try await peer.lastAnswer()
        await peer.close()
        return answer
    }

    @Test("tells the counts as Prometheus reads them")
    func metrics() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(WireFrame(payload: [1, 2, 3]))
            #expect(try await authenticator.message() == [1, 2, 3])
            let answer = try await answer("GET /metrics", of: service)
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let lines = answer.body.split(separator: "\n")
            for line in [
                "# HELP tunnel_service_messages_total Messages passed on.",
                "# TYPE tunnel_service_messages_total counter", "tunnel_service_messages_total 1",
                "tunnel_service_bytes_total 3", "tunnel_service_tunnels_paired 1", "tunnel_service_connections 2",
                "tunnel_service_ready 1", "tunnel_service_refusals_total{status=\"404\"} 0",
                "# TYPE tunnel_service_setup_seconds histogram", "tunnel_service_setup_seconds_count 2",
                "tunnel_service_setup_seconds_bucket{le=\"+Inf\"} 2", "tunnel_service_relay_seconds_count 1",
            ] {
                #expect(lines.contains(Substring(line)), "\(line)")
            }
            try await check(answer.body)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("counts those that were ended for others, by what they were there for")
    func evictions() async throws {
        var limits = TunnelService.Limits.generous
        limits.connections = 2
        try await withService(limits: limits, admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            let silent = try await RawPeer.connect(service.port)
            try await until { service.connectionCount == 1 }
            let first = try await service.authenticator("11111111111111111111111111111111")
            let second = try await service.authenticator("22222222222222222222222222222222")
            #expect(try await silent.takeToEnd().isEmpty)
            let third = try await service.authenticator("33333333333333333333333333333333")
            #expect(try await first.closeCode() == 1013)
            let text = try await answer("GET /metrics", of: service).body
            for line in [#"evictions_total{reason="request"} 1"#, #"evictions_total{reason="waiting"} 2"#] {
                #expect(text.contains("tunnel_service_\(line)\n"))
            }
            for peer in [silent, first, second, third] { await peer.close() }
        }
    }

    /// Every name has its line of help, and Prometheus's own tool, where there is one, finds no fault.
    private func check(_ text: String) async throws {
        let names = text.matches(of: #/# TYPE (\S+)/#).map { String($0.1) }
        #expect(Set(names) == Set(ServiceMetrics.help.keys).union(ProcessMetrics.help.keys))
        guard ForeignPeers.hasPromtool else { return }
        let file = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try text.write(to: file, atomically: true, encoding: .utf8)
        let ran = try await ChildProcess.run(["sh", "-c", "promtool check metrics <\(file.path())"])
        #expect(ran.status == 0, "\(ran.lines)")
    }

    @Test("tells the version, and of the process what Prometheus's libraries tell")
    func process() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            let text = try await answer("GET /metrics", of: service).body
            #expect(text.contains("\ntunnel_service_build_info{version=\"unknown\"} 1.0\n"))
            func value(_ name: String) throws -> Double {
                let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }, "\(name)")
                return try #require(Double(line.dropFirst(name.count + 1)))
            }
            let (started, cpu) = (try value("process_start_time_seconds"), try value("process_cpu_seconds_total"))
            #expect(abs(started - Date().timeIntervalSince1970) < 600)
            #expect(cpu > 0)
            let resident = try value("process_resident_memory_bytes")
            #expect((1_048_576...1e12).contains(resident))
            #expect(try value("process_virtual_memory_bytes") > resident)
            let (open, most) = (try value("process_open_fds"), try value("process_max_fds"))
            #expect(4 <= open && open <= most)
        }
    }

    @Test("is asked whether the service is ready, and anything else that answers is no service")
    func probe() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            let address = AdminAddress.tcp(host: "127.0.0.1", port: try #require(service.adminPort))
            #expect(await AdminProbe.ask(address, within: .seconds(30)) == .init(isReady: true, text: "ready"))
            let (authenticator, client) = try await service.pair()
            let shutdown = Task { await service.shutdown(drain: .seconds(60)) }
            try await until { await AdminProbe.ask(address, within: .seconds(30))?.isReady == false }
            for end in [client, authenticator] { await end.close() }
            await shutdown.value
            #expect(await AdminProbe.ask(address, within: .seconds(30)) == nil)
        }
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "",
        ] {
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AnswerHandler(answer))
                    }
                }.bind(host: "127.0.0.1", port: 0).get()
            let address = AdminAddress.tcp(host: "127.0.0.1", port: try #require(server.localAddress?.port))
            let started = ContinuousClock.now
            #expect(await AdminProbe.ask(address, within: .seconds(300)) == nil, "\(answer.prefix(30))")
            #expect(started.duration(to: .now) < .seconds(150), "it ends with the answer, and not with the limit")
            try await server.close().get()
        }
    }

    @Test("counts durations in buckets that contain the shorter ones")
    func histogram() {
        let metrics = PrometheusMetrics(help: ["x_seconds": "Times."])
        let timer = metrics.makeTimer(label: "x_seconds", dimensions: [("a", "b")])
        for nanoseconds in [1, 25_000, 25_001, 3_000_000_000, 20_000_000_000 as Int64] {
            timer.recordNanoseconds(nanoseconds)
        }
        let lines = metrics.text().split(separator: "\n")
        #expect(lines.first == "# HELP x_seconds Times.")
        for line in [
            "x_seconds_bucket{a=\"b\",le=\"2.5e-05\"} 2", "x_seconds_bucket{a=\"b\",le=\"0.0001\"} 3",
            "x_seconds_bucket{a=\"b\",le=\"2.5\"} 3", "x_seconds_bucket{a=\"b\",le=\"10.0\"} 4",
            "x_seconds_bucket{a=\"b\",le=\"+Inf\"} 5", "x_seconds_count{a=\"b\"} 5",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }

    @Test("says that the service is ready, and while it drains why it is not")
    func readiness() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            #expect(try await answer("GET /healthz", of: service).status == 200)
            #expect(try await answer("GET /readyz", of: service).body == "ready\n")
            let waiting = try await service.authenticator()
            let shutdown = Task { await service.shutdown(drain: .seconds(600)) }
            try await until { await service.unreadiness != nil }
            #expect(try await answer("GET /healthz", of: service).status == 200)
            let unready = try await answer("GET /readyz", of: service)
            #expect(unready.status == 503)
            #expect(unready.body == "draining: 0 tunnels continue, 1 may still be joined\n")
            await waiting.close()
            await shutdown.value
        }
    }

    @Test("answers nothing else, and to HEAD with a head alone")
    func others() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            #expect(try await answer("GET /cable/listen", of: service).status == 404)
            #expect(try await answer("POST /metrics", of: service).status == 405)
            let head = try await answer("HEAD /metrics", of: service)
            #expect(head.status == 200 && head.body.isEmpty)
            let nonsense = try await RawPeer.connect(try #require(service.adminPort))
            try await nonsense.send("nonsense\r\n\r\n")
            #expect(try await nonsense.takeToEnd().isEmpty)
            await nonsense.close()
        }
    }

    @Test("answers by its own names and addresses alone, so that no page reads it by a name that leads here")
    func host() async throws {
        let configuration = TunnelService.Configuration(
            security: .plain, hostNames: ["Cable.example.com"],
            admin: .tcp(host: "127.0.0.1", port: 0), limits: .generous)
        let service = try await TunnelService(configuration: configuration).start()
        for (hosts, status) in [
            (["LOCALHOST:9464"], 200), (["127.0.0.1"], 200), (["127.8.0.1:1"], 200), (["[::1]:9464"], 200),
            (["cable.example.com"], 200), ([], 200), (["evil.example:9464"], 421), (["10.1.2.3:9464"], 421),
            ([""], 421), (["localhost.evil.example"], 421), (["evil.example", "localhost"], 421),
            (["127.0.0.1.evil.example"], 421), (["localhost", "evil.example"], 421),
        ] {
            let host = hosts.map { "Host: \($0)\r\n" }.joined()
            for path in ["/metrics", "/readyz", "/healthz"] {
                let answer = try await answer("GET \(path)", host: host, of: service)
                #expect(answer.status == status, "\(path) \(hosts)")
                if status != 200 { #expect(!answer.body.contains("tunnel_service_")) }
            }
        }
        await service.shutdown()
    }

    @Test("closes connections beyond 32 at once, and serves again when some have left")
    func crowd() async throws {
        try await withService(admin: .tcp(host: "127.0.0.1", port: 0)) { service in
            let port = try #require(service.adminPort)
            var peers: [RawPeer] = []
            for _ in 0..<32 { peers.append(try await RawPeer.connect(port)) }
            let last = try await RawPeer.connect(port)
            #expect(try await last.takeToEnd().isEmpty)
            for peer in peers + [last] { await peer.close() }
            try await until { (try? await answer("GET /healthz", of: service).status) == 200 }
        }
    }

    @Test("is on loopback unless it is to be exposed")
    func exposure() async throws {
        var configuration = TunnelService.Configuration(
            security: .plain, admin: .tcp(host: "0.0.0.0", port: 0))
        await #expect(throws: TunnelServiceError(.exposedAdmin, reason: "")) {
            try await TunnelService(configuration: configuration).start()
        }
        configuration.admin = .tcp(host: "0.0.0.0", port: 0, isExposed: true)
        let service = try await TunnelService(configuration: configuration).start()
        #expect(try await answer("GET /healthz", of: service).status == 200)
        await service.shutdown()
    }

    @Test("can be a Unix socket, which is removed at the end")
    func unixSocket() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "admin-\(UUID())").path()
        // One that an earlier process has left.
        for _ in 0..<2 {
            try await withService(admin: .unixSocket(path: path)) { service in
                let command = ["curl", "--silent", "--unix-socket", path, "http://localhost/readyz"]
                #expect(service.adminPort == nil)
                if ForeignPeers.hasCurl {
                    let lines = try await ChildProcess.run(command).lines
                    #expect(lines == ["ready"])
                }
                #expect(FileManager.default.fileExists(atPath: path))
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// A socket of IPv4 that listens on a port of the system's choice.
    private func listeningSocket(_ address: String) throws -> CInt {
        let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, address, &name.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        try #require(status == 0 && listen(socket, 16) == 0)
        return socket
    }

    /// `TCP_RTO_MIN_US` of a socket, microseconds; nil where Linux, before 6.16, does not have it.
    private func leastRetransmissionTime(of socket: CInt) -> CInt? {
        var time: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(socket, CInt(IPPROTO_TCP), 45, &time, &size) == 0 ? time : nil
    }

    @Test("is refused where nothing can listen", arguments: [String(repeating: "a", count: 120), "no/such/socket"])
    func noPlace(name: String) async {
        let admin = AdminAddress.unixSocket(path: "/tmp/\(name)")
        let service = TunnelService(configuration: .init(security: .plain, admin: admin, limits: .generous))
        await #expect(throws: TunnelServiceError(.cannotListenForAdmin, reason: "")) { try await service.start() }
    }

    @Test("aside, a service listens on a socket that it is passed, under the rules of every address")
    func passedSocket() async throws {
        let socket = try listeningSocket("127.0.0.1")
        let configuration = TunnelService.Configuration(security: .plain, listeningSocket: socket, limits: .generous)
        let service = try await TunnelService(configuration: configuration).start()
        // The sockets that it accepts inherit it.
        #expect((2000...20_000).contains(leastRetransmissionTime(of: socket) ?? 2000))
        let authenticator = try await service.authenticator()
        await authenticator.close()
        await service.shutdown()

        let open = try listeningSocket("0.0.0.0")
        await #expect(throws: TunnelServiceError(.plainNotAllowed, reason: "")) {
            try await TunnelService(configuration: .init(security: .plain, listeningSocket: open)).start()
        }
        close(open)
        await #expect(throws: TunnelServiceError(.cannotListen, reason: "")) {
            try await TunnelService(configuration: .init(security: .plain, listeningSocket: -1)).start()
        }
    }
}

/// Answers each connection before anything is asked, and closes.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String

    init(_ answer: String) { self.answer = answer }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}
