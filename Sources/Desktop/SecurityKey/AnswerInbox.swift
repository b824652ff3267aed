internal import CTAP
internal import LinuxSupport
internal import Synchronization
internal import SystemPackage

/// Messages from the tasks of requests to the thread of a key's reports.
final class AnswerInbox: Sendable {
    enum Message: Sendable {
        /// The status of keep-alives from now on.
        case status(CTAPHIDKeepAliveStatus, CTAPHIDDevice.Request.ID)
        /// The application has returned.
        case answer([UInt8], CTAPHIDDevice.Request.ID)
    }

    private struct State {
        var messages: [Message] = []
        var isStopped = false
    }

    private let pipe: WakePipe
    private let state = Mutex(State())

    /// Makes an empty one.
    ///
    /// - Throws: `Errno` if the system has no file left.
    init() throws(Errno) { pipe = try WakePipe() }

    /// Readable while there is something.
    var file: Int32 { pipe.file }

    /// Leaves a message.
    func put(_ message: Message) {
        state.withLock { $0.messages.append(message) }
        pipe.signal()
    }

    /// Tells the thread to end.
    func stop() {
        state.withLock { $0.isStopped = true }
        pipe.signal()
    }

    /// Takes all messages; nil if the thread must end.
    func take() -> [Message]? {
        pipe.drain()
        return state.withLock { state in
            defer { state.messages = [] }
            return state.isStopped ? nil : state.messages
        }
    }
}
