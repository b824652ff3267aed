import Foundation
import TestPeers

@testable import LinuxSupport

/// A bus of its own with the desktop's services on it.
struct SessionPeer: Sendable {
    let address: DBusAddress
    /// The peer's lines after its address.
    let lines: AsyncStream<String>

    /// Runs a peer while `body` runs.
    static func with<Result: Sendable>(
        _ script: String, _ arguments: [String] = [], _ body: (SessionPeer) async throws -> Result
    ) async throws -> Result {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Peers/\(script)")
            .path
        return try await ChildProcess.with(["/usr/bin/python3", path] + arguments) { child in
            var iterator = child.lines.makeAsyncIterator()
            let address = try DBusAddress(parsing: await iterator.next() ?? "", bus: .session)
            return try await body(SessionPeer(address: address, lines: child.lines))
        }
    }

    /// The next line that the peer writes.
    func said() async -> String? { await lines.first { _ in true } }
}

/// Longer than any test waits.
let never = Duration.seconds(600)

/// The code of the error that `body` ends with; nil for none.
func errorCode(_ body: () async throws(DesktopSessionError) -> Void) async -> DesktopSessionError.Code? {
    do throws(DesktopSessionError) {
        try await body()
        return nil
    } catch {
        return error.code
    }
}
