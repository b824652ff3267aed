import Foundation
import TestPeers
import Testing

@testable import TunnelService

@Suite("A thousand tunnels", .serialized)
struct ChurnTests {
    @Test("opened, joined, used and ended in every way leave nothing behind")
    func nothingIsLeft() async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(500)
        try await withService(limits: limits) { service in
            try await run(50, from: 0, service)
            try await until { service.connectionCount == 0 }
            try await run(1_000, from: 50, service)
            try await until { service.connectionCount == 0 }
            #expect(service.pendingTunnelCount == 0)
            #expect(service.pairedTunnelCount == 0)
            #expect(service.bufferedByteCount == 0)
        }
    }

    private func run(_ count: Int, from first: Int, _ service: RunningTunnelService) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in first..<(first + count) {
                if number >= first + 20 { try await group.next() }
                group.addTask { try await one(number, service) }
            }
            try await group.waitForAll()
        }
    }

    private func one(_ number: Int, _ service: RunningTunnelService) async throws {
        let digits = String(number, radix: 16)
        let tunnelID = String(repeating: "0", count: 32 - digits.count) + digits
        if number % 10 == 0 { return await (try service.authenticator(tunnelID)).close() }
        let (authenticator, client) = try await service.pair(tunnelID)
        try await client.send(WireFrame(payload: [1]))
        #expect(try await authenticator.message() == [1])
        try await authenticator.send(WireFrame(payload: [2]))
        #expect(try await client.message() == [2])
        switch number % 10 {
        case 1: await client.close()
        case 2: try await authenticator.reset()
        case 3: try await client.send(WireFrame(opcode: WireFrame.text))
        case 4: try await authenticator.send(WireFrame(payload: []))
        default: try await client.send(.close(1000))
        }
        await client.close()
        await authenticator.close()
    }
}

@Suite("Files", .serialized)
struct FileTests {
    @Test("are all closed when the service has stopped")
    func noSocketIsLeft() async throws {
        // Other tests open sockets at the same time: only those on our port are looked at.
        let port = try await withService { service in
            let (authenticator, client) = try await service.pair()
            #expect(try connections(to: service.port) >= 2)
            await client.close()
            await authenticator.close()
            return service.port
        }
        #expect(try connections(to: port) == 0)
    }

    /// The sockets of this process whose own port this is, by /proc.
    private func connections(to port: Int) throws -> Int {
        let descriptors = "/proc/self/fd/"
        let open = Set(
            try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + $0)
            }
        )
        let wanted = String(format: "%04X", port)
        // Foundation reads only the first page of such a file unless it is told to read to the end.
        let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp")).readToEnd() ?? Data()
        return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(":" + wanted) else { return false }
            return open.contains("socket:[\(fields[9])]")
        }
    }
}
