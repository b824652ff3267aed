import Foundation
import Testing

@testable import LinuxSupport

/// One after the other: the environment is the process's.
@Suite(.serialized)
struct DBusAddressTests {
    private func withEnvironment<Result>(_ values: [String: String?], _ body: () throws -> Result) rethrows -> Result {
        let old = values.keys.map { ($0, ProcessInfo.processInfo.environment[$0]) }
        func set(_ name: String, _ value: String?) {
            if let value { setenv(name, value, 1) } else { unsetenv(name) }
        }
        for (name, value) in values { set(name, value) }
        defer { for (name, value) in old { set(name, value) } }
        return try body()
    }

    @Test func `the session bus is where the environment says`() throws {
        let address = try withEnvironment(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/a,guid=b"]) {
            try DBusAddress.session()
        }
        #expect(address.text == "unix:abstract=/tmp/a,guid=b")
        #expect(address.bus == .session)
    }

    @Test func `without a word of the environment the session bus is where systemd puts it`() throws {
        let address = try withEnvironment(["DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": "/run/user/1 ü;x"]) {
            try DBusAddress.session()
        }
        #expect(address.text == "unix:path=/run/user/1%20%c3%bc%3bx/bus")
    }

    @Test func `outside of a session there is no session bus`() {
        _ = withEnvironment(["DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil]) {
            #expect(throws: DBusError(.noBus, reason: "")) { try DBusAddress.session() }
        }
    }
}
