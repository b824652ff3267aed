import Foundation
import TestPeers

/// openssl's own server, which answers requests with a page, limited by its options.
enum OldTLSServer {
    static func run<Result: Sendable>(
        identity: Identity,
        _ options: [String],
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let command =
            [
                "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", identity.certificate,
                "-key", identity.key, "-naccept", "1",
            ] + options
        return try await ChildProcess.with(command) { server in
            for await line in server.lines {
                // "ACCEPT 127.0.0.1:PORT"
                if line.hasPrefix("ACCEPT"), let port = line.split(separator: ":").last.flatMap({ Int($0) }) {
                    return try await body(port)
                }
            }
            throw CocoaError(.executableLoad)
        }
    }
}
