internal import Encodings
internal import LinuxSupport
internal import Synchronization

/// The desktop's keyring, which keeps a vault's key and is unlocked when the user logs in.
///
/// The key travels encrypted under a key that both agree on for the connection, so that no buffer on the way has it in
/// clear.
///
/// Source: Secret Service API 0.2 (freedesktop.org).
public enum SecretService {
    /// Longest time for the answer to a question of the keyring.
    public static let promptLimit = Duration.seconds(120)

    /// The key that the keyring has for a vault. If the keyring is locked, it asks the user.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for that.
    /// - Throws: ``VaultError`` `wrong-keyring` if it has none; `no-keyring`, `keyring-locked`, `keyring-timeout` or
    ///   `keyring-failed`.
    public static func secrets(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) -> VaultSecrets {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            guard let secrets = try await session.secrets(of: attributes(id)) else {
                throw VaultError(.wrongKeyring, reason: "the keyring has no key for this vault")
            }
            return secrets
        }
    }

    /// The key that the keyring has for a vault, or a new one, which it has from then on.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for its questions.
    /// - Throws: ``VaultError`` as ``secrets(forVault:promptLimit:)``; `library-failure`.
    public static func secretsOrNew(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) -> VaultSecrets {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            if let secrets = try await session.secrets(of: attributes(id)) { return secrets }
            let key = HeldSecret.randomKey()
            try await session.keep(key, attributes(id), label: label)
            return VaultSecrets(keyringKey: key.clone())
        }
    }

    /// Removes a vault's key from the keyring, if it is there.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for its questions.
    /// - Throws: ``VaultError`` as ``secrets(forVault:promptLimit:)``.
    public static func removeSecrets(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            try await session.remove(attributes(id))
        }
    }

    private static let label = "Key of the passkey vault of hybrid"

    private static func attributes(_ id: [UInt8]) -> [String: String] {
        ["application": "hybrid", "vault": Hexadecimal.encode(id)]
    }
}

extension SecretService {
    /// The desktop's keyring as it is found, without a question to the user.
    package enum State: Sendable, Hashable {
        /// There is no session bus, or none of this machine.
        case noBus
        /// Nothing on the session bus is a keyring.
        case absent
        /// The keyring does not run; the first use starts it.
        case startable
        /// It has no default collection, in which a vault's key would be kept.
        case noDefault
        /// Its default collection is locked: it asks the user at the next use.
        case locked
        case unlocked
        /// It does not keep to its interface, or does not answer in time.
        case failed
    }

    private static let answerLimit = Duration.seconds(5)
    private static let name = "org.freedesktop.secrets"

    /// Looks at the keyring. Nothing is unlocked, and nothing started.
    package static func state() async -> State {
        let connection: DBusConnection
        do throws(DBusError) {
            let address = try DBusAddress.session()
            guard !address.isRemote else { return .noBus }
            connection = try await DBusConnection.open(address) { _ in }
        } catch {
            return error.code == .timeout || error.code == .failed ? .failed : .noBus
        }
        let state: State
        do throws(DBusError) { state = try await self.state(over: connection) } catch { state = .failed }
        await connection.close()
        return state
    }

    private static func state(over connection: DBusConnection) async throws(DBusError) -> State {
        func names(_ member: String) async throws(DBusError) -> [String] {
            try await connection.call(DBusBus.call(member, []), within: answerLimit).first?.stringsValue ?? []
        }
        guard try await names("ListNames").contains(name) else {
            return try await names("ListActivatableNames").contains(name) ? .startable : .absent
        }
        let alias = try await connection.call(
            DBusCall(
                "ReadAlias", of: "org.freedesktop.Secret.Service", at: "/org/freedesktop/secrets", in: name,
                [.string("default")]), within: answerLimit)
        guard let collection = alias.first?.pathValue else { return .failed }
        guard collection != "/" else { return .noDefault }
        let locked = try await connection.call(
            DBusCall(
                "Get", of: "org.freedesktop.DBus.Properties", at: collection, in: name,
                [.string("org.freedesktop.Secret.Collection"), .string("Locked")]), within: answerLimit)
        return switch locked.first?.boolValue {
        case true?: .locked
        case false?: .unlocked
        case nil: .failed
        }
    }
}

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
