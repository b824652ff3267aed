import Foundation
import TestPeers
import Testing

@testable import DBus

/// What a bus says before it lets us in (D-Bus Specification 0.43, "Authentication Protocol").
@Suite(.timeLimit(.minutes(2)))
struct DBusGreetingTests {
    private static let consent = "OK 0123456789abcdef0123456789abcdef\r\n"

    @Test(
        arguments: [
            ("D", .begun), ("DATA\r\n", .begun), ("OK 01", .begun), (consent, .begun), ("DATA\r\n" + consent, .begun),
            (consent + "AGREE_UNIX_FD\r\n", .complete), ("DATA\r\n" + consent + "ERROR\r\n", .complete),
            ("REJECTED EXTERNAL\r\n", .complete), ("DATA\r\nREJECTED\r\n\r\n", .complete),
            (consent + "AGREE_UNIX_FD\r\n\r\n", .overrun), ("DATA\r\n" + consent + "AGREE_UNIX_FD\r\nl", .overrun),
        ] as [(String, DBusGreeting.Progress)])
    func `on a socket of this machine it ends with the line about files`(text: String, progress: DBusGreeting.Progress)
    {
        #expect(DBusGreeting.progress(Array(text.utf8), agreesOnFiles: true) == progress)
    }

    @Test(
        arguments: [
            (consent, .complete), ("DATA\r\n" + consent, .complete), ("DATA\r\n" + consent + "\r\n", .overrun),
            (consent + "AGREE_UNIX_FD\r\n", .overrun),
        ] as [(String, DBusGreeting.Progress)])
    func `elsewhere it ends with the consent`(text: String, progress: DBusGreeting.Progress) {
        #expect(DBusGreeting.progress(Array(text.utf8), agreesOnFiles: false) == progress)
    }

    /// libsystemd 252 would end the process here: `bus_socket_auth_verify_client`, assertion `i == n`. Found by the fuzzer.
    @Test(arguments: [
        ("unix", consent + "AGREE_UNIX_FD\r\n\r\n"), ("tcp", "DATA\r\n" + consent + "\r\n"),
        ("tcp", consent + "\r\n\r\n"),
    ])
    func `a line end behind it is an error and not the end of the process`(kind: String, greeting: String) async throws
    {
        #expect(try await refusal(kind, greeting) == .failed)
    }

    private func refusal(_ kind: String, _ greeting: String) async throws -> DBusError.Code? {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/greeting.py").path
        let escaped = greeting.replacingOccurrences(of: "\r\n", with: #"\r\n"#)
        return try await ChildProcess.with(["/usr/bin/python3", script, kind, escaped]) { child in
            var lines = child.lines.makeAsyncIterator()
            let address = try DBusAddress(parsing: await lines.next() ?? "")
            do throws(DBusError) {
                await (try DBusConnection.open(address) { _ in }).close()
                return nil
            } catch {
                return error.code
            }
        }
    }
}
