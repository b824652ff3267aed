import Foundation

/// Measures the tunnel service on loopback: set-ups a second, and memory for each idle tunnel, with and without TLS.
///
/// The service runs in a process of its own: this program, started once more with the argument `tunnel`. In that
/// process this function serves and does not return; so nothing else may come before it there.
///
/// A set-up is: `new`, `connect`, a message of 81 bytes each way, and the Close of both ends. The floor beside it is a
/// bare NIO echo server in such a process, driven by the same client: two connections, with an exchange of 81 bytes
/// each way on both, with the same TLS or none. CPU time is the server process's own.
public func tunnelServiceBenchmark() async throws {
    if let task = ServerTask.asked { try await task.serve() }
    OpenFileLimit.raise()
    try await withCertificate { certificate in
        for security in BenchmarkSecurity.allCases {
            let service = try await rate(of: .service, security, certificate)
            let floor = try await rate(of: .echo, security, certificate)
            print("tunnel set-ups, \(security): \(service.description)")
            print("bare NIO echo on two connections, \(security): \(floor.description)")
            let ratio = service.processorTime / floor.processorTime
            print("tunnel set-up against the floor, \(security): \(rounded(ratio)) times its CPU time")
        }
        for security in BenchmarkSecurity.allCases {
            let bytes = try await memoryOfATunnel(security, certificate)
            let aim = security == .plain ? 20 : 64
            print(
                "memory of an idle tunnel (both connections), \(security): \(rounded(bytes / 1_024)) KiB, aim \(aim) KiB"
            )
        }
    }
}

/// With TLS, or without.
enum BenchmarkSecurity: String, CaseIterable, CustomStringConvertible {
    case plain
    case tls

    var description: String { self == .plain ? "plain" : "TLS" }
}

/// How fast a server is.
private struct Rate {
    let perSecond: Double
    /// CPU seconds of the server for each.
    let processorTime: Double

    var description: String {
        "\(rounded(perSecond)) a second, \(rounded(processorTime * 1_000_000)) µs of the server's CPU time each"
    }
}

private let setUps = [BenchmarkSecurity.plain: 4_000, .tls: 1_500]
private let atATime = 32
private let idleTunnels = 2_000
private let warmUp = 100

private func rate(
    of kind: ServerTask.Kind, _ security: BenchmarkSecurity, _ certificate: BenchmarkCertificate
) async throws -> Rate {
    try await ServerProcess.with(ServerTask(kind: kind, security: security, certificate: certificate)) { server in
        let visit = Visit(kind: kind, port: server.port, tls: try security.client(certificate))
        let count = setUps[security] ?? 0
        try await manyTimes(warmUp) { try await visit.once($0) }
        let processorTime = try server.processorTime()
        let clock = ContinuousClock()
        let elapsed = try await clock.measure {
            try await manyTimes(count) { try await visit.once(warmUp + $0) }
        }
        return Rate(
            perSecond: Double(count) / (elapsed / .seconds(1)),
            processorTime: try (server.processorTime() - processorTime) / Double(count)
        )
    }
}

private func memoryOfATunnel(
    _ security: BenchmarkSecurity, _ certificate: BenchmarkCertificate
) async throws -> Double {
    try await ServerProcess.with(ServerTask(kind: .service, security: security, certificate: certificate)) { server in
        let visit = Visit(kind: .service, port: server.port, tls: try security.client(certificate))
        try await manyTimes(warmUp) { try await visit.once($0) }
        try await Task.sleep(for: .seconds(1))
        let before = try server.residentBytes()
        let held = HeldTunnels()
        try await manyTimes(idleTunnels) { await held.keep(try await visit.open(warmUp + $0)) }
        try await Task.sleep(for: .seconds(2))
        let after = try server.residentBytes()
        await held.close()
        return Double(after - before) / Double(idleTunnels)
    }
}

/// Does something `count` times, ``atATime`` at a time.
private func manyTimes(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            if number >= atATime { try await group.next() }
            group.addTask { try await body(number) }
        }
        try await group.waitForAll()
    }
}

func rounded(_ value: Double) -> String {
    value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
}
