internal import CLinux
internal import Glibc
internal import SystemPackage

/// The thread that a connection's bus belongs to: it takes commands, polls, and delivers messages.
///
/// The library matches answers to calls: see ``DBusPendingCall``. It leaves signals, and calls of our own methods, to
/// this loop.
final class DBusLoop {
    /// Longest time that the bus may take to accept us.
    private static let openLimit = Duration.seconds(10)
    private let address: DBusAddress
    private let isAnonymous: Bool
    private let inbox: DBusInbox
    private let answer: @Sendable (DBusMessage) -> DBusAnswer
    private let event: @Sendable (DBusConnection.Event) -> Void
    private let openDeadline = ContinuousClock.now + openLimit

    private(set) var bus: OpaquePointer?
    private var isAuthenticated = false
    private var isReady = false
    private var openers: [DBusWaiter] = []
    private var pending: [DBusWaiter.ID: DBusPendingCall] = [:]
    /// Calls of our own methods whose answers take time.
    private var openCalls = DBusOpenCalls()
    /// The tasks that wait for the end; not empty as soon as the end is wanted.
    private var closers: [CheckedContinuation<Void, Never>] = []

    private init(
        address: DBusAddress, isAnonymous: Bool, inbox: DBusInbox,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        event: @escaping @Sendable (DBusConnection.Event) -> Void
    ) {
        self.address = address
        self.isAnonymous = isAnonymous
        self.inbox = inbox
        self.answer = answer
        self.event = event
    }

    /// Starts the thread. It ends after a command to close, and only then.
    ///
    /// - Throws: ``DBusError`` with `failed` if the system has no thread left.
    static func start(
        _ address: DBusAddress, anonymously isAnonymous: Bool, _ inbox: DBusInbox,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        on event: @escaping @Sendable (DBusConnection.Event) -> Void
    ) throws(DBusError) {
        do {
            try PollThread.start {
                DBusLoop(address: address, isAnonymous: isAnonymous, inbox: inbox, answer: answer, event: event).run()
            }
        } catch {
            throw DBusError(.failed, reason: "no thread is left: \(error)")
        }
    }

    private func run() {
        do throws(DBusError) {
            try connect()
            while closers.isEmpty { try turn() }
            end(DBusError(.disconnected, reason: "the connection was closed"))
        } catch {
            end(error)
            // Until the owner closes the connection, its commands fail by the error that ended the bus.
            while closers.isEmpty {
                PollThread.poll([(inbox.wakePipe.file, POLLIN)])
                for command in inbox.take() {
                    if case .close(let done) = command { closers.append(done) } else { command.refuse(with: error) }
                }
            }
        }
        inbox.closeForGood()
        for closer in closers { closer.resume() }
    }

    private func connect() throws(DBusError) {
        guard SystemdLibrary.isAvailable else {
            throw DBusError(.noBus, reason: SystemdLibrary.absence)
        }
        try check(sd_bus_new(&bus))
        try check(sd_bus_set_address(bus, address.text))
        try check(sd_bus_set_bus_client(bus, 1))
        if isAnonymous { try check(sd_bus_set_anonymous(bus, 1)) }
        try check(sd_bus_start(bus))
    }

    /// Takes the waiting commands and a message; without a message, sleeps until there is input.
    private func turn() throws(DBusError) {
        for command in inbox.take() { take(command) }
        guard closers.isEmpty else { return }
        guard isReady || openDeadline > .now else {
            throw DBusError(.timeout, reason: "the \(address.bus) did not authenticate in time")
        }
        if !isAuthenticated { guard try waitForAuthentication() else { return } }
        guard try !processOne() else { return }
        let file = try check(sd_bus_get_fd(bus))
        let events = try check(sd_bus_get_events(bus))
        PollThread.poll([(inbox.wakePipe.file, POLLIN), (file, events)], atMost: try sleepLimit())
    }

    /// Sleeps if the bus has not answered the authentication yet.
    ///
    /// - Returns: true if the library may read the bytes that have come.
    private func waitForAuthentication() throws(DBusError) -> Bool {
        let file = try check(sd_bus_get_fd(bus))
        switch DBusAuthentication.state(of: file) {
        // Elsewhere than on this machine, the library may still have to connect.
        case .awaited where address.isRemote: return true
        case .awaited: PollThread.poll([(inbox.wakePipe.file, POLLIN), (file, POLLIN)], atMost: try sleepLimit())
        case .partial:
            let ready = PollThread.poll(
                [(inbox.wakePipe.file, POLLIN), (file, DBusAuthentication.peerClosed)],
                atMost: DBusAuthentication.pollInterval)
            return ready[1] != 0
        case .complete:
            isAuthenticated = true
            return true
        case .excess:
            throw DBusError(.failed, reason: "the \(address.bus) sends more than its reply to the authentication")
        }
        return false
    }

    /// Time until the nearest deadline, of opening or of the library; nil for none. The library's is in microseconds of
    /// the monotonic clock, all ones for none.
    private func sleepLimit() throws(DBusError) -> Duration? {
        var libraryDeadline: UInt64 = 0
        try check(sd_bus_get_timeout(bus, &libraryDeadline))
        var limit = isReady ? nil : openDeadline - .now
        if libraryDeadline != .max {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let rest =
                Duration.microseconds(Int64(clamping: libraryDeadline)) - .seconds(now.tv_sec)
                - .nanoseconds(now.tv_nsec)
            limit = min(limit ?? rest, rest)
        }
        return limit.map { max($0, .zero) }
    }

