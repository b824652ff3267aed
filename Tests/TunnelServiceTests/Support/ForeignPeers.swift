import Foundation
import NIOCore
import NIOPosix
import TestPeers
import Testing

/// Programs of other makes, and whether they are installed.
enum ForeignPeers {
    static let hasWebSockets = succeeds(["python3", "-c", "import websockets.asyncio.client"])
    static let hasHAProxy = succeeds(["haproxy", "-v"])
    static let hasPromtool = succeeds(["promtool", "--version"])
    static let hasCurl = succeeds(["curl", "--version"])
    static let hasOpenSSL = succeeds(["openssl", "version"])

    /// True if this machine has the address ::1.
    static let hasIPv6: Bool = {
        let listener = try? ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "::1", port: 0).wait()
        return (try? listener?.close().wait()) != nil
    }()

    static let needsWebSockets: Comment = "needs the Python package `websockets`"
    static let needsHAProxy: Comment = "needs `haproxy` and the Python package `websockets`"
    static let needsOpenSSL: Comment = "needs the `openssl` command"

    static let hasContactPeer = succeeds(["python3", "-c", "import cbor2, cryptography, websockets.asyncio.client"])
    static let needsContactPeer: Comment = "needs the Python packages `websockets`, `cbor2` and `cryptography`"

    /// The checks that `contact_ends.py` makes.
    static let contactChecks = ["registration", "session", "declined", "proofs", "one_shot", "unauthenticated"]

    /// Runs an authenticator and a client of the contact side in Python, and gives the names of the checks that passed.
    static func contactEnds(_ url: String, ca: String? = nil) async throws -> [String] {
        try await passed("contact_ends.py", [url] + (ca.map { [$0] } ?? []))
    }

    /// The checks that `websocket_ends.py` makes.
    static let checks = ["upgrade", "messages", "fragments", "ping", "close_codes", "text", "statuses", "many"]

    /// Runs both ends of a tunnel in Python, and gives the names of the checks that passed.
    static func webSocketEnds(_ url: String, ca: String? = nil) async throws -> [String] {
        try await passed("websocket_ends.py", [url, Handshake.routingID] + (ca.map { [$0] } ?? []))
    }

    /// The names after `ok` in the output of a script of ours.
    private static func passed(_ name: String, _ arguments: [String]) async throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/\(name)")
        let ran = try await ChildProcess.run(["python3", script.standardizedFileURL.path()] + arguments)
        #expect(ran.status == 0)
        return ran.lines.compactMap { $0.hasPrefix("ok ") ? String($0.dropFirst(3)) : nil }
    }

    private static func succeeds(_ command: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
