import Foundation
import TestPeers

@testable import LinuxSupport

/// A connection to the python service.
struct DBusPeer {
    let connection: DBusConnection
    private let lines: AsyncStream<String>

    static func with(_ body: (DBusPeer) async throws -> Void) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/service.py").path
        try await ChildProcess.with(["/usr/bin/python3", script]) { child in
            var iterator = child.lines.makeAsyncIterator()
            let address = try DBusAddress(parsing: await iterator.next() ?? "", bus: .session)
            let connection = try await DBusConnection.open(address) { _ in }
            do {
                try await body(DBusPeer(connection: connection, lines: child.lines))
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        }
    }

    @discardableResult
    func call(
        _ member: String, _ body: [DBusValue] = [], within limit: Duration = DBusConnection.callLimit
    ) async throws -> [DBusValue] {
        try await connection.call(
            DBusCall(member, of: "org.example.Values", at: "/values", in: "org.example.Values", body), within: limit)
    }

    func callAbsent(startsService: Bool) async throws {
        try await connection.call(
            DBusCall("Call", of: "org.example.Absent", at: "/", in: "org.example.Absent", startsService: startsService))
    }

    /// The next line that the service writes.
    func said() async -> String? { await lines.first { _ in true } }
}
