@_exported public import Encodings
internal import LinuxSupport

/// Failure of the desktop's portal.
package typealias PortalError = CodedError<PortalErrorCode>

/// Kind of failure.
package enum PortalErrorCode: String, ErrorCode {
    /// There is no portal, or it failed.
    case unavailable = "no-portal"
    /// The portal of this desktop has no such interface.
    case noInterface = "no-portal-interface"
    /// The portal refused.
    case refused = "portal-refused"
    /// The portal refused, since it does not know this program.
    case noDesktopEntry = "no-desktop-entry"
    /// The user does not want it.
    case declined
    /// Neither the user nor the portal answered in time.
    case timeout
    /// The portal has ended, or a session that was opened with it.
    case ended = "portal-ended"
}

/// A connection to the desktop's portal, which asks the user as the desktop demands.
///
/// It reads the kind of the calling program from `/proc`, and refuses one that is not dumpable: so only a process
/// without secrets can use it. Signals count only from its unique name, since any program on the bus can send some to
/// this connection alone.
///
/// Source: XDG Desktop Portal, org.freedesktop.portal.Request.
struct DesktopPortal: Sendable {
    /// An event of the portal's.
    enum Event: Sendable {
        case signal(DBusMessage)
        /// Nothing comes any more.
        case ended(PortalError)
        /// The time limit of a request may be over.
        case timeUp
    }

    static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let request = "org.freedesktop.portal.Request"
    /// The most events that wait for their reader; the oldest are dropped.
    private static let capacity = 16

    /// The events, in order and for one reader at a time; while a request waits, it is their reader.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let connection: DBusConnection

    /// Connects to the portal, runs `body` with it, and closes the connection.
    ///
    /// - Parameter address: the session bus.
    /// - Throws: `DBusError` if the bus cannot be used; ``PortalError``; the errors of `body`.
    static func with<Value: Sendable>(
        at address: DBusAddress, _ body: (DesktopPortal) async throws -> Value
    ) async throws -> Value {
        let watch = DBusNameWatch(name)
        let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(capacity))
        let connection = try await DBusConnection.open(address) { event in
            switch event {
            case .ended(let error): continuation.yield(.ended(PortalError(.ended, reason: error.reason)))
            case .signal(let signal):
                let isRunning = watch.owner != nil
                if watch.receive(signal) {
                    guard isRunning else { return }
                    continuation.yield(.ended(PortalError(.ended, reason: "the desktop's portal has ended")))
                } else if watch.isSender(of: signal) {
                    continuation.yield(.signal(signal))
                }
            }
        }
        let portal = DesktopPortal(events: events, continuation: continuation, connection: connection)
        let outcome: Result<Value, any Error>
        do {
            try await watch.start(over: connection)
            // Before any request: its response can come before the answer to the call.
            try await portal.subscribe(to: "Response", of: request)
            outcome = .success(try await body(portal))
        } catch {
            outcome = .failure(error)
        }
        await connection.close()
        return try outcome.get()
    }

    /// Asks for a signal.
    func subscribe(to signal: String, of interface: String) async throws(DBusError) {
        try await connection.subscribe(
            to: "type='signal',sender='\(Self.name)',interface='\(interface)',member='\(signal)'")
    }

    /// Calls a method. The portal is started if need be.
    ///
    /// - Throws: ``PortalError``; `CancellationError`.
    @discardableResult
    func call(_ member: String, of interface: String, _ arguments: [DBusValue]) async throws -> [DBusValue] {
        do throws(DBusError) {
            return try await connection.call(
                DBusCall(member, of: interface, at: Self.path, in: Self.name, arguments, startsService: true))
        } catch {
            throw error.code == .cancelled ? CancellationError() : PortalError(error)
        }
    }

    /// Makes a request, about which the desktop may ask the user.
    ///
    /// - Parameters:
    ///   - member: the method.
    ///   - interface: the interface that has the method.
    ///   - arguments: its arguments.
    ///   - limit: the longest time for the response.
    ///   - timer: ends that time.
    /// - Returns: the results in the response.
    /// - Throws: ``PortalError``; `CancellationError`.
    func request(
        _ member: String, of interface: String, _ arguments: [DBusValue], within limit: Duration,
        on timer: DeadlineTimer = .continuous
    ) async throws -> [String: DBusValue] {
        let deadline = timer.now + limit
        let alarm = timer.schedule(at: deadline) { [continuation] in continuation.yield(.timeUp) }
        defer { timer.cancel(alarm) }
        guard let handle = try await call(member, of: interface, arguments).first?.pathValue else {
            throw PortalError(.unavailable, reason: "the desktop's portal gives no handle of its request")
        }
        for await event in events {
            switch event {
            case .ended(let error): throw error
            case .timeUp:
                // Not the alarm of a request before.
                guard deadline <= timer.now else { continue }
                throw PortalError(.timeout, reason: "the desktop's question was not answered in time")
            case .signal(let signal):
                guard signal.path == handle, signal.interface == Self.request, signal.member == "Response",
                    signal.signature == "ua{sv}"
                else { continue }
                return try Self.results(of: signal.body[0].uint32Value, signal.body[1].dictionaryValue)
            }
        }
        throw CancellationError()
    }

    /// The results in a response: 0 for success, 1 if the user has cancelled it.
    private static func results(
        of response: UInt32?, _ results: [String: DBusValue]?
    ) throws(PortalError) -> [String: DBusValue] {
        switch response {
        case 0: return results ?? [:]
        case 1: throw PortalError(.declined, reason: "this was declined in the desktop's question")
        default: throw PortalError(.refused, reason: "the desktop's portal could not do this")
        }
    }
}

extension PortalError {
    /// An error that a call of the portal ended with.
    fileprivate init(_ error: DBusError) {
        let code: Code =
            switch (error.code, error.name) {
            case (.timeout, _): .timeout
            case (.refused, DBusError.Name.unknownMethod), (.refused, DBusError.Name.unknownInterface): .noInterface
            case (.refused, let name?) where name.hasPrefix("org.freedesktop.portal.Error."): .refused
            default: .unavailable
            }
        self.init(code, reason: "the desktop's portal cannot be used: \(error.reason)")
    }
}
