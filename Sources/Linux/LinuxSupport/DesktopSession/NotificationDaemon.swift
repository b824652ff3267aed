internal import Synchronization

/// The desktop's notification daemon, for notifications that wait for an answer.
///
/// Signals count only from the daemon's unique name, and for the identifier of the notification. A pressed button is a
/// wish of the user at the screen, and no approval: the user is asked for that.
///
/// Source: the Desktop Notifications Specification 1.2 (freedesktop.org); observed with dunst 1.9.
package final class NotificationDaemon: Sendable {
    private static let service = "the notification daemon"
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let applicationName = "hybrid"
    /// Longest time for a daemon to start, or to answer.
    private static let answerLimit = Duration.seconds(10)
    /// Longest time for a notification to be taken away.
    private static let tidyingLimit = Duration.seconds(3)

    private let connection: DBusConnection
    private let watch: DBusNameWatch
    private let events: NotificationEvents

    private init(_ connection: DBusConnection, _ watch: DBusNameWatch, _ events: NotificationEvents) {
        self.connection = connection
        self.watch = watch
        self.events = events
    }

    /// Connects to the session bus. Nothing is shown, and no daemon is started.
    ///
    /// - Parameter address: the bus; nil for the session's.
    /// - Throws: ``DesktopSessionError`` `no-bus`, `service-failed` or `cancelled`.
    package static func connect(
        to address: DBusAddress? = nil
    ) async throws(DesktopSessionError) -> NotificationDaemon {
        let watch = DBusNameWatch(name)
        let events = NotificationEvents(watch)
        do throws(DBusError) {
            let address = if let address { address } else { try DBusAddress.session() }
            let connection = try await DBusConnection.open(address) { events.receive($0) }
            do throws(DBusError) {
                try await watch.start(over: connection)
                try await connection.subscribe(
                    to: "type='signal',sender='\(name)',interface='\(name)',path='\(path)'")
            } catch {
                await connection.close()
                throw error
            }
            return NotificationDaemon(connection, watch, events)
        } catch {
            throw DesktopSessionError(error, of: service)
        }
    }

    /// Ends the connection. Notifications that are shown then are answered with ``DesktopSessionError`` `lost`.
    package func close() async { await connection.close() }

    /// Shows a notification, and waits for its end. It is taken away when the time is up, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - notification: the notification to show.
    ///   - limit: the longest time for which it is shown.
    ///   - timer: ends that time.
    /// - Throws: ``DesktopSessionError`` `no-service`, `lost`, `service-failed` or `cancelled`.
    package func ask(
        _ notification: DesktopNotification, within limit: Duration, on timer: DeadlineTimer = .continuous
    ) async throws(DesktopSessionError) -> DesktopNotification.Answer {
        let start = timer.now
        let owner: String
        let (events, subscription) = events.subscribe()
        defer { self.events.end(subscription) }
        let id: UInt32
        do throws(DBusError) {
            owner = try await startedOwner()
            id = try await show(notification, at: owner, within: limit)
        } catch {
            throw DesktopSessionError(error, of: Self.service)
        }
        do {
            let answer = try await timer.within(limit, since: start, endedBy: { self.events.end(subscription) }) {
                try await Self.answer(to: id, from: owner, in: events)
            }
            // Pressing a button need not close it.
            if answer != .dismissed, answer != .closed { await takeAway(id, at: owner) }
            return answer
        } catch let error as DesktopSessionError {
            if error.code == .cancelled { await takeAway(id, at: owner) }
            throw error
        } catch {
            await takeAway(id, at: owner)
            return .expired
        }
    }

    /// The daemon's unique name; it is started if need be.
    private func startedOwner() async throws(DBusError) -> String {
        if let owner = watch.owner { return owner }
        try await connection.call(
            DBusBus.call("StartServiceByName", [.string(Self.name), .uint32(0)]), within: Self.answerLimit)
        let answer = try await connection.call(DBusBus.call("GetNameOwner", [.string(Self.name)]))
        guard let owner = answer.first?.stringValue else {
            throw DBusError(.wrongType, reason: "GetNameOwner returned something other than a name")
        }
        return owner
    }

    private func show(
        _ notification: DesktopNotification, at owner: String, within limit: Duration
    ) async throws(DBusError) -> UInt32 {
        let answer = try await connection.call(call("GetCapabilities", at: owner), within: Self.answerLimit)
        let capabilities = Set(answer.first?.stringsValue ?? [])
        let hasButtons = capabilities.contains("actions")
        var body = notification.body
        if !hasButtons { body += (body.isEmpty ? "" : "\n") + notification.withoutButtons }
        // Without the capability a daemon shows a text as it is.
        if capabilities.contains("body-markup") { body = Self.escapedForMarkup(body) }
        let buttons = [
            NotificationEvents.answerKey, notification.answerLabel, NotificationEvents.refuseKey,
            notification.refuseLabel, NotificationEvents.defaultKey, notification.answerLabel,
        ]
        let milliseconds = Int32(clamping: max(limit.components.seconds, 1) &* 1_000)
        let notify = call(
            "Notify", at: owner,
            [
                .string(Self.applicationName), .uint32(0), .string("dialog-password"), .string(notification.summary),
                .string(body), hasButtons ? .array(buttons.map(DBusValue.string)) : .emptyArray(of: "s"),
                .dictionary(["urgency": .byte(notification.isUrgent ? 2 : 1), "transient": .bool(true)]),
                .int32(milliseconds),
            ])
        // A cancelled call is carried out: without its answer there is no way to take the notification away.
        let id = await Task { [connection] () -> Result<UInt32, DBusError> in
            do throws(DBusError) {
                guard let id = try await connection.call(notify, within: Self.answerLimit).first?.uint32Value, id > 0
                else {
                    throw DBusError(.wrongType, reason: "Notify returned an unexpected type")
                }
                return .success(id)
            } catch {
                return .failure(error)
            }
        }.value
        return try id.get()
    }

    private static func answer(
        to id: UInt32, from owner: String, in events: AsyncStream<NotificationEvents.Event>
    ) async throws(DesktopSessionError) -> DesktopNotification.Answer {
        for await event in events {
            switch event {
            case .answered(id, let answer, owner): return answer
            case .answered: continue
            case .lost(let reason): throw DesktopSessionError(.lost, reason: "\(service): \(reason)")
            }
        }
        throw DesktopSessionError(.cancelled, reason: "cancelled")
    }

    /// Takes a notification away, whatever becomes of the calling task.
    private func takeAway(_ id: UInt32, at owner: String) async {
        let call = call("CloseNotification", at: owner, [.uint32(id)])
        // One that is gone already is refused.
        _ = await Task { [connection] in try? await connection.call(call, within: Self.tidyingLimit) }.value
    }

    private func call(_ member: String, at owner: String, _ body: [DBusValue] = []) -> DBusCall {
        DBusCall(member, of: Self.name, at: Self.path, in: owner, body)
    }

    private static func escapedForMarkup(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}

/// Signals of the notification daemon, from the bus's thread to the tasks that wait for an answer.
final class NotificationEvents: Sendable {
    enum Event: Sendable {
        /// A notification's end, and who says so.
        case answered(UInt32, DesktopNotification.Answer, by: String)
        /// The daemon or the bus is gone.
        case lost(String)
    }

    static let answerKey = "answer"
    static let refuseKey = "refuse"
    /// The key of a click on the notification itself.
    static let defaultKey = "default"
    private static let interface = "org.freedesktop.Notifications"
    /// The most events that wait for one task; any more are dropped.
    private static let capacity = 256

    private struct State {
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var count = 0
        /// The bus is gone.
        var end: Event?
    }

    private let watch: DBusNameWatch
    private let state = Mutex(State())

    init(_ watch: DBusNameWatch) { self.watch = watch }

    /// Events from now on.
    func subscribe() -> (AsyncStream<Event>, Int) {
        let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
        let number = state.withLock { state in
            state.count += 1
            state.continuations[state.count] = continuation
            if let end = state.end { continuation.yield(end) }
            return state.count
        }
        return (events, number)
    }

    /// Ends a subscription.
    func end(_ subscription: Int) { state.withLock { $0.continuations.removeValue(forKey: subscription) }?.finish() }

    /// Takes an event of the bus, on its thread.
    func receive(_ event: DBusConnection.Event) {
        switch event {
        case .ended(let error):
            let end = Event.lost(error.reason)
            state.withLock { $0.end = end }
            tell(end)
        case .signal(let signal):
            let isRunning = watch.owner != nil
            if watch.receive(signal) {
                if isRunning { tell(.lost("it has ended")) }
            } else if watch.isSender(of: signal), let event = Self.event(of: signal) {
                tell(event)
            }
        }
    }

    private func tell(_ event: Event) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    private static func event(of signal: DBusMessage) -> Event? {
        guard signal.interface == interface, signal.body.count == 2, let id = signal.body[0].uint32Value else {
            return nil
        }
        switch (signal.member, signal.body[1]) {
        case ("ActionInvoked", .string(answerKey)), ("ActionInvoked", .string(defaultKey)):
            return .answered(id, .answer, by: signal.sender)
        case ("ActionInvoked", .string(refuseKey)): return .answered(id, .refuse, by: signal.sender)
        case ("NotificationClosed", .uint32(let reason)):
            let answer: DesktopNotification.Answer =
                switch reason {
                case 1: .expired
                case 2: .dismissed
                default: .closed
                }
            return .answered(id, answer, by: signal.sender)
        default: return nil
        }
    }
}
