import Encodings
import Foundation
import HybridProtocol
import HybridTransport
import Synchronization
import TestPeers

@testable import BluetoothLE

/// A stand-in for the kernel that behaves as it is told.
struct ManagementPeer: Sendable {
    /// The way to it, for one connection.
    let socket: ManagementSocket
    private let lines: AsyncStream<String>

    /// Runs the stand-in while `body` runs.
    static func with<Value: Sendable>(
        _ behaviour: String, _ body: (ManagementPeer) async throws -> Value
    ) async throws -> Value {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/kernel.py").path
        return try await ChildProcess.with(["/usr/bin/python3", script, behaviour]) { child in
            var iterator = child.lines.makeAsyncIterator()
            let path = await iterator.next() ?? ""
            let socket = ManagementSocket { () throws(RadioError) in try connect(to: path) }
            return try await body(ManagementPeer(socket: socket, lines: child.lines))
        }
    }

    private static func connect(to path: String) throws(RadioError) -> Int32 {
        let kind = Int32(bitPattern: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafeBytes(of: &address) {
            Glibc.connect(
                descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard descriptor >= 0, result == 0 else {
            throw RadioError(.failed, reason: "the stand-in does not listen")
        }
        return descriptor
    }

    /// The commands to it, up to the first line that starts so.
    func said(upTo last: String) async -> [String] {
        var said: [String] = []
        for await line in lines {
            said.append(line)
            if line.hasPrefix(last) { break }
        }
        return said
    }
}
