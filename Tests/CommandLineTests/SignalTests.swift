import Foundation
import TestPeers
import Testing

/// SIGINT and SIGTERM end a command normally wherever it is; a second one ends it at once.
@Suite struct SignalTests {
    /// The stage of a ceremony when the signal comes.
    enum Place: String, CaseIterable { case discovery, tunnel, handshake, command }

    @Test(.enabled(if: Peer.isInstalled, Peer.isNeeded), arguments: Place.allCases, [SIGINT, SIGTERM])
    func aClientEndsWithinEveryStage(_ place: Place, _ signal: Int32) async throws {
        try await TestContext.with { context in
            let (tunnel, other) = try await self.service(context, silent: place == .tunnel)
            let radio = "127.0.0.1:\(try FreePort.next())"
            let client = try context.start([
                "hybrid", "client", "register", "--rp-id", "example.com", "--user", "alice", "--radio", "udp:\(radio)",
                "--tunnel", tunnel, "--qr", "url",
            ])
            let url = try await client.find(/(FIDO:\/\d+)/)
            switch place {
            case .discovery: break
            case .tunnel:
                _ = try context.start(["python3", Peer.path("advertiser.py"), url, radio])
                _ = try await client.find(/(advert is of this session)/, in: .stderr)
            case .handshake, .command:
                // An authenticator that is stopped goes no further, and one that asks waits for its person.
                let authenticator = try context.start(
                    ["python3", "-u", Peer.path("slow_authenticator.py"), url, radio, tunnel, place.rawValue])
                _ = try await authenticator.find(/(waiting)/)
                let mark = place == .handshake ? /(joined the authenticator's tunnel)/ : /(sent the command)/
                _ = try await client.find(mark, in: .stderr)
            }
            #expect(try sockets(of: client) > 0)
            client.send(signal)
            try await self.check(client)
            #expect(try await self.isFree(radio), "the radio is still bound")
            other.end()
        }
    }

    @Test(.enabled(if: Peer.isInstalled, Peer.isNeeded), arguments: [false, true], [SIGINT, SIGTERM])
    func anAuthenticatorEndsAndItsAdvertWithIt(_ isJoined: Bool, _ signal: Int32) async throws {
        try await TestContext.with { context in
            let (tunnel, service) = try await self.service(context, silent: false)
            let radio = "127.0.0.1:\(try FreePort.next())"
            let client = try context.start(
                ["python3", "-u", Peer.path("client.py"), radio, tunnel] + (isJoined ? ["--silent"] : []))
            let url = try await client.find(/(FIDO:\/\d+)/)
            if !isJoined { client.end() }
            let authenticator = try context.start([
                "hybrid", "authenticator", "answer", url, "--yes", "--ephemeral", "--radio", "udp:\(radio)", "--tunnel",
                tunnel,
            ])
            _ = try await authenticator.find(/(advertising that this device is near)/, in: .stderr)
            try await Task.sleep(for: .milliseconds(300))
            authenticator.send(signal)
            try await self.check(authenticator)
            client.end()
            let listener = try context.start(["python3", "-u", Peer.path("listen.py"), radio, "0.5"])
            #expect(try await listener.wait(atMost: .seconds(30)) { listener.status } == 0, "the advert is on the air")
            service.end()
        }
    }

    @Test func aSecondSignalEndsTheProcessAtOnce() async throws {
        try await TestContext.with { context in
            let (tunnel, service) = try await self.service(context, silent: false)
            // A tunnel with both ends keeps the service from ending by itself.
            let radio = "127.0.0.1:\(try FreePort.next())"
            let client = try context.start([
                "hybrid", "client", "register", "--rp-id", "example.com", "--user", "alice", "--radio", "udp:\(radio)",
                "--tunnel", tunnel, "--qr", "url",
            ])
            let url = try await client.find(/(FIDO:\/\d+)/)
            let authenticator = try context.start([
                "hybrid", "authenticator", "answer", url, "--yes", "--ephemeral", "--radio", "udp:\(radio)", "--tunnel",
                tunnel,
            ])
            _ = try await authenticator.find(/(authenticator: the handshake is done)/, in: .stderr)
            client.send(SIGSTOP)
            service.send(SIGTERM)
            _ = try await service.find(/(shutting down)/, in: .stderr)
            let start = ContinuousClock.now
            service.send(SIGTERM)
            let status = try await service.wait(atMost: .seconds(20)) { service.status }
            // If the session was over before the client was stopped, there was nothing to wait for.
            #expect(status == 130 || status == 0)
            #expect(ContinuousClock.now - start < .seconds(5))
            client.send(SIGCONT)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aTunnelServiceThatHasNothingToDoEndsAtOnce(_ signal: Int32) async throws {
        try await TestContext.with { context in
            let (_, service) = try await self.service(context, silent: false)
            service.send(signal)
            #expect(try await service.wait(atMost: .seconds(20)) { service.status } == 0)
        }
    }

    /// A command that reads standard input waits for nobody's end of line.
    @Test func aCommandThatReadsEnds() async throws {
        try await TestContext.with { context in
            let reader = try context.start(["sh", "-c", "sleep 60 | exec hybrid inspect - & echo started $!; wait $!"])
            let process = try await Int32(reader.find(/started (\d+)/)) ?? 0
            try await Task.sleep(for: .seconds(1))
            kill(process, SIGTERM)
            #expect(try await reader.wait(atMost: .seconds(20)) { kill(process, 0) == 0 ? nil : true } != nil)
        }
    }

    private func service(_ context: TestContext, silent: Bool) async throws -> (url: String, program: Program) {
        if silent {
            let service = try context.start(["python3", "-u", Peer.path("bad_service.py"), "silence"])
            return ("ws://127.0.0.1:\(try await service.find(/port (\d+)/))", service)
        }
        let service = try context.start(["hybrid", "tunnel-service", "--listen", "127.0.0.1:0", "--plain"])
        return (try await service.find(/listening on (ws:\S+)/, in: .stderr), service)
    }

    private func check(_ program: Program) async throws {
        let status = try await program.wait(atMost: .seconds(20)) { program.status }
        #expect(status == 130, "\(program.text(.stderr))")
        #expect(program.text(.stderr).contains(/error before [\w ]+: interrupted\nhybrid: hint: ./))
    }

    private func sockets(of program: Program) throws -> Int {
        let descriptors = "/proc/\(program.process)/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + $0))?.hasPrefix("socket:") == true
        }
    }

    private func isFree(_ radio: String) async throws -> Bool {
        let name = radio.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let lines = try String(contentsOfFile: "/proc/net/udp", encoding: .utf8).split(separator: "\n")
        let place = String(format: ":%04X ", name)
        return !lines.contains { $0.contains(place) }
    }
}
