internal import Glibc

@testable internal import LinuxSupport

extension FuzzTarget {
    static let dbus = FuzzTarget(
        "dbus", "a bus's messages of any types and values, as libsystemd takes them off a socket"
    ) { input in
        let signature = input.counted(atMost: 40).map { DBusWire.types[Int($0) % DBusWire.types.count] }
        let body = input.rest()
        try DBusWire.receive(DBusWire.message(signature: signature, body: body)) { message in
            // Most bodies are refused by name.
            guard let read = try? DBusMessage(reading: message) else { return }
            expect(read.path == "/o" && read.member == "M", "a message has another header than was sent")
            for value in read.body {
                _ = (value.signature, value.dictionaryValue, value.stringsValue, value.pathsValue)
            }
        }
    }
}

/// The little of D-Bus's wire format that is needed to get a body past libsystemd's header checks.
///
/// Source: D-Bus Specification 0.43, "Message Format" and "Authentication Protocol".
private enum DBusWire {
    /// The alphabet of signatures; most of those drawn from it are refused, and mutation finds the others.
    static let types = Array("ybnqiuxtdsoghvaaa(((){}{s".utf8)

    private static let setFile: @convention(c) (OpaquePointer?, CInt, CInt) -> CInt =
        SystemdLibrary.function("sd_bus_set_fd")
    private static let negotiateFiles: @convention(c) (OpaquePointer?, CInt) -> CInt =
        SystemdLibrary.function("sd_bus_negotiate_fds")

    private static let reply = "DATA\r\nOK 0123456789abcdef0123456789abcdef\r\n"

    static func message(signature: [UInt8], body: [UInt8]) -> [UInt8] {
        var fields: [UInt8] = []
        for (code, type, value) in [(1, "o", Array("/o".utf8)), (2, "s", Array("a.b".utf8)), (3, "s", Array("M".utf8))]
        {
            fields += [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
            fields += [UInt8(code), 1, UInt8(ascii: type == "o" ? "o" : "s"), 0]
            fields += little(value.count) + value + [0]
        }
        fields += [UInt8](repeating: 0, count: (8 - fields.count % 8) % 8)
        fields += [8, 1, UInt8(ascii: "g"), 0, UInt8(signature.count)] + signature + [0]
        let head = [UInt8(ascii: "l"), 4, 1, 1] + little(body.count) + little(1) + little(fields.count) + fields
        return head + [UInt8](repeating: 0, count: (8 - head.count % 8) % 8) + body
    }

    /// Sends bytes to a connection of libsystemd's, and hands out the message that it makes of them, if it makes one.
    static func receive(_ bytes: [UInt8], _ body: (OpaquePointer) -> Void) throws {
        var ends: [Int32] = [0, 0]
        expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "no socket")
        defer { close(ends[1]) }
        var bus: OpaquePointer?
        expect(sd_bus_new(&bus) >= 0 && setFile(bus, ends[0], ends[0]) >= 0, "no connection")
        defer { _ = sd_bus_close_unref(bus) }
        _ = negotiateFiles(bus, 0)
        expect(sd_bus_start(bus) >= 0, "no start")
        // The reply to the authentication first, and alone: libsystemd 252 aborts at a line end behind it.
        send(Array(reply.utf8), to: ends[1])
        for _ in 0..<rounds where sd_bus_is_ready(bus) == 0 {
            expect(sd_bus_process(bus, nil) >= 0, "not authenticated")
        }
        expect(sd_bus_is_ready(bus) > 0, "not authenticated")
        send(bytes, to: ends[1])
        for _ in 0..<rounds {
            var message: OpaquePointer?
            guard sd_bus_process(bus, &message) >= 0 else { return }
            guard let message else { continue }
            body(message)
            _ = sd_bus_message_unref(message)
        }
    }

    /// Calls of sd_bus_process for one input: for a line of the authentication, a message, or the end.
    private static let rounds = 6

    private static func send(_ bytes: [UInt8], to end: Int32) {
        expect(write(end, bytes, bytes.count) == bytes.count, "not written")
    }

    private static func little(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
