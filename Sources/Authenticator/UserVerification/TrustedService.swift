internal import Glibc
internal import LinuxSupport

/// A service of this machine's that is believed about the user: on the machine's own bus, by an owner who may run it.
struct TrustedService: Sendable {
    private static let root: uid_t = 0
    /// Space for a user's entry, in bytes; a longer one is taken for none.
    private static let entryByteCount = 16_384
    /// Longest time for a service to start.
    private static let startLimit = Duration.seconds(10)

    /// Name for texts.
    let name: String
    /// Name on the bus.
    let busName: String
    /// The users who may own the name.
    private let owners: Set<UInt32>
    /// The bus; nil for the machine's own.
    private let address: DBusAddress?

    /// A service on the machine's own system bus.
    ///
    /// - Parameters:
    ///   - name: its name for texts.
    ///   - busName: its name on the bus.
    ///   - user: the name of the user that it runs as, if it is not root.
    init(_ name: String, _ busName: String, user: String? = nil) {
        self.init(name, busName, owners: Set([Self.root] + (user.flatMap(Self.number).map { [$0] } ?? [])), on: nil)
    }

    /// A service with other owners, on another bus.
    init(_ name: String, _ busName: String, owners: Set<UInt32>, on address: DBusAddress?) {
        self.name = name
        self.busName = busName
        self.owners = owners
        self.address = address
    }

    /// The same on another bus: for tests.
    func on(_ address: DBusAddress, owners: Set<UInt32>?) -> Self {
        Self(name, busName, owners: owners ?? self.owners.union([getuid()]), on: address)
    }

    /// Connects to the bus, which is of this machine. The environment has no say in it.
    ///
    /// - Throws: ``VerificationError`` `no-service`, `not-permitted`, `service-failed` or `cancelled`.
    func connect(
        on event: @escaping @Sendable (DBusConnection.Event) -> Void
    ) async throws(VerificationError) -> DBusConnection {
        do throws(DBusError) {
            let address = if let address { address } else { try DBusAddress.ofThisMachine() }
            guard !address.isRemote else {
                throw DBusError(.noBus, reason: "a bus that may be another machine's is not asked about this user")
            }
            return try await DBusConnection.open(address) { event($0) }
        } catch {
            throw VerificationError(error, of: name)
        }
    }

    /// Finds the owner of the service's name, starts it if need be, and checks which user it is.
    ///
    /// - Returns: the owner's unique name, by which it is called: another owner is another service.
    /// - Throws: ``VerificationError`` `untrusted-service`, `no-service`, `lost`, `service-failed` or `cancelled`.
    func owner(over connection: DBusConnection) async throws(VerificationError) -> String {
        let owner: String?
        let user: UInt32?
        do throws(DBusError) {
            owner = try await nameOwner(over: connection)
            user = try await connection.call(DBusBus.call("GetConnectionUnixUser", [.string(owner ?? "")]))
                .first?.uint32Value
        } catch {
            throw VerificationError(error, of: name)
        }
        guard let owner, let user else { throw .wrongType("GetConnectionUnixUser", of: name) }
        guard owners.contains(user) else {
            throw VerificationError(
                .untrustedService,
                reason: "\(busName) on the system bus is run by the user \(user), who is not \(name)'s")
        }
        return owner
    }

    private func nameOwner(over connection: DBusConnection) async throws(DBusError) -> String? {
        let call = DBusBus.call("GetNameOwner", [.string(busName)])
        do throws(DBusError) {
            return try await connection.call(call).first?.stringValue
        } catch {
            guard error.name == DBusError.Name.nameHasNoOwner else { throw error }
        }
        // A bus that has no file for a service refuses this even for one that runs.
        try await connection.call(
            DBusBus.call("StartServiceByName", [.string(busName), .uint32(0)]), within: Self.startLimit)
        return try await connection.call(call).first?.stringValue
    }

    /// A user's number; nil if there is no such user.
    private static func number(of user: String) -> uid_t? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var space = [CChar](repeating: 0, count: entryByteCount)
        guard getpwnam_r(user, &entry, &space, space.count, &found) == 0, found != nil else { return nil }
        return entry.pw_uid
    }
}