    private func take(_ command: DBusInbox.Command) {
        switch command {
        case .open(let waiter):
            if isReady { waiter.succeed([]) } else { openers.append(waiter) }
        case .call(let call, let limit, let waiter):
            send(DBusPendingCall(call, within: limit, for: waiter, on: self), for: waiter)
        case .cancel(let id): cancel(id)
        case .emit(let signal): emit(signal)
        case .answer(let id, let answer): openCalls.take(id).map { send(answer, to: $0) }
        case .close(let done): closers.append(done)
        }
    }

    private func cancel(_ id: DBusWaiter.ID) {
        forget(id)?.waiter.fail(.cancelled)
        for opener in openers where opener.id == id { opener.fail(.cancelled) }
        openers.removeAll { $0.id == id }
    }

    private func send(_ call: DBusPendingCall, for waiter: DBusWaiter) {
        do throws(DBusError) {
            try call.send()
            pending[waiter.id] = call
        } catch {
            waiter.fail(error)
        }
    }

    /// Takes out a call that was answered or is no longer waited for.
    @discardableResult
    func forget(_ id: DBusWaiter.ID) -> DBusPendingCall? { pending.removeValue(forKey: id) }

    /// Takes one message or does one step of the opening.
    ///
    /// - Returns: false if there was nothing to do.
    private func processOne() throws(DBusError) -> Bool {
        var message: OpaquePointer?
        defer { _ = sd_bus_message_unref(message) }
        let result = try check(sd_bus_process(bus, &message))
        if !isReady, sd_bus_is_ready(bus) > 0 {
            isReady = true
            for opener in openers { opener.succeed([]) }
            openers = []
        }
        if let message { handle(message) }
        return result > 0
    }

    private func handle(_ message: OpaquePointer) {
        var type: UInt8 = 0
        guard sd_bus_message_get_type(message, &type) >= 0 else { return }
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_METHOD_CALL): reply(to: message)
        case Int(SD_BUS_MESSAGE_SIGNAL):
            // A signal that breaks our bounds is lost like one that was never sent.
            guard let signal = try? DBusMessage(reading: message) else { return }
            if let name = DBusBus.leaver(in: signal) { openCalls.cancel(from: name) }
            event(.signal(signal))
        // Among them answers that come too late.
        default: break
        }
    }

    private func reply(to message: OpaquePointer) {
        let call: DBusMessage
        do throws(DBusError) {
            call = try DBusMessage(reading: message)
        } catch {
            return send(.invalidArguments(error.reason), to: message)
        }
        let outcome = answer(call)
        guard case .later(let work) = outcome else { return send(outcome, to: message) }
        let isOpen = openCalls.add(message, from: call.sender) { [inbox] id in
            Task { inbox.put(.answer(id, await work())) }
        }
        if !isOpen { send(.limitsExceeded, to: message) }
    }

    private func send(_ answer: DBusAnswer, to call: DBusOpenCall) { send(answer, to: call.message) }

    /// Answers a call. An answer that cannot be sent is the caller's timeout.
    private func send(_ answer: DBusAnswer, to message: OpaquePointer) {
        // Nobody waits for the answer to a call that wants none.
        guard sd_bus_message_get_expect_reply(message) > 0 else { return }
        var reply: OpaquePointer?
        defer { _ = sd_bus_message_unref(reply) }
        let values: [DBusValue]
        switch answer {
        case .reply(let body):
            guard sd_bus_message_new_method_return(message, &reply) >= 0 else { return }
            values = body
        case .refusal(let name, let text, let details):
            var error = sd_bus_error()
            defer { sd_bus_error_free(&error) }
            _ = sd_bus_error_set(&error, name, text)
            guard sd_bus_message_new_method_error(message, &reply, &error) >= 0 else { return }
            values = details
        // An answer that takes time leads to one that does not.
        case .later: return
        }
        guard let reply else { return }
        do throws(DBusError) { for value in values { try value.append(to: reply) } } catch { return }
        _ = sd_bus_send(bus, reply, nil)
    }

    /// Sends a signal; one that cannot be sent is lost.
    private func emit(_ signal: DBusSignal) {
        var message: OpaquePointer?
        defer { _ = sd_bus_message_unref(message) }
        guard sd_bus_message_new_signal(bus, &message, signal.path, signal.interface, signal.member) >= 0, let message
        else { return }
        do throws(DBusError) { for value in signal.body { try value.append(to: message) } } catch { return }
        _ = sd_bus_send(bus, message, nil)
    }

    private func end(_ error: DBusError) {
        let wasReady = isReady
        openCalls.cancelAll()
        // Without the library there is none.
        if bus != nil { _ = sd_bus_close_unref(bus) }
        bus = nil
        for waiter in openers + pending.values.map(\.waiter) { waiter.fail(error) }
        openers = []
        // With the last of them, which hold the bus, the library frees it.
        pending = [:]
        if wasReady { event(.ended(error)) }
    }

    @discardableResult
    func check(_ result: Int32) throws(DBusError) -> Int32 {
        guard result < 0 else { return result }
        throw error(-result)
    }

    func error(_ number: Int32) -> DBusError {
        let text = Errno(rawValue: number)
        return switch number {
        case EPERM, EACCES: DBusError(.notPermitted, reason: "the \(address.bus) refused us: \(text)")
        case EINVAL where !isReady:
            DBusError(.invalidAddress, reason: "the \(address.bus)'s address cannot be used: \(text)")
        // dbus-daemon disconnects a user whom it does not admit.
        case ECONNRESET where !isReady:
            DBusError(.noBus, reason: "the \(address.bus) at \(address.text) does not admit this user: \(text)")
        case _ where !isReady: DBusError(.noBus, reason: "there is no \(address.bus) at \(address.text): \(text)")
        case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN:
            DBusError(.disconnected, reason: "the connection to the \(address.bus) ended: \(text)")
        default: DBusError(.failed, reason: "the \(address.bus) cannot be used: \(text)")
        }
    }
}
