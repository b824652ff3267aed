internal import Synchronization

/// Watches logind: the session's lock, and sleep, which it delays until it is allowed.
///
/// Source: org.freedesktop.login1(5); systemd's "Inhibitor Locks".
final class LoginWatch: Sendable {
    private static let service = "logind"
    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let answerLimit = Duration.seconds(10)

    private struct State {
        var connection: DBusConnection?
        /// The session's object; nil if this process belongs to none.
        var session: String?
        /// Delays sleep as long as it is open.
        var inhibitor: DBusFile?
        var isClosed = false
    }

    private let watch = DBusNameWatch(name)
    private let report: @Sendable (SessionEvent) -> Void
    private let state = Mutex(State())

    private init(_ report: @escaping @Sendable (SessionEvent) -> Void) { self.report = report }

    /// Begins to watch.
    ///
    /// - Parameter address: the system bus; nil for this machine's.
    /// - Returns: the watch, and the reasons for which it does not see some events.
    /// - Throws: ``DesktopSessionError``.
    static func start(
        on address: DBusAddress?, _ report: @escaping @Sendable (SessionEvent) -> Void
    ) async throws(DesktopSessionError) -> (watch: LoginWatch, obstacles: [DesktopSessionError]) {
        let login = LoginWatch(report)
        let connection: DBusConnection
        do throws(DBusError) {
            let address = if let address { address } else { try DBusAddress.system() }
            connection = try await DBusConnection.open(address) { login.receive($0) }
            login.state.withLock { $0.connection = connection }
        } catch {
            throw DesktopSessionError(error, of: service)
        }
        do throws(DBusError) {
            guard try await login.watch.start(over: connection) != nil else {
                throw DBusError(.refused, reason: "it does not run", name: DBusError.Name.nameHasNoOwner)
            }
            try await connection.subscribe(
                to: "type='signal',sender='\(name)',interface='\(manager)',member='PrepareForSleep'")
            try await connection.subscribe(
                to: "type='signal',sender='\(name)',interface='\(manager)',member='SessionRemoved'")
        } catch {
            await login.close()
            throw DesktopSessionError(error, of: service)
        }
        var obstacles: [DesktopSessionError] = []
        do throws(DBusError) {
            try await login.delaySleep()
        } catch {
            obstacles.append(DesktopSessionError(error, of: "\(service), sleep cannot be delayed"))
        }
        do throws(DBusError) {
            try await login.watchSession(over: connection)
        } catch {
            obstacles.append(DesktopSessionError(error, of: "\(service), the session's lock cannot be watched"))
        }
        return (login, obstacles)
    }

    func allowSleep() { state.withLock { $0.inhibitor = nil } }

    func close() async {
        let connection = state.withLock { state in
            state.isClosed = true
            state.inhibitor = nil
            return state.connection
        }
        await connection?.close()
    }

    private func watchSession(over connection: DBusConnection) async throws(DBusError) {
        // The process's own session, or the user's: a service of the user's is in none.
        let answer = try await connection.call(
            DBusCall("GetSession", of: Self.manager, at: Self.path, in: Self.name, [.string("auto")]),
            within: Self.answerLimit)
        guard let path = answer.first?.pathValue else {
            throw DBusError(.wrongType, reason: "GetSession returned something other than a path")
        }
        state.withLock { $0.session = path }
        for interface in [Self.session, Self.properties] {
            try await connection.subscribe(
                to: "type='signal',sender='\(Self.name)',interface='\(interface)',path='\(path)'")
        }
        let hint = try await connection.call(
            DBusCall(
                "Get", of: Self.properties, at: path, in: Self.name, [.string(Self.session), .string("LockedHint")]),
            within: Self.answerLimit)
        if hint.first?.boolValue == true { report(.screenLocked) }
    }

    private func delaySleep() async throws(DBusError) {
        guard let connection = state.withLock(\.connection) else { return }
        let answer = try await connection.call(
            DBusCall(
                "Inhibit", of: Self.manager, at: Self.path, in: Self.name,
                [.string("sleep"), .string("hybrid"), .string("passkeys are locked first"), .string("delay")]),
            within: Self.answerLimit)
        guard let file = answer.first?.fileValue else {
            throw DBusError(.wrongType, reason: "Inhibit returned something other than a file")
        }
        state.withLock { if !$0.isClosed { $0.inhibitor = file } }
    }

    /// Delays the next sleep, after this one or for a new logind.
    private func delaySleepAgain() {
        Task {
            do throws(DBusError) {
                try await delaySleep()
            } catch {
                guard error.code != .disconnected else { return }
                report(.lost(DesktopSessionError(error, of: Self.service).code, reason: error.reason))
            }
        }
    }

    private func receive(_ event: DBusConnection.Event) {
        switch event {
        case .ended(let error):
            guard !state.withLock(\.isClosed) else { return }
            report(.lost(.lost, reason: error.reason))
        case .signal(let signal):
            if watch.receive(signal) {
                if watch.owner == nil {
                    report(.lost(.lost, reason: "logind has ended"))
                } else {
                    delaySleepAgain()
                }
            } else if watch.isSender(of: signal) {
                take(signal)
            }
        }
    }

    private func take(_ signal: DBusMessage) {
        let session = state.withLock(\.session)
        switch (signal.interface, signal.member) {
        case (Self.manager, "PrepareForSleep"):
            switch signal.body.first?.boolValue {
            case true: report(.sleeping)
            case false:
                report(.woken)
                delaySleepAgain()
            case nil: break
            }
        case (Self.manager, "SessionRemoved"):
            if signal.body.count == 2, let path = signal.body[1].pathValue, path == session { report(.sessionEnded) }
        case (Self.session, "Lock") where signal.path == session: report(.screenLocked)
        case (Self.session, "Unlock") where signal.path == session: report(.screenUnlocked)
        case (Self.properties, "PropertiesChanged") where signal.path == session:
            guard signal.body.count == 3, signal.body[0].stringValue == Self.session,
                let isLocked = signal.body[1].dictionaryValue?["LockedHint"]?.boolValue
            else { return }
            report(isLocked ? .screenLocked : .screenUnlocked)
        default: break
        }
    }
}
