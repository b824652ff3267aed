import CTAP
import Foundation
import Glibc
import LinuxSupport
import SecurityKey
import Synchronization
import Testing

/// A key behind a socket, in this process: each connection is a program that uses it.
final class SocketKey: Sendable {
    /// Peer of a connection.
    enum Peer: Sendable {
        /// A key with an application behind it.
        case application(any SecurityKeyApplication)
        /// The reports that answer one; none, and the connection ends.
        case reports(@Sendable (_ report: [UInt8]) -> [[UInt8]]?)
    }

    let path: String
    private let listener: Int32
    private let isPluggedIn = Atomic(true)
    /// A second descriptor of each connection: the first is its owner's to close.
    private let connections = Mutex<[Int32]>([])

    private init(_ peer: Peer) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "hybrid-key-\(UUID()).socket").path
        listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(100)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        try #require(bound == 0 && listen(listener, 16) == 0)
        try PollThread.start { [self] in
            while true {
                let file = accept(listener, nil, nil)
                guard file >= 0 else {
                    close(listener)
                    return
                }
                connections.withLock { $0.append(dup(file)) }
                serve(file, peer)
            }
        }
    }

    /// Runs `body` beside a key.
    @discardableResult
    static func with<Value>(_ peer: Peer, _ body: (SocketKey) async throws -> Value) async throws -> Value {
        let key = try SocketKey(peer)
        defer { key.unplug() }
        return try await body(key)
    }

    /// Takes the key out: its socket is gone, and so are the programs' connections.
    func unplug() {
        unlink(path)
        let isFirst = isPluggedIn.exchange(false, ordering: .relaxed)
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        connections.withLock { files in
            for file in files {
                shutdown(file, Int32(SHUT_RDWR))
                close(file)
            }
            files = []
        }
    }

    private func serve(_ file: Int32, _ peer: Peer) {
        switch peer {
        case .application(let application):
            let key = SecurityKeyDevice(
                over: BrokerReportChannel(taking: file),
                version: CTAPHIDDeviceVersion(major: 1, minor: 2, build: 3), application: application)
            // It ends with its program.
            Task { try? await key.run() }
        case .reports(let answer):
            _ = try? PollThread.start {
                var report = [UInt8](repeating: 0, count: 64)
                while recv(file, &report, report.count, 0) == report.count, let answers = answer(report) {
                    for answer in answers { _ = send(file, answer, answer.count, Int32(MSG_NOSIGNAL)) }
                }
                shutdown(file, Int32(SHUT_RDWR))
                close(file)
            }
        }
    }
}
