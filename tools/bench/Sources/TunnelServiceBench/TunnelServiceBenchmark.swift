import Foundation
import Measuring

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
            let task = ServerTask(kind: .service, security: security, certificate: certificate)
            let bytes = try await ServerProcess.with(task) { server in
                let (bytes, tunnels) = try await memoryOfATunnel(server, try security.client(certificate))
                await tunnels.close()
                return bytes
            }
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

private let setUpAim = 1.5
private let messageAim = 1.2

/// The times of a block of ours and one of the floor's, nanoseconds.
private typealias Pairs = [(ours: Double, floor: Double)]

private func compare(_ security: BenchmarkSecurity, _ certificate: BenchmarkCertificate) async throws {
    let tls = try security.client(certificate)
    let count = security.setUpsInABlock
    var setUps: Pairs = []
    var messages: [Int: Pairs] = [:]
    // New processes each time: one that the machine puts badly is slower by half for as long as it lives.
    for _ in 0..<Amount.processes {
        let tasks = [ServerTask.Kind.service, .bare].map {
            ServerTask(kind: $0, security: security, certificate: certificate)
        }
        try await ServerProcess.with(tasks) { servers in
            setUps += try await inTurns(servers, count) { server, block in
                let visit = Visit(port: server.port, tls: tls, isEcho: server.port == servers[1].port)
                try await manyTimes(count) { try await visit.once(block * count + $0) }
            }.map { ($0[0], $0[1]) }
            for atATime in [1, Amount.tunnelsAtATime] {
                messages[atATime, default: []] += try await relayed(servers, atATime, tls).map { ($0[0], $0[1]) }
            }
        }
    }
    Report.line("set-up, \(security)", Comparison(setUps), aim: setUpAim)
    for (atATime, pairs) in messages.sorted(by: { $0.key < $1.key }) {
        Report.line("message, \(atATime) tunnels at a time, \(security)", Comparison(pairs), aim: messageAim)
    }
}

func rounded(_ value: Double) -> String {
    value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
}
