internal import LinuxSupport

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
