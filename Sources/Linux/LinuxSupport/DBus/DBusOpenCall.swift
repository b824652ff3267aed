internal import CLinux

/// A call of one of our own methods whose answer takes time. It belongs to the connection's thread.
final class DBusOpenCall {
    typealias ID = Int

    /// The call's message, which is held.
    let message: OpaquePointer
    /// The caller's unique name.
    let sender: String
    /// The work that leads to the answer.
    let task: Task<Void, Never>

    init(_ message: OpaquePointer, from sender: String, task: Task<Void, Never>) {
        _ = sd_bus_message_ref(message)
        self.message = message
        self.sender = sender
        self.task = task
    }

    deinit { _ = sd_bus_message_unref(message) }
}

/// The calls of our own methods whose answers take time, a bounded number of them.
struct DBusOpenCalls {
    /// The most that wait at a time, and the most of one caller.
    private static let maxCount = 64
    private static let maxCountOfSender = 8

    private var calls: [DBusOpenCall.ID: DBusOpenCall] = [:]
    private var count = 0

    /// Keeps a call, and starts the work.
    ///
    /// - Returns: false if there are too many.
    mutating func add(
        _ message: OpaquePointer, from sender: String, start: (DBusOpenCall.ID) -> Task<Void, Never>
    ) -> Bool {
        guard calls.count < Self.maxCount, calls.values.count(where: { $0.sender == sender }) < Self.maxCountOfSender
        else { return false }
        count &+= 1
        calls[count] = DBusOpenCall(message, from: sender, task: start(count))
        return true
    }

    /// Takes out a call that is answered; nil if nobody waits for it any more.
    mutating func take(_ id: DBusOpenCall.ID) -> DBusOpenCall? { calls.removeValue(forKey: id) }

    /// Ends the work for a caller that has left the bus.
    mutating func cancel(from sender: String) {
        for (id, call) in calls where call.sender == sender {
            call.task.cancel()
            calls[id] = nil
        }
    }

    /// Ends all work.
    mutating func cancelAll() {
        for call in calls.values { call.task.cancel() }
        calls = [:]
    }
}
