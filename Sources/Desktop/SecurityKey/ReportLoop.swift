package import CTAP
internal import Encodings
internal import Glibc
internal import LinuxSupport
package import PasskeyAuthenticator
internal import Synchronization
internal import SystemPackage

/// The thread of a security key: reports in, reports out, and requests to the application.
///
/// Reports go out no faster than programs fetch them from the kernel, which holds 64 for each and drops the rest.
/// While as many wait as one message can have, no further reports are taken in: a program that floods the key fills the
/// kernel's queue, and not this process's memory.
struct ReportLoop: Sendable {
    /// The end of a loop.
    struct End: Sendable {
        /// The reason; nil if it was told to end.
        let failure: SecurityKeyError?
        /// The request that was being answered.
        let lastRequest: Task<Void, Never>?
    }

    /// The time between two reports: that of many keys on a bus.
    static let pace = Duration.milliseconds(4)
    /// The reports that may wait to be sent while others are taken in.
    static let maxPendingCount = 129
    /// The reports that are taken in before time counts again: the kernel's queue.
    private static let maxBatch = 32

    private struct Running {
        let id: CTAPHIDDevice.Request.ID
        let task: Task<Void, Never>
    }

    private let channel: any ReportChannel
    private let application: any SecurityKeyApplication
    private let inbox: AnswerInbox
    private let start: @Sendable () -> Void
    private let wink: @Sendable () -> Void
    private var device: CTAPHIDDevice
    private var pending: ArraySlice<[UInt8]> = []
    private var nextReport = Duration.zero
    private var running: Running?
    private let origin = ContinuousClock.now

    init(
        channel: any ReportChannel, application: any SecurityKeyApplication, inbox: AnswerInbox,
        device: CTAPHIDDevice, start: @escaping @Sendable () -> Void, wink: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.application = application
        self.inbox = inbox
        self.device = device
        self.start = start
        self.wink = wink
    }

    /// Runs until it is told to end, or the channel ends.
    consuming func run() -> End {
        do throws(SecurityKeyError) {
            while let messages = inbox.take() {
                for message in messages { receive(message) }
                try takeReports()
                carryOut(device.advance(to: now))
                try sendReport()
                PollThread.poll(
                    [(inbox.file, Int32(POLLIN)), (takesReports ? channel.file : -1, Int32(POLLIN))], atMost: limit)
            }
            return End(failure: nil, lastRequest: running?.task)
        } catch {
            return End(failure: error, lastRequest: running?.task)
        }
    }

    private var now: Duration { origin.duration(to: .now) }

    private var takesReports: Bool { pending.count < Self.maxPendingCount }

    /// The longest time until there is something to do; nil if only events matter.
    private var limit: Duration? {
        let next = [pending.isEmpty ? nil : nextReport, device.deadline].compactMap { $0 }.min()
        return next.map { max(.zero, $0 - now) }
    }

    /// The time at which a report came that was found in a queue: however late this process is, its message was not
    /// given up before.
    private var arrival: Duration { device.messageDeadline.map { min(now, $0 - .milliseconds(1)) } ?? now }

    private mutating func takeReports() throws(SecurityKeyError) {
        for _ in 0..<Self.maxBatch where takesReports {
            guard let event = try channel.next() else { return }
            switch event {
            case .started: start()
            case .report(let report): carryOut(device.receive(report, at: arrival))
            case .closed: carryOut(device.close())
            case .other: break
            }
        }
    }

    private mutating func sendReport() throws(SecurityKeyError) {
        guard let report = pending.first, nextReport <= now else { return }
        if try channel.send(report) { pending = pending.dropFirst() }
        nextReport = now + Self.pace
    }

    private mutating func receive(_ message: AnswerInbox.Message) {
        switch message {
        case .status(let status, let id): carryOut(device.setStatus(status, of: id, at: now))
        case .answer(let response, let id):
            running = nil
            carryOut(device.answer(id, with: response, at: now))
        }
    }

    private mutating func carryOut(_ actions: [CTAPHIDDevice.Action]) {
        for action in actions {
            switch action {
            case .send(let report): pending.append(report)
            // There is none before it: the device has waited for its answer.
            case .process(let request): answer(request)
            case .cancel(let id), .abandon(let id): if running?.id == id { running?.task.cancel() }
            case .wink: wink()
            }
        }
    }

    private mutating func answer(_ request: CTAPHIDDevice.Request) {
        let id = request.id
        let task = Task { [application, inbox] in
            let sorted = SortedRequest.sorted(request.payload)
            let response = await application.respond(to: sorted) { inbox.put(.status($0, id)) }
            inbox.put(.answer(response, id))
        }
        running = Running(id: id, task: task)
    }
}

/// Requests of programs, in CTAP2's order.
enum SortedRequest {
    /// Puts the keys of a request's maps in order.
    ///
    /// USB keys take them in any, and Firefox relies on it: the options of its sign-ins are `uv`, `up`
    /// (authenticator-rs, commands/get_assertion.rs; seen with Firefox 153). The application behind a key is strict.
    ///
    /// - Parameter request: the command byte and its CBOR.
    /// - Returns: the request in order; as it is if something else is wrong with it, for its reader to say.
    static func sorted(_ request: [UInt8]) -> [UInt8] {
        guard let command = request.first,
            let parameters = try? CBORValue.decodeLenient(request.span.extracting(droppingFirst: 1))
        else { return request }
        let sorted = [command] + parameters.encoded()
        // Another length is another encoding, or a key that stands twice.
        return sorted.count == request.count ? sorted : request
    }
}

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

/// Application behind a security key: answers one CTAP request at a time.
package protocol SecurityKeyApplication: Sendable {
    /// Answers a request.
    ///
    /// Cancelling the task is CTAPHID_CANCEL, or says that nobody waits for the answer any more: then it returns soon,
    /// with `CTAP2_ERR_KEEPALIVE_CANCEL`. It is not called again before it has returned.
    ///
    /// - Parameters:
    ///   - request: the command byte and its CBOR, 1 to 7,609 bytes.
    ///   - status: sets the status in later keep-alives; it is `processing` at first. It does not wait.
    /// - Returns: the status byte and its CBOR, 1 to 7,609 bytes.
    func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void
    ) async -> [UInt8]
}

/// Passkeys of this machine behind a security key: the authenticator as it is everywhere, reached by USB.
extension PasskeyAuthenticator: SecurityKeyApplication {}
