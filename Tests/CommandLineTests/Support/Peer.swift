import Foundation
import Testing

/// The programs of another make in `Peers`.
enum Peer {
    static let isNeeded: Comment = "needs the Python packages `cbor2`, `cryptography` and `websockets`"

    /// True if their dependencies are installed.
    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import cbor2, cryptography, websockets.asyncio.client"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    static func path(_ name: String) -> String { TestContext.peers.appending(path: name).path }

    /// A QR code that Chromium made; nobody waits for its answer any more. See `Vectors/session.json`.
    static let code =
        "FIDO:/5799814800290627805380560169470913609604148506146393987343926877793353529512960073777142545382"
        + "36190440351357777832244870064389567225832337562621831545602109321447142404"
}

extension Program {
    struct NeverSaid: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits until the program has written something to one of its streams, and gives the first group of it.
    func find(_ pattern: Regex<(Substring, Substring)>, in stream: Stream = .stdout) async throws -> String {
        let found = try await wait(atMost: .seconds(60)) { () -> String? in
            if let match = text(stream).firstMatch(of: pattern) { return String(match.1) }
            if let status { throw NeverSaid(description: "\(command) ended with \(status): \(text(.stderr))") }
            return nil
        }
        guard let found else { throw NeverSaid(description: "\(command): \(text(.stdout))\(text(.stderr))") }
        return found
    }
}
