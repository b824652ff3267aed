internal import CSystemd
internal import Glibc
internal import Polling

/// The thread that a connection's bus belongs to: it takes wishes, polls, and hands out what comes.
///
/// Answers are matched to calls here, by their serial numbers, and calls of our own methods are answered here, so that the
/// library never calls back: it only reads and writes messages.
final class DBusLoop {
    private let address: DBusAddress
    private let isAnonymous: Bool
    private let inbox: DBusInbox
    private let answer: @Sendable (DBusMessage) -> DBusAnswer
    private let event: @Sendable (DBusConnection.Event) -> Void

    private var bus: OpaquePointer?
    private var isGreeted = false
    private var isReady = false
    private var openers: [DBusTicket] = []
    private var pending: [UInt64: (call: DBusCall, ticket: DBusTicket)] = [:]
    /// Who waits for the end; not empty as soon as the end is wanted.
    private var closers: [CheckedContinuation<Void, Never>] = []

    private init(
        _ address: DBusAddress, anonymously isAnonymous: Bool, _ inbox: DBusInbox,
        _ answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        _ event: @escaping @Sendable (DBusConnection.Event) -> Void
    ) {
        self.address = address
        self.isAnonymous = isAnonymous
        self.inbox = inbox
        self.answer = answer
        self.event = event
    }

    /// Starts the thread. It ends after a wish to close, and only then.
    ///
    /// - Throws: ``DBusError`` with `failed` if the system has no thread left.
    static func start(
        _ address: DBusAddress, anonymously isAnonymous: Bool, _ inbox: DBusInbox,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer,
        on event: @escaping @Sendable (DBusConnection.Event) -> Void
    ) throws(DBusError) {
        do {
            try PollThread.start { DBusLoop(address, anonymously: isAnonymous, inbox, answer, event).run() }
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
            // The owner may not have asked for the end yet; until then it is told what became of the bus.
            while closers.isEmpty {
                PollThread.poll([(inbox.bell.file, POLLIN)])
                for wish in inbox.take() { refuse(wish, with: error) }
            }
        }
        inbox.closeForGood()
        for closer in closers { closer.resume() }
    }

    private func connect() throws(DBusError) {
        try check(sd_bus_new(&bus))
        try check(sd_bus_set_address(bus, address.text))
        try check(sd_bus_set_bus_client(bus, 1))
        if isAnonymous { try check(sd_bus_set_anonymous(bus, 1)) }
        try check(sd_bus_start(bus))
    }

    /// Takes what is there, then sleeps until there is more.
    private func turn() throws(DBusError) {
        for wish in inbox.take() { try take(wish) }
        tellLate()
        guard closers.isEmpty else { return }
        if !isGreeted { guard try waitForGreeting() else { return } }
        guard try !processOne() else { return }
        var libraryLimit: UInt64 = 0
        try check(sd_bus_get_timeout(bus, &libraryLimit))
        let file = try check(sd_bus_get_fd(bus))
        let events = try check(sd_bus_get_events(bus))
        PollThread.poll([(inbox.bell.file, POLLIN), (file, events)], atMost: nearestDeadline(libraryLimit))
    }

    /// Sleeps if the bus has not said yet that it lets us in.
    ///
    /// - Returns: whether the library may read what has come.
    private func waitForGreeting() throws(DBusError) -> Bool {
        let file = try check(sd_bus_get_fd(bus))
        switch DBusGreeting.look(at: file) {
        // Elsewhere than on this machine, the library may still have to connect.
        case .awaited where address.isRemote: return true
        case .awaited: PollThread.poll([(inbox.bell.file, POLLIN), (file, POLLIN)], atMost: nearestDeadline(.max))
        case .begun:
            let ends = PollThread.poll(
                [(inbox.bell.file, POLLIN), (file, DBusGreeting.hangUp)], atMost: DBusGreeting.pause)
            return ends[1] != 0
        case .complete:
            isGreeted = true
            return true
        case .overrun: throw DBusError(.failed, reason: "the \(address.bus) says more than its greeting")
        }
        return false
    }

    private func take(_ wish: DBusInbox.Wish) throws(DBusError) {
        switch wish {
        case .open(let ticket):
            if isReady { ticket.settle(.success([])) } else { openers.append(ticket) }
        case .call(let call, let ticket): send(call, ticket)
        case .close(let done): closers.append(done)
        case .look: break
        }
    }

    private func refuse(_ wish: DBusInbox.Wish, with error: DBusError) {
        switch wish {
        case .open(let ticket), .call(_, let ticket): ticket.settle(.failure(error))
        case .close(let done): closers.append(done)
        case .look: break
        }
    }

    private func send(_ call: DBusCall, _ ticket: DBusTicket) {
        do throws(DBusError) {
            var message: OpaquePointer?
            defer { sd_bus_message_unref(message) }
            try check(
                sd_bus_message_new_method_call(
                    bus, &message, call.destination, call.path, call.interface, call.member))
            guard let message else { return }
            try check(sd_bus_message_set_auto_start(message, call.startsService ? 1 : 0))
            for value in call.body { try value.append(to: message) }
            var serial: UInt64 = 0
            try check(sd_bus_send(bus, message, &serial))
            pending[serial] = (call, ticket)
        } catch {
            ticket.settle(.failure(error))
        }
    }

