import Foundation
import Measuring
import NIOSSL

/// Compares relays side by side on loopback, with and without TLS: the tunnel service, libwebsockets on its own event
/// loop and on libev, and bare NIO, each in a process of its own and all driven by the same client, in blocks that take
/// turns.
///
/// A set-up is that of ``tunnelServiceBenchmark()``, and here the same of all: two WebSockets, a message of 81 bytes
/// each way, and the Close of both ends. A message has 256 bytes. The last figures are of ``Amount/idleTunnels`` idle
/// tunnels: the memory that each adds, and a message through one more.
///
/// The client offers X25519 alone: with NIOSSL's own groups, a server over NIOSSL would agree on X25519MLKEM768, which
/// costs more, and which OpenSSL 3.0 does not have.
public func relayBenchmark() async throws {
    OpenFileLimit.raise()
    try await withCertificate { certificate in
        for security in BenchmarkSecurity.allCases {
            Report.title("Relays side by side, \(security): CPU time of the server, ratio to bare NIO")
            let tasks = relays.map { ServerTask(kind: $0, security: security, certificate: certificate) }
            guard tasks.allSatisfy(\.hasProgram) else { throw NoRelay() }
            try await compareTimes(tasks)
            try await compareIdleTunnels(tasks)
        }
    }
}

/// The program of libwebsockets' relay is missing.
private struct NoRelay: Error, CustomStringConvertible {
    let description = "libwebsockets-relay is not built. hint: tools/bench/run relays"
}

private let timesBesideIdleTunnels = 3

/// Bare NIO, by which the others are judged, is the last.
private let relays = [ServerTask.Kind.service, .libwebsockets, .libwebsocketsOnLibev, .bare]

private func compareTimes(_ tasks: [ServerTask]) async throws {
    guard let first = tasks.first else { return }
    let tls = try first.security.client(first.certificate, curves: [.x25519])
    let count = first.security.setUpsInABlock
    var setUps: [[Double]] = []
    var messages: [Int: [[Double]]] = [:]
    for _ in 0..<Amount.processes {
        try await ServerProcess.with(tasks) { servers in
            setUps += try await inTurns(servers, count) { server, block in
                let visit = Visit(port: server.port, tls: tls)
                try await manyTimes(count) { try await visit.once(block * count + $0) }
            }
            for atATime in [1, Amount.tunnelsAtATime] {
                messages[atATime, default: []] += try await relayed(servers, atATime, tls)
            }
        }
    }
    report("set-up", setUps)
    for (atATime, rows) in messages.sorted(by: { $0.key < $1.key }) { report("message, \(atATime) at a time", rows) }
}

private func compareIdleTunnels(_ tasks: [ServerTask]) async throws {
    guard let first = tasks.first else { return }
    let tls = try first.security.client(first.certificate, curves: [.x25519])
    try await ServerProcess.with(tasks) { servers in
        var held: [HeldTunnels] = []
        for (kind, server) in zip(relays, servers) {
            let (bytes, tunnels) = try await memoryOfATunnel(server, tls)
            Report.line("memory, idle tunnel: \(kind)", bytes / 1_024, unit: "KiB")
            held.append(tunnels)
        }
        var messages: [[Double]] = []
        for _ in 0..<timesBesideIdleTunnels { messages += try await relayed(servers, 1, tls) }
        report("message, \(Amount.idleTunnels) idle", messages)
        for tunnels in held { await tunnels.close() }
    }
}

/// Prints a line for each relay but the floor.
private func report(_ name: String, _ rows: [[Double]]) {
    for (place, kind) in relays.dropLast().enumerated() {
        let pairs = rows.map { (ours: $0[place], floor: $0[relays.count - 1]) }
        Report.line("\(name): \(kind)", Comparison(pairs), of: ("\(kind)", "\(ServerTask.Kind.bare)"))
    }
}
