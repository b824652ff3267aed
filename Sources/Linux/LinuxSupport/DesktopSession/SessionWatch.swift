internal import Synchronization

/// Watches for the moments at which the vault should be locked: the screen's lock, sleep, the session's end.
///
/// logind is watched over the system bus, and the desktops' screen savers over the session bus. Either may be missing;
/// ``obstacles`` says what is not watched then. The events are of one sequence, for one reader.
package final class SessionWatch: AsyncSequence, Sendable {
    package typealias Element = SessionEvent
    /// The most events that wait for the reader: the oldest are dropped, since the newest says how things are.
    private static let capacity = 64

    /// The reasons for which something is not watched; empty if everything is.
    package let obstacles: [DesktopSessionError]
    private let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let login: LoginWatch?
    private let screenSavers: ScreenSaverWatch?

    private init(
        _ events: AsyncStream<SessionEvent>, _ continuation: AsyncStream<SessionEvent>.Continuation,
        login: LoginWatch?, screenSavers: ScreenSaverWatch?, obstacles: [DesktopSessionError]
    ) {
        self.events = events
        self.continuation = continuation
        self.login = login
        self.screenSavers = screenSavers
        self.obstacles = obstacles
    }

    /// Begins to watch. A screen that is locked already is the first event.
    ///
    /// - Parameters:
    ///   - system: the system bus; nil for this machine's.
    ///   - session: the session bus; nil for this session's.
    /// - Throws: ``DesktopSessionError`` if nothing can be watched: `no-bus` or another of its ``obstacles``; or
    ///   `cancelled`.
    package static func start(
        system: DBusAddress? = nil, session: DBusAddress? = nil
    ) async throws(DesktopSessionError) -> SessionWatch {
        let (events, continuation) = AsyncStream<SessionEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(capacity))
        var obstacles: [DesktopSessionError] = []
        var login: LoginWatch?
        var screenSavers: ScreenSaverWatch?
        do throws(DesktopSessionError) {
            let started = try await LoginWatch.start(on: system) { continuation.yield($0) }
            obstacles += started.obstacles
            login = started.watch
        } catch {
            obstacles.append(error)
        }
        do throws(DesktopSessionError) {
            screenSavers = try await ScreenSaverWatch.start(on: session) { continuation.yield($0) }
        } catch {
            obstacles.append(error)
        }
        let watch = SessionWatch(
            events, continuation, login: login, screenSavers: screenSavers, obstacles: obstacles)
        let cancelled = Task.isCancelled ? DesktopSessionError(.cancelled, reason: "cancelled") : nil
        if let error = cancelled ?? (login == nil && screenSavers == nil ? obstacles.first : nil) {
            await watch.close()
            throw error
        }
        return watch
    }

    package func makeAsyncIterator() -> AsyncStream<SessionEvent>.Iterator { events.makeAsyncIterator() }

    /// Lets the machine sleep, now that the vault is locked. To be called after each ``SessionEvent/sleeping``.
    package func allowSleep() { login?.allowSleep() }

    /// Ends the watch, and the sequence.
    package func close() async {
        await login?.close()
        await screenSavers?.close()
        continuation.finish()
    }
}

/// Watches the desktops' screen savers on the session bus.
///
/// Source: the interfaces org.freedesktop.ScreenSaver (KDE) and org.gnome.ScreenSaver, which the others have copied.
final class ScreenSaverWatch: Sendable {
    private static let service = "the screen saver"
    private static let names = [
        "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
        "org.xfce.ScreenSaver",
    ]
    /// Longest time for a screen saver's answer.
    private static let answerLimit = Duration.seconds(3)

    private struct State {
        var connection: DBusConnection?
        var isClosed = false
    }

    private let watches = names.map { DBusNameWatch($0) }
    private let report: @Sendable (SessionEvent) -> Void
    private let state = Mutex(State())

    private init(_ report: @escaping @Sendable (SessionEvent) -> Void) { self.report = report }

    /// Begins to watch. A screen saver may come later, or go.
    ///
    /// - Parameter address: the session bus; nil for this session's.
    /// - Throws: ``DesktopSessionError``.
    static func start(
        on address: DBusAddress?, _ report: @escaping @Sendable (SessionEvent) -> Void
    ) async throws(DesktopSessionError) -> ScreenSaverWatch {
        let watch = ScreenSaverWatch(report)
        do throws(DBusError) {
            let address = if let address { address } else { try DBusAddress.session() }
            let connection = try await DBusConnection.open(address) { watch.receive($0) }
            watch.state.withLock { $0.connection = connection }
            do throws(DBusError) {
                try await watch.begin(over: connection)
            } catch {
                await watch.close()
                throw error
            }
            return watch
        } catch {
            throw DesktopSessionError(error, of: service)
        }
    }

    func close() async {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        await connection?.close()
    }

    private func begin(over connection: DBusConnection) async throws(DBusError) {
        for watch in watches {
            let name = watch.name
            let owner = try await watch.start(over: connection)
            try await connection.subscribe(
                to: "type='signal',sender='\(name)',interface='\(name)',member='ActiveChanged'")
            guard let owner else { continue }
            let call = DBusCall(
                "GetActive", of: name, at: "/" + name.split(separator: ".").joined(separator: "/"), in: owner)
            // Not each of them answers this.
            let answer = try? await connection.call(call, within: Self.answerLimit)
            if answer?.first?.boolValue == true { report(.screenLocked) }
        }
    }

    private func receive(_ event: DBusConnection.Event) {
        switch event {
        case .ended(let error):
            guard !state.withLock(\.isClosed) else { return }
            report(.lost(.lost, reason: error.reason))
        case .signal(let signal):
            for watch in watches {
                if watch.receive(signal) { return }
                guard signal.interface == watch.name, signal.member == "ActiveChanged", watch.isSender(of: signal),
                    let isActive = signal.body.first?.boolValue
                else { continue }
                report(isActive ? .screenLocked : .screenUnlocked)
            }
        }
    }
}
