import Foundation
import TestPeers

/// openssl's own server, limited to TLS 1.1.
enum OldTLSServer {
    static func run<Result: Sendable>(
        identity: Identity,
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let command = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0",
            "-cert", identity.certificate, "-key", identity.key, "-naccept", "1",
        ]
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