    /// Takes one message or does one step of the way in.
    ///
    /// - Returns: false if there was nothing to do.
    private func processOne() throws(DBusError) -> Bool {
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        let result = try check(sd_bus_process(bus, &message))
        if !isReady, sd_bus_is_ready(bus) > 0 {
            isReady = true
            for opener in openers { opener.settle(.success([])) }
            openers = []
        }
        if let message { handle(message) }
        return result > 0
    }

    private func handle(_ message: OpaquePointer) {
        var type: UInt8 = 0
        guard sd_bus_message_get_type(message, &type) >= 0 else { return }
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_METHOD_RETURN), Int(SD_BUS_MESSAGE_METHOD_ERROR): settle(message)
        case Int(SD_BUS_MESSAGE_METHOD_CALL): reply(to: message)
        case Int(SD_BUS_MESSAGE_SIGNAL):
            // A signal that breaks our bounds is lost like one that was never sent.
            if let signal = try? DBusMessage(reading: message) { event(.signal(signal)) }
        default: break
        }
    }

    private func settle(_ message: OpaquePointer) {
        var serial: UInt64 = 0
        guard sd_bus_message_get_reply_cookie(message, &serial) >= 0,
            let (call, ticket) = pending.removeValue(forKey: serial)
        else { return }
        if let error = sd_bus_message_get_error(message) {
            let name = error.pointee.name.map { String(cString: $0) } ?? ""
            let text = error.pointee.message.map { String(cString: $0) } ?? ""
            ticket.settle(.failure(DBusError(.refused, reason: Self.line(text, of: call, name), name: name)))
            return
        }
        do throws(DBusError) {
            ticket.settle(.success(try DBusReader.body(of: message)))
        } catch {
            ticket.settle(.failure(error))
        }
    }

    private func reply(to message: OpaquePointer) {
        let outcome: DBusAnswer
        do throws(DBusError) {
            outcome = answer(try DBusMessage(reading: message))
        } catch {
            outcome = .refusal(name: SD_BUS_ERROR_INVALID_ARGS, text: error.reason)
        }
        var reply: OpaquePointer?
        defer { sd_bus_message_unref(reply) }
        switch outcome {
        case .reply(let values):
            guard sd_bus_message_new_method_return(message, &reply) >= 0, let reply else { return }
            do throws(DBusError) { for value in values { try value.append(to: reply) } } catch { return }
        case .refusal(let name, let text):
            var error = sd_bus_error()
            defer { sd_bus_error_free(&error) }
            sd_bus_error_set(&error, name, text)
            guard sd_bus_message_new_method_error(message, &reply, &error) >= 0 else { return }
        }
        // Nobody waits for our answer's fate.
        sd_bus_send(bus, reply, nil)
    }

    /// Tells those whose time is up or who no longer wait.
    private func tellLate() {
        let now = ContinuousClock.now
        for (serial, (call, ticket)) in pending {
            guard let error = Self.lateness(ticket, now, "\(call.name) was not answered in time") else { continue }
            pending[serial] = nil
            ticket.settle(.failure(error))
        }
        openers.removeAll { ticket in
            guard let error = Self.lateness(ticket, now, "the \(address.bus) did not let us in in time") else {
                return false
            }
            ticket.settle(.failure(error))
            return true
        }
    }

    private static func lateness(_ ticket: DBusTicket, _ now: ContinuousClock.Instant, _ reason: String) -> DBusError? {
        if ticket.isCancelled { return DBusError(.cancelled, reason: "cancelled") }
        return ticket.deadline <= now ? DBusError(.timeout, reason: reason) : nil
    }

    private func end(_ error: DBusError) {
        let wasReady = isReady
        sd_bus_close_unref(bus)
        bus = nil
        for opener in openers { opener.settle(.failure(error)) }
        for (_, ticket) in pending.values { ticket.settle(.failure(error)) }
        openers = []
        pending = [:]
        if wasReady { event(.ended(error)) }
    }

    /// The nearest of all deadlines; the library's is in microseconds of the monotonic clock, all ones for none.
    private func nearestDeadline(_ libraryLimit: UInt64) -> Duration? {
        let tickets = openers + pending.values.map(\.ticket)
        var nearest = tickets.map { $0.deadline - ContinuousClock.now }.min()
        if libraryLimit != .max {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let passed = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
            let rest = Duration.microseconds(Int64(clamping: libraryLimit)) - passed
            nearest = min(nearest ?? rest, rest)
        }
        return nearest.map { max($0, .zero) }
    }

    @discardableResult
    private func check(_ result: Int32) throws(DBusError) -> Int32 {
        guard result < 0 else { return result }
        let text = SystemText.error(-result)
        switch -result {
        case EPERM, EACCES: throw DBusError(.notPermitted, reason: "the \(address.bus) refused us: \(text)")
        case EINVAL where !isReady:
            throw DBusError(.invalidAddress, reason: "the \(address.bus)'s address is no use: \(text)")
        case _ where !isReady: throw DBusError(.noBus, reason: "there is no \(address.bus) at \(address.text): \(text)")
        case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN:
            throw DBusError(.disconnected, reason: "the connection to the \(address.bus) ended: \(text)")
        default: throw DBusError(.failed, reason: "the \(address.bus) cannot be used: \(text)")
        }
    }

    private static let longestReason = 300

    /// A peer's error as one line of bounded length.
    private static func line(_ text: String, of call: DBusCall, _ name: String) -> String {
        let said = text.isEmpty ? name : "\(name): \(text)"
        let line = String(said.unicodeScalars.prefix(longestReason).map { $0.value < 32 ? " " : Character($0) })
        return "\(call.member) was refused: \(line)"
    }
}
