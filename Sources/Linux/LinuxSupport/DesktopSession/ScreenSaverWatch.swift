internal import Synchronization

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
