internal import CLinux
internal import Encodings
internal import Glibc

/// A call whose answer is awaited. The library matches the answer to it and keeps its time limit (`sd_bus_call_async`).
///
/// It belongs to the connection's thread. An answer that comes after its end is dropped.
final class DBusPendingCall {
    let waiter: DBusWaiter
    private let call: DBusCall
    private let limit: Duration
    private let deadline: ContinuousClock.Instant
    private unowned let loop: DBusLoop
    /// The library's record of the call.
    private var slot: OpaquePointer?

    /// The longest text of a peer's error, in Unicode scalars.
    private static let longestReason = 300

    init(_ call: DBusCall, within limit: Duration, for waiter: DBusWaiter, on loop: DBusLoop) {
        self.call = call
        self.limit = limit
        self.waiter = waiter
        self.loop = loop
        deadline = .now + limit
    }

    deinit { _ = sd_bus_slot_unref(slot) }

    /// Sends the call.
    ///
    /// - Throws: ``DBusError`` with `failed` or `disconnected`.
    func send() throws(DBusError) {
        var message: OpaquePointer?
        defer { _ = sd_bus_message_unref(message) }
        try loop.check(
            sd_bus_message_new_method_call(
                loop.bus, &message, call.destination, call.path, call.interface, call.member))
        guard let message else { return }
        try loop.check(sd_bus_message_set_auto_start(message, call.startsService ? 1 : 0))
        for value in call.body { try value.append(to: message) }
        // 0 would be the library's own limit.
        let microseconds = UInt64(max(limit / .microseconds(1), 0)) + 1
        try loop.check(
            sd_bus_call_async(
                loop.bus, &slot, message,
                { message, call, _ in
                    if let message, let call {
                        Unmanaged<DBusPendingCall>.fromOpaque(call).takeUnretainedValue().settle(message)
                    }
                    // Positive: sd_bus_process does not return the message as well.
                    return 1
                }, Unmanaged.passUnretained(self).toOpaque(), microseconds))
    }

    private func settle(_ message: OpaquePointer) {
        loop.forget(waiter.id)
        do throws(DBusError) { waiter.succeed(try values(of: message)) } catch { waiter.fail(error) }
    }

    /// The values of the answer.
    ///
    /// - Throws: ``DBusError`` with `refused`, `timeout`, `disconnected`, `wrong-type` or `too-large`.
    private func values(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
        guard let error = sd_bus_message_get_error(message) else { return try DBusReader.body(of: message) }
        let name = error.pointee.name.map { String(cString: $0) } ?? ""
        // The library gives this answer itself to a call whose connection is lost or whose time is up.
        if name == SD_BUS_ERROR_NO_REPLY {
            guard sd_bus_is_open(loop.bus) > 0 else { throw loop.error(ECONNRESET) }
            guard deadline > .now else {
                throw DBusError(.timeout, reason: "\(call.name) was not answered in time")
            }
        }
        let text = error.pointee.message.map { String(cString: $0) } ?? ""
        let details = (try? DBusReader.body(of: message)) ?? []
        throw DBusError(.refused, reason: reason(name, text), name: name, details: details)
    }

    /// A peer's error as one line of bounded length.
    private func reason(_ name: String, _ text: String) -> String {
        let said = text.isEmpty ? name : "\(name): \(text)"
        let line = said.unicodeScalars.prefix(Self.longestReason).map { $0.isInvisible ? " " : Character($0) }
        return "\(call.member) was refused: \(String(line))"
    }
}
