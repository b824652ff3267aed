import Foundation
import Glibc
import Synchronization
import TestPeers
import Testing

@testable import LinuxSupport

/// An object of ours, as python-dbus and gdbus call it.
@Suite(.timeLimit(.minutes(2)))
struct DBusObjectTests {
    private static let name = "org.example.Ours"
    private static let path = "/org/example/Ours"

    /// The lines that the caller writes, up to `done`, and `count` more.
    private static func lines(
        _ scenario: String, more count: Int = 0, user: UInt32 = getuid()
    ) async throws -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/caller.py").path
        return try await ChildProcess.with(["/usr/bin/python3", script, scenario]) { child in
            var iterator = child.lines.makeAsyncIterator()
            let address = try DBusAddress(parsing: await iterator.next() ?? "", bus: .session)
            let connection = Mutex<DBusConnection?>(nil)
            let object = object(connection: { connection.withLock { $0 } }, user: user)
            let opened = try await DBusConnection.open(address, answer: { object.answer($0) }) { _ in }
            connection.withLock { $0 = opened }
            #expect(try await opened.own(name))
            var lines: [String] = []
            while let line = await iterator.next(), line != "done" { lines.append(line) }
            for _ in 0..<count { lines.append(await iterator.next() ?? "") }
            await opened.close()
            return lines
        }
    }

    private static func object(
        connection: @escaping @Sendable () -> DBusConnection?, user: UInt32
    ) -> DBusObject {
        let waiting = Mutex(0)
        return DBusObject(
            at: path, name,
            methods: [
                .init("Repeat", [.init("text", "s"), .init("count", "u")], returns: [.init("texts", "as")]) { call in
                    .reply([.array(Array(repeating: call.body[0], count: Int(call.body[1].uint32Value ?? 0)))])
                },
                .init("Nothing") { _ in .reply([]) },
                .init("Fail") { _ in
                    .refusal(name: "org.example.Failed", text: "no way", details: [.string("why"), .int32(7)])
                },
                .init("Wait") { _ in
                    waiting.withLock { $0 += 1 }
                    try? await Task.sleep(for: .seconds(600))
                    waiting.withLock { $0 -= 1 }
                    return .reply([])
                },
                .init("Waiting", returns: [.init("count", "u")]) { _ in
                    .reply([.uint32(UInt32(waiting.withLock { $0 }))])
                },
                .init("Emit") { _ in
                    connection()?.emit(DBusSignal("Changed", of: name, at: path, [.string("now"), .bool(true)]))
                    return .reply([])
                },
            ],
            properties: [.init("Version", "u") { .uint32(7) }, .init("Name", "s") { .string("ours") }],
            signals: [.init("Changed", [.init("when", "s")])]
        ) { sender in (try? await connection()?.user(of: sender)) == user }
    }

    @Test func `methods take values of their types and nothing else`() async throws {
        let invalid = "org.freedesktop.DBus.Error.InvalidArgs Repeat takes values of the types su"
        let lines = try await Self.lines("methods")
        #expect(
            lines == [
                "Repeat ['hallo', 'hallo', 'hallo']", "Repeat \(invalid)", "Repeat \(invalid)", "Repeat ['x']",
                "Nothing None", "Fail org.example.Failed no way",
                "Repeat org.freedesktop.DBus.Error.UnknownInterface there is no such interface here",
                "Repeat org.freedesktop.DBus.Error.UnknownObject there is no such object here",
                "Repeat org.freedesktop.DBus.Error.InvalidArgs a message from the bus holds too much",
            ])
    }

    @Test func `properties can be read, and the object describes itself`() async throws {
        let lines = try await Self.lines("properties")
        #expect(
            lines == [
                "Get 7", "Get org.freedesktop.DBus.Error.UnknownProperty there is no such property here",
                "Get org.freedesktop.DBus.Error.UnknownInterface there is no such interface here",
                "Get org.freedesktop.DBus.Error.InvalidArgs Get takes other values",
                "GetAll {'Name': 'ours', 'Version': 7}",
                "Set org.freedesktop.DBus.Error.PropertyReadOnly the property cannot be set",
                "node", "interface name=org.example.Ours", "method name=Repeat", "arg direction=in name=text type=s",
                "arg direction=in name=count type=u", "arg direction=out name=texts type=as", "method name=Nothing",
                "method name=Fail", "method name=Wait", "method name=Waiting",
                "arg direction=out name=count type=u", "method name=Emit", "signal name=Changed",
                "arg name=when type=s", "property access=read name=Version type=u",
                "property access=read name=Name type=s",
            ])
    }

    @Test func `the work for a caller ends when the caller leaves the bus`() async throws {
        #expect(try await Self.lines("leave") == ["waits", "ended"])
    }

    @Test func `one caller can leave so many calls open and no more`() async throws {
        #expect(try await Self.lines("many", more: 1) == ["org.freedesktop.DBus.Error.LimitsExceeded"])
    }

    @Test func `a signal reaches who asks for it`() async throws {
        #expect(try await Self.lines("signal", more: 1) == ["Changed 'now' True"])
    }

    @Test func `a name that is taken stays with its owner`() async throws {
        // DBUS_REQUEST_NAME_REPLY_EXISTS
        #expect(try await Self.lines("taken") == ["3"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
    func `another user is refused`() async throws {
        #expect(
            try await Self.lines("user") == ["0 ()", "1 org.freedesktop.DBus.Error.AccessDenied"])
    }
}
