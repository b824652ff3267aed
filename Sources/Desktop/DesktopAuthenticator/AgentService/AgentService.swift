internal import Glibc
package import LinuxSupport
internal import PasskeyAuthenticator
internal import Synchronization
internal import Vault

/// The agent on the session bus: it holds the vault open, tells of the passkeys in it, and answers QR codes.
///
/// Only this user's programs are served. They can ask for everything, and approve nothing: the agent asks the user.
package final class AgentService: Sendable {
    private static let properties = "org.freedesktop.DBus.Properties"

    private let vault: OpenVault
    private let gate: QuestionGate
    private let work: AgentWork
    private let version: String
    private let user: UInt32
    private let state = Mutex(State())
    private let listening: AgentListening

    private struct State {
        var connection: DBusConnection?
        var reachableClients = 0
        var permitted: [String: Bool] = [:]
        var end: CheckedContinuation<Void, any Error>?
        var outcome: Result<Void, any Error>?
    }

    /// The most callers whose users are remembered. The bus gives no name twice.
    private static let maxCallers = 256

    /// Makes one.
    ///
    /// - Parameters:
    ///   - path: the vault.
    ///   - hold: the time for which it is held open after a request.
    ///   - version: the program's version.
    ///   - gate: lets one question be asked at a time.
    ///   - work: the program's part.
    ///   - user: the user whose programs are served.
    package init(
        vault path: String, hold: Duration, version: String, gate: QuestionGate, work: AgentWork,
        user: UInt32 = getuid()
    ) {
        let changes = Changes()
        vault = OpenVault(path: path, usualHold: hold) { changes.tell($0) }
        self.version = version
        self.gate = gate
        self.work = work
        self.user = user
        listening = AgentListening { [work, vault] in
            try await work.listen?(vault) { changes.reach($0) }
        }
        changes.service.withLock { $0 = WeakService(self) }
    }

    /// Serves until the task is cancelled, or somebody calls Stop.
    ///
    /// - Parameters:
    ///   - address: the bus.
    ///   - idleLimit: the time after which it ends when the vault is locked and there is nothing to do; nil for never.
    ///   - ready: is called when the agent can be called.
    ///   - isReplaced: true if another version has taken the program's place: it ends then, as soon as the vault is
    ///     locked, so that the service manager starts that.
    /// - Throws: ``AgentRefusal`` `runs-already`, `bus-ended` or `program-replaced`; `DBusError`.
    package func run(
        at address: DBusAddress, endingWhenIdleFor idleLimit: Duration? = nil,
        ready: @escaping @Sendable () -> Void = {},
        isReplaced: @escaping @Sendable () -> Bool = AgentService.programIsReplaced
    ) async throws {
        let object = object
        let connection = try await DBusConnection.open(
            address, answer: { object.answer($0) },
            on: { [weak self] event in
                guard case .ended = event else { return }
                self?.end(
                    .failure(AgentRefusal(.busEnded, reason: "the connection to the \(address.bus) has ended")))
            })
        state.withLock { $0.connection = connection }
        let outcome: Result<Void, any Error>
        do {
            guard try await connection.own(AgentBus.name) else {
                throw AgentRefusal(.runsAlready, reason: "an agent runs already")
            }
            ready()
            listening.start()
            let watching = Task { await watchIdleness(idleLimit, isReplaced) }
            let end: Result<Void, any Error>
            do { end = .success(try await waitForEnd()) } catch { end = .failure(error) }
            watching.cancel()
            await listening.end()
            try end.get()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await vault.lock()
        state.withLock { $0.connection = nil }
        await connection.close()
        try outcome.get()
    }

    /// Locks the vault: its key is wiped, and a running operation or question is cancelled.
    package func lock() async {
        // First, so that whatever ends knows why.
        await vault.lock()
        gate.cancel()
    }

    /// Prepares for a sleep of the machine: locks the vault, and no longer waits for linked clients. The request of one
    /// of them ends: its connection does not outlive a sleep.
    package func prepareForSleep() async {
        await lock()
        listening.stop()
        reach(0)
    }

    /// Waits for linked clients again after a sleep.
    package func wake() { listening.start() }

    /// The agent's state.
    package func status() async -> AgentStatus {
        let left = await vault.timeLeft
        let isInUse = await vault.isInUse
        return AgentStatus(
            version: version, vault: Self.resolved(vault.path), isUnlocked: left != nil,
            secondsLeft: left.map { UInt32(clamping: $0.components.seconds) } ?? 0, isBusy: gate.isBusy || isInUse,
            reachableClients: UInt32(clamping: state.withLock { $0.reachableClients }))
    }

    /// The path of a file without symbolic links; as it is where there is no such file.
    package static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// True if this process's program is no longer the file that it was started from.
    @Sendable package static func programIsReplaced() -> Bool {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        return path.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }.suffix(deleted.count).elementsEqual(deleted)
    }

    private static let deleted = Array(" (deleted)".utf8)
    /// Longest time between two looks.
    private static let watchInterval = Duration.seconds(10)

    private func watchIdleness(_ limit: Duration?, _ isReplaced: @Sendable () -> Bool) async {
        var idleSince = ContinuousClock.now
        while (try? await Task.sleep(for: min(limit ?? Self.watchInterval, Self.watchInterval))) != nil {
            let status = await status()
            guard !status.isUnlocked, !status.isBusy else {
                idleSince = .now
                continue
            }
            if isReplaced() {
                return end(
                    .failure(AgentRefusal(.replaced, reason: "another version has replaced this program")))
            }
            if let limit, status.reachableClients == 0, .now - idleSince >= limit { return end(.success(())) }
        }
    }

    private func waitForEnd() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.end = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            end(.success(()))
        }
    }

    /// Ends the service. The first reason counts.
    private func end(_ outcome: Result<Void, any Error>) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<Void, any Error>? }
            state.outcome = outcome
            defer { state.end = nil }
            return state.end
        }
        continuation?.resume(with: outcome)
    }

    fileprivate func reach(_ count: Int) {
        state.withLock { $0.reachableClients = count }
        tell("ReachableClients", .uint32(UInt32(clamping: count)))
    }

    fileprivate func tell(isUnlocked: Bool) { tell("Unlocked", .bool(isUnlocked)) }

    /// Tells everybody on the bus that a property has changed.
    private func tell(_ property: String, _ value: DBusValue) {
        state.withLock(\.connection)?.emit(
            DBusSignal(
                "PropertiesChanged", of: Self.properties, at: AgentBus.path,
                [.string(AgentBus.name), .dictionary([property: value]), .emptyArray(of: "s")]))
    }

    /// True if a caller is this user's.
    private func permits(_ sender: String) async -> Bool {
        let (known, connection) = state.withLock { ($0.permitted[sender], $0.connection) }
        if let known { return known }
        guard let caller = try? await connection?.user(of: sender) else { return false }
        state.withLock { state in
            if state.permitted.count >= Self.maxCallers { state.permitted = [:] }
            state.permitted[sender] = caller == user
        }
        return caller == user
    }
}

