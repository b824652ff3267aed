/// The decision who gets a key, made before anything is started for a caller.
///
/// Nothing is kept for a user who may have no key: however many users call, memory is bounded by those who may.
package struct BrokerAdmission: Sendable {
    /// The most keys of one user: the vault's, the phone's, and as many again.
    package static let maxKeysOfUser = 4
    /// The most keys of all users.
    package static let maxKeys = 256
    /// The most users that are remembered.
    private static let maxUsers = 4_096
    /// The most keys that a user may ask for at once, one after the other.
    package static let burst = 30
    /// The time after which a user may ask for one more.
    package static let interval = Duration.seconds(1)

    private struct Use {
        var keys = 0
        /// The keys that may be asked for now: see `time`.
        var allowance = BrokerAdmission.burst
        /// The time up to which the allowance has been filled.
        var time: ContinuousClock.Instant
    }

    private var users: BrokerUsers
    private var uses: [UInt32: Use] = [:]
    private var keys = 0

    /// Makes one that has given nobody a key yet.
    package init(for users: BrokerUsers) { self.users = users }

    /// Takes a caller, who has a key from then on until ``end(_:)``.
    ///
    /// - Returns: the user as whom the caller counts: see ``SubordinateUsers``.
    /// - Throws: `notPermitted`; `tooMany`; `tooOften`; `failed`. A flood of calls ends here, so it costs little.
    mutating func admit(_ caller: BrokerCaller?, at now: ContinuousClock.Instant) throws(BrokerRefusal) -> UInt32 {
        guard let caller, caller.isPermitted else {
            throw BrokerRefusal(.notPermitted, reason: "no key is made for this caller")
        }
        guard let owner = users.owner(of: caller.user, at: now) else {
            throw BrokerRefusal(.failed, reason: "/etc/subuid or /etc/passwd cannot be read")
        }
        // A user who has nothing left costs no look at a file.
        var use = uses[owner] ?? Use(time: now)
        let filled = min(Int((now - use.time) / Self.interval), Self.burst - use.allowance)
        use.allowance += filled
        use.time = use.allowance == Self.burst ? now : use.time + Self.interval * filled
        guard use.allowance > 0 else {
            throw BrokerRefusal(.tooOften, reason: "too many keys were requested just now")
        }
        guard use.keys < Self.maxKeysOfUser, keys < Self.maxKeys else {
            throw BrokerRefusal(.tooMany, reason: "this user, or all users together, have the maximum number of keys")
        }
        guard users.permits(caller, of: owner) else {
            throw BrokerRefusal(.notPermitted, reason: "no active session at this machine's screen")
        }
        if uses[owner] == nil, uses.count >= Self.maxUsers { forget(at: now) }
        use.allowance -= 1
        use.keys += 1
        uses[owner] = use
        keys += 1
        return owner
    }

    /// Forgets a key of the user as whom its caller counts.
    mutating func end(_ owner: UInt32) {
        uses[owner]?.keys -= 1
        keys -= 1
    }

    /// Forgets users who have no key and could ask for as many as ever.
    private mutating func forget(at now: ContinuousClock.Instant) {
        uses = uses.filter { $1.keys > 0 || now - $1.time < Self.interval * Self.burst }
    }
}
