import Foundation
import TestPeers
import Testing

@testable import LinuxSupport

/// The server's half of the authentication (D-Bus Specification 0.43, "Authentication Protocol").
@Suite(.timeLimit(.minutes(2)))
struct DBusAuthenticationTests {
    private static let accepted = "OK 0123456789abcdef0123456789abcdef\r\n"

    @Test(
        arguments: [
            ("D", .partial), ("DATA\r\n", .partial), ("OK 01", .partial), (accepted, .partial),
            ("DATA\r\n" + accepted, .partial),
            (accepted + "AGREE_UNIX_FD\r\n", .complete), ("DATA\r\n" + accepted + "ERROR\r\n", .complete),
            ("REJECTED EXTERNAL\r\n", .complete), ("DATA\r\nREJECTED\r\n\r\n", .complete),
            (accepted + "AGREE_UNIX_FD\r\n\r\n", .excess), ("DATA\r\n" + accepted + "AGREE_UNIX_FD\r\nl", .excess),
        ] as [(String, DBusAuthentication.State)])
    func `on a socket of this machine it ends with the line about files`(text: String, state: DBusAuthentication.State)
    {
        #expect(DBusAuthentication.state(of: Array(text.utf8), negotiatesFiles: true) == state)
    }

    @Test(
        arguments: [
            (accepted, .complete), ("DATA\r\n" + accepted, .complete), ("DATA\r\n" + accepted + "\r\n", .excess),
            (accepted + "AGREE_UNIX_FD\r\n", .excess),
        ] as [(String, DBusAuthentication.State)])
    func `elsewhere it ends with the acceptance`(text: String, state: DBusAuthentication.State) {
        #expect(DBusAuthentication.state(of: Array(text.utf8), negotiatesFiles: false) == state)
    }

    /// libsystemd 252 would end the process here: `bus_socket_auth_verify_client`, assertion `i == n`. Found by the
    /// fuzzer.
    @Test(arguments: [
        ("unix", accepted + "AGREE_UNIX_FD\r\n\r\n"), ("tcp", "DATA\r\n" + accepted + "\r\n"),
        ("tcp", accepted + "\r\n\r\n"),
    ])
    func `a line end behind it is an error and not the end of the process`(kind: String, reply: String) async throws {
        #expect(try await refusal(kind, reply) == .failed)
    }

    private func refusal(_ kind: String, _ reply: String) async throws -> DBusError.Code? {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Peers/authentication.py").path
        let escaped = reply.replacingOccurrences(of: "\r\n", with: #"\r\n"#)
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