extension AgentService {
    private var object: DBusObject {
        DBusObject(
            at: AgentBus.path, AgentBus.name,
            methods: [
                method("Unlock", [.init("seconds", "u")]) { service, call in
                    try await service.unlock(call.body[0].uint32Value ?? 0)
                },
                method("Lock") { service, _ in
                    await service.lock()
                    return []
                },
                method("ListPasskeys", [], [.init("passkeys", "aa{sv}")]) { service, _ in
                    let passkeys = try await service.passkeys()
                    return [passkeys.isEmpty ? .emptyArray(of: "a{sv}") : .array(passkeys.map(\.value))]
                },
                method("AnswerCode", [.init("code", "s"), .init("source", "s")], [.init("outcome", "s")]) {
                    service, call in
                    try await service.answer(call.body[0].stringValue ?? "", call.body[1].stringValue ?? "")
                },
                method("Stop") { service, _ in
                    // The answer is sent before the connection ends.
                    Task { service.end(.success(())) }
                    return []
                },
            ],
            properties: AgentStatus(
                version: "", vault: "", isUnlocked: false, secondsLeft: 0, isBusy: false, reachableClients: 0
            ).properties.map { name, value in
                .init(name, value.signature) { [weak self] in
                    await self?.status().properties.first { $0.name == name }?.value ?? value
                }
            }
        ) { [weak self] in await self?.permits($0) ?? false }
    }

    /// A method whose errors are put into words.
    private func method(
        _ name: String, _ arguments: [DBusObject.Argument] = [], _ results: [DBusObject.Argument] = [],
        _ body: @escaping @Sendable (AgentService, DBusMessage) async throws -> [DBusValue]
    ) -> DBusObject.Method {
        .init(name, arguments, returns: results) { [weak self] call in
            guard let self else { return .unknownObject }
            do {
                return .reply(try await body(self, call))
            } catch let refused as InvalidArgument {
                return .invalidArguments(refused.reason)
            } catch {
                return self.work.explain(error).answer
            }
        }
    }

    private struct InvalidArgument: Error {
        let reason: String
    }

    private func unlock(_ seconds: UInt32) async throws -> [DBusValue] {
        guard (1...AgentBus.longestHold).contains(seconds) else {
            throw InvalidArgument(reason: "Unlock takes 1 to \(AgentBus.longestHold) seconds")
        }
        try await vault.endingWithLock { [self] in
            try await gate.alone { [self] in
                _ = try await vault.unlock(for: .seconds(seconds), asking: work.passphrase)
            }
        }
        return []
    }

    private func answer(_ code: String, _ source: String) async throws -> [DBusValue] {
        guard code.utf8.count <= AgentBus.longestCode, let source = AgentWork.CodeSource(rawValue: source) else {
            throw InvalidArgument(reason: "AnswerCode takes the text and the source of a QR code")
        }
        return [.string(try await gate.alone { [work, vault] in try await work.answer(code, source, vault) })]
    }

    private func passkeys() async throws -> [PasskeyMetadata] {
        try await vault.with(.reading) { try await PasskeyMetadata.all(of: $0) }
    }
}

/// Tells the service of changes of its vault and its reach; the objects that report them are made before it.
private final class Changes: Sendable {
    let service = Mutex<WeakService?>(nil)

    func tell(_ isUnlocked: Bool) { service.withLock { $0?.service }?.tell(isUnlocked: isUnlocked) }

    func reach(_ count: Int) { service.withLock { $0?.service }?.reach(count) }
}

private struct WeakService: Sendable {
    weak let service: AgentService?

    init(_ service: AgentService) { self.service = service }
}
