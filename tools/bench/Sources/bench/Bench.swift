internal import QRBench
internal import TunnelServiceBench

/// Measures the project against the least cost of its work.
///
///     swift run -c release bench [noise|frames|adverts|qr|tunnel|contact|ceremony|relays|all] …
@main
enum Bench {
    static let all: [(name: String, run: @Sendable () async throws -> Void)] = [
        ("noise", noiseBenchmark),
        ("frames", frameBenchmark),
        ("adverts", advertBenchmark),
        ("qr", qrBenchmark),
        ("tunnel", tunnelServiceBenchmark),
        ("contact", contactBenchmark),
        ("ceremony", ceremonyBenchmark),
        ("relays", relayBenchmark),
    ]

    static func main() async throws {
        let wanted = Set(CommandLine.arguments.dropFirst())
        let known = Set(all.map(\.name))
        guard wanted.subtracting(["all"]).isSubset(of: known) else {
            print("usage: bench [\(all.map(\.name).joined(separator: "|"))|all] …")
            return
        }
        for (name, run) in all where wanted.isEmpty || wanted.contains("all") || wanted.contains(name) {
            try await run()
        }
    }
}

/// A measurement that cannot go on.
struct BenchError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Ends the measurement if a call that cannot fail did.
func check(_ status: Int32, _ call: StaticString) throws {
    guard status == 1 else { throw BenchError("\(call) failed") }
}
