import Foundation
import LinuxSupport
import TestPeers

@testable import BluetoothLE

/// A bus of its own with a stand-in for bluetoothd that behaves as it is told.
struct BlueZPeer: Sendable {
    /// Its bus's addresses: a Unix socket, and TCP on loopback that admits any client.
    let unix: DBusAddress
    let tcp: DBusAddress
    private let lines: AsyncStream<String>

    /// Runs the stand-in while `body` runs.
    static func with<Value: Sendable>(
        _ behaviour: String..., body: (BlueZPeer) async throws -> Value
    ) async throws -> Value {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/bluetoothd.py").path
        return try await ChildProcess.with(["/usr/bin/python3", script] + behaviour) { child in
            var iterator = child.lines.makeAsyncIterator()
            let unix = try DBusAddress(parsing: await iterator.next() ?? "")
            let tcp = try DBusAddress(parsing: await iterator.next() ?? "")
            return try await body(BlueZPeer(unix: unix, tcp: tcp, lines: child.lines))
        }
    }

    /// The calls to it, up to the first line that starts so.
    func said(upTo last: String) async -> [String] {
        var said: [String] = []
        for await line in lines {
            said.append(line)
            if line.hasPrefix(last) { break }
        }
        return said
    }
}
