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

    /// Lets the machine sleep: what had to be locked is locked. To be called after each ``SessionEvent/sleeping``.
    package func allowSleep() { login?.allowSleep() }

    /// Ends the watch, and the sequence.
    package func close() async {
        await login?.close()
        await screenSavers?.close()
        continuation.finish()
    }
}
