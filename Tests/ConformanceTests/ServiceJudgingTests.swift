import Foundation
import Synchronization
import TestPeers
import Testing

@testable import Conformance

/// Tunnel services over TLS that are scripts.
@Suite("A tunnel service that is judged", .timeLimit(.minutes(5)))
struct ServiceJudgingTests {
    /// A service of one thread, which carries frames as they come; with `stalls`, one that cannot be written holds all
    /// up.
    static let script = #"""
        import asyncio, base64, hashlib, ssl, sys
        tunnels, carrying = {}, asyncio.Lock()
        async def frame(reader):
            first, length = await reader.readexactly(2)
            length &= 127
            form = bytes([length])
            if length > 125:
                form += await reader.readexactly(2 if length == 126 else 8)
                length = int.from_bytes(form[1:], "big")
            mask = await reader.readexactly(4)
            masked = await reader.readexactly(length)
            whole = (mask * (length // 4 + 1))[:length]
            payload = int.from_bytes(masked, "big") ^ int.from_bytes(whole, "big")
            return bytes([first]) + form + payload.to_bytes(length, "big")
        async def carry(data, writer):
            writer.write(data)
            await writer.drain()
        async def serve(reader, writer):
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            path = lines[0].split(" ")[1]
            is_new = path.startswith("/cable/new/")
            if sys.argv[3] == "has-page" and path == "/":
                return writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            key = next(line for line in lines if line.startswith("Sec-WebSocket-Key: "))[19:]
            digest = base64.b64encode(hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            ends = tunnels.setdefault(path.split("/")[-1], {})
            ends[is_new] = writer
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + digest + b"\r\nSec-WebSocket-Protocol: fido.cable\r\n"
                + (b"X-caBLE-Routing-ID: 0a0b0c\r\n" if is_new else b"") + b"\r\n")
            try:
                while True:
                    data = await frame(reader)
                    if sys.argv[3].startswith("close") and data[0] == 0x88:
                        writer.write(bytes.fromhex(sys.argv[3][5:]))
                        return writer.close()
                    if sys.argv[3] == "stalls":
                        async with carrying: await carry(data, ends[not is_new])
                    else: await carry(data, ends[not is_new])
            except (asyncio.IncompleteReadError, ConnectionError): pass
        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
            print("port", server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """#

    /// Runs one case with a service.
    static func result(_ id: String, _ manner: String, timeout: Duration) async throws -> CaseResult {
        let directory = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (certificate, key) = (directory.appending(path: "cert").path, directory.appending(path: "key").path)
        let (status, _) = try await ChildProcess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ])
        try #require(status == 0)
        return try await ChildProcess.with(["python3", "-c", script, certificate, key, manner]) { service in
            let line = await service.lines.first { _ in true }
            let port = try #require(line?.split(separator: " ").last.flatMap { UInt16($0) })
            var settings = try ServiceSettings(
                isSecure: true, host: "localhost", port: port, authorities: [certificate], timeout: timeout)
            settings.holdsPolicies = true
            let results = Mutex<[CaseResult]>([])
            try await ConformanceRunner.testTunnelService(settings, jobs: 1, where: { $0.id == id }) { result in
                results.withLock { $0.append(result) }
            }
            return try #require(results.withLock { $0 }.first)
        }
    }

    @Test("refuses a path if it answers anything but 101, such as a page")
    func page() async throws {
        let id = "tunnel-service/http/path-root"
        #expect(try await Self.result(id, "has-page", timeout: .seconds(20)).verdict == .passed)
        #expect(
            try await Self.result(id, "serves", timeout: .seconds(20)).verdict
                == .deviates("it answers with status 101"))
    }

    @Test(
        "may answer a Close frame with any code, or none, and not with the connection's end alone",
        arguments: [("close880203e8", true), ("close880203e9", true), ("close8800", true), ("close", false)])
    func closes(manner: String, passes: Bool) async throws {
        let result = try await Self.result("tunnel-service/end/close-answered", manner, timeout: .seconds(20))
        #expect((result.verdict == .passed) == passes, "\(result.verdict)")
    }

    static let slowReader = "tunnel-service/relay/slow-reader"

    @Test("serves others while a client does not read, which is found out at once")
    func serves() async throws {
        let result = try await Self.result(Self.slowReader, "serves", timeout: .seconds(20))
        #expect(result.verdict == .passed)
        #expect(result.duration < .seconds(20))
    }

    @Test("holds up others for a client that does not read, and is found out")
    func stalls() async throws {
        let result = try await Self.result(Self.slowReader, "stalls", timeout: .seconds(5))
        guard case .deviates(let reason) = result.verdict else {
            Issue.record("\(result.verdict) is not a deviation")
            return
        }
        #expect(reason.hasPrefix("afterwards a new tunnel does not work: "))
    }
}
