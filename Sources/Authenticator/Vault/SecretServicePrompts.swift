internal import LinuxSupport
internal import Synchronization

/// The keyring's questions to the user: shown one at a time, and waited for.
final class SecretServicePrompts: Sendable {
    private static let interface = "org.freedesktop.Secret.Prompt"
    private static let completed = "Completed"
    /// No window is named for the question to stand in front of.
    private static let noWindow = ""

    private struct State {
        /// The keyring's unique name.
        var owner = ""
        /// For each question that is over, true if it was dismissed.
        var outcomes: [String: Bool] = [:]
        var hasEnded = false
    }

    private let limit: Duration
    private let state = Mutex(State())
    /// Interval between two looks for an answer.
    private static let pollInterval = Duration.milliseconds(50)

    init(limit: Duration) { self.limit = limit }

    /// Receives an event of the connection.
    func note(_ event: DBusConnection.Event) {
        state.withLock { state in
            switch event {
            case .ended: state.hasEnded = true
            case .signal(let signal):
                guard signal.interface == Self.interface, signal.member == Self.completed,
                    signal.sender == state.owner, let isDismissed = signal.body.first?.boolValue
                else { return }
                state.outcomes[signal.path] = isDismissed
            }
        }
    }

    /// Subscribes to the answers to a keyring's questions, of this keyring only.
    func subscribe(_ connection: DBusConnection, to service: String) async throws(DBusError) {
        let owner = try await connection.call(DBusBus.call("GetNameOwner", [.string(service)]))
        state.withLock { $0.owner = owner.first?.stringValue ?? "" }
        try await connection.subscribe(
            to: "type='signal',sender='\(service)',interface='\(Self.interface)',member='\(Self.completed)'")
    }

    /// Shows a question and waits until it is answered.
    ///
    /// - Throws: ``VaultError`` `keyring-locked` if it is dismissed, `keyring-timeout`, `keyring-failed`.
    func ask(_ prompt: String, of service: String, over connection: DBusConnection) async throws(VaultError) {
        do throws(DBusError) {
            try await connection.call(
                DBusCall("Prompt", of: Self.interface, at: prompt, in: service, [.string(Self.noWindow)]))
        } catch {
            throw VaultError(error)
        }
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let (isDismissed, hasEnded) = state.withLock { ($0.outcomes.removeValue(forKey: prompt), $0.hasEnded) }
            if let isDismissed {
                if isDismissed { throw .dismissedKeyring }
                return
            }
            guard !hasEnded else { throw VaultError(.keyringFailed, reason: "the keyring's bus has ended") }
            guard (try? await Task.sleep(for: Self.pollInterval)) != nil else { break }
        }
        // The question is no longer waited for: it need not stay on the screen.
        _ = try? await connection.call(DBusCall("Dismiss", of: Self.interface, at: prompt, in: service))
        throw VaultError(.keyringTimeout, reason: "the keyring's question was not answered in time")
    }
}
