import Foundation
import Measuring
import NIOSSL

/// Measures the tunnel service on loopback: the CPU time of set-ups and of relayed messages, and memory for each idle
/// tunnel, with and without TLS.
///
/// The service and its floor run in processes of their own: this program, started once more with the argument `tunnel`.
/// In such a process this function serves and does not return; so nothing else may come before it there.
///
/// A set-up is: `new`, `connect`, a message of 81 bytes each way, and the Close of both ends. Its floor is the echo of
/// ``BareServer``: two WebSockets, a message of 81 bytes to and fro on both, and the Close of both. A relayed message
/// has 256 bytes; its floor is the relay of ``BareServer``. The same client drives both, in blocks that take turns. CPU
/// time is the server process's own.
public func tunnelServiceBenchmark() async throws {
    if let task = ServerTask.asked { try await task.serve() }
    OpenFileLimit.raise()
    try await withCertificate { certificate in
        Report.title("The tunnel service against bare NIO, CPU time of the server")
        for security in BenchmarkSecurity.allCases {
            try await compare(security, certificate)
        }
        for security in BenchmarkSecurity.allCases {
            let bytes = try await memoryOfATunnel(security, certificate)
            Report.line(
                "memory of an idle tunnel, \(security)", bytes / 1_024, unit: "KiB",
                atMost: security == .plain ? 20 : 64)
        }
    }
}

/// With TLS, or without.
enum BenchmarkSecurity: String, CaseIterable, CustomStringConvertible {
    case plain
    case tls

    var description: String { self == .plain ? "plain" : "TLS" }
}

private let processes = 15
private let blocks = 5
private let setUpsInABlock = [BenchmarkSecurity.plain: 256, .tls: 96]
private let exchangesInABlock = 256
private let tunnelsAtATime = 8
private let atATime = 32
private let idleTunnels = 2_000
private let warmUp = 100
private let setUpAim = 1.5
private let messageAim = 1.2

/// The times of a block of ours and one of the floor's, nanoseconds.
private typealias Pairs = [(ours: Double, floor: Double)]

private func compare(_ security: BenchmarkSecurity, _ certificate: BenchmarkCertificate) async throws {
    func with(_ kind: ServerTask.Kind, _ body: (ServerProcess) async throws -> Void) async throws {
        try await ServerProcess.with(ServerTask(kind: kind, security: security, certificate: certificate), body)
    }
    let tls = try security.client(certificate)
    let count = setUpsInABlock[security] ?? 0
    var setUps: Pairs = []
    var messages: [Int: Pairs] = [:]
    // New processes each time: one that the machine puts badly is slower by half for as long as it lives.
    for _ in 0..<processes {
        try await with(.service) { service in
            try await with(.bare) { floor in
                setUps += try await inTurns(service, floor, count) { server, block in
                    let visit = Visit(port: server.port, tls: tls, isEcho: server.port == floor.port)
                    try await manyTimes(count) { try await visit.once(block * count + $0) }
                }
                for atATime in [1, tunnelsAtATime] {
                    messages[atATime, default: []] += try await relayed(service, floor, atATime, tls)
                }
            }
        }
    }
    Report.line("set-up, \(security)", Comparison(setUps), aim: setUpAim)
    for (atATime, pairs) in messages.sorted(by: { $0.key < $1.key }) {
        Report.line("message, \(atATime) tunnels at a time, \(security)", Comparison(pairs), aim: messageAim)
    }
}

private func relayed(
    _ service: ServerProcess, _ floor: ServerProcess, _ atATime: Int, _ tls: NIOSSLContext?
) async throws -> Pairs {
    var tunnels: [Int: [Tunnel]] = [:]
    for port in [service.port, floor.port] {
        let visit = Visit(port: port, tls: tls)
        for number in 0..<atATime { tunnels[port, default: []].append(try await visit.open(number)) }
    }
    let exchanges = exchangesInABlock / atATime
    let pairs = try await inTurns(service, floor, 2 * exchangesInABlock) { server, _ in
        try await withThrowingTaskGroup(of: Void.self) { group in
            for tunnel in tunnels[server.port] ?? [] { group.addTask { try await tunnel.exchange(exchanges) } }
            try await group.waitForAll()
        }
    }
    for tunnel in tunnels.values.joined() { await tunnel.close() }
    return pairs
}

/// Does the same with both servers, block by block.
///
/// - Parameter count: how often it is done in a block.
private func inTurns(
    _ service: ServerProcess, _ floor: ServerProcess, _ count: Int,
    _ block: (ServerProcess, Int) async throws -> Void
) async throws -> Pairs {
    var measured: Pairs = []
    for number in 0...blocks {
        var times: [Int: Double] = [:]
        for server in number.isMultiple(of: 2) ? [service, floor] : [floor, service] {
            let before = try server.processorTime()
            try await block(server, number)
            times[server.port] = (try server.processorTime() - before) / Double(count)
        }
        // The first pair warms up.
        if number > 0 { measured.append((times[service.port] ?? .nan, times[floor.port] ?? .nan)) }
    }
    return measured
}

private func memoryOfATunnel(
    _ security: BenchmarkSecurity, _ certificate: BenchmarkCertificate
) async throws -> Double {
    try await ServerProcess.with(ServerTask(kind: .service, security: security, certificate: certificate)) { server in
        let visit = Visit(port: server.port, tls: try security.client(certificate))
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
