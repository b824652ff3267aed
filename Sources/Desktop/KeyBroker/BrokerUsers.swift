internal import Glibc
internal import LinuxSupport

/// The users for whom keys are made: those who sit at a screen of this machine, and those of a group.
package struct BrokerUsers: Sendable {
    /// The longest file of logind's that is read, in bytes.
    private static let maxByteCount = 1 << 14
    /// The time for which the tables of subordinate users are believed.
    private static let tableLifetime = Duration.seconds(5)

    private let sessions: String
    private let group: UInt32?
    private let read: @Sendable () -> SubordinateUsers?
    /// The tables, and when they were read; nil if they cannot be.
    private var subordinates: (users: SubordinateUsers?, time: ContinuousClock.Instant)?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - sessions: logind's folder with a file for each user who is logged in. sd-login(3) reads the same files; its
    ///     library, and the seven that it needs, are not for a process of root's.
    ///   - group: the number of the group whose users may have keys wherever they are; nil for none.
    ///   - subordinates: reads the tables of subordinate users.
    package init(
        sessions: String = "/run/systemd/users", group: UInt32? = nil,
        subordinates: @escaping @Sendable () -> SubordinateUsers? = { SubordinateUsers() }
    ) {
        self.sessions = sessions
        self.group = group
        read = subordinates
    }

    /// The user as whom a caller counts.
    ///
    /// - Returns: nil if that cannot be known.
    mutating func owner(of user: UInt32, at now: ContinuousClock.Instant) -> UInt32? {
        if let subordinates, now - subordinates.time < Self.tableLifetime {
            return subordinates.users?.owner(of: user)
        }
        let users = read()
        subordinates = (users, now)
        return users?.owner(of: user)
    }

    /// True if a caller who counts as `owner` may have a key: the owner has the active session of a seat, which is one
    /// at a screen, or the caller's process has the group.
    func permits(_ caller: BrokerCaller, of owner: UInt32) -> Bool {
        if let group, caller.groups.contains(group) { return true }
        guard let file = SystemFile.contents(of: "\(sessions)/\(owner)", limit: Self.maxByteCount) else { return false }
        let seats = Array("ACTIVE_SEATS=".utf8)
        return file.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: seats) && $0.count > seats.count }
    }

    /// The number of a group of /etc/group.
    ///
    /// - Parameters:
    ///   - name: the group's name, or its number.
    ///   - path: the table of groups: up to 1 MiB.
    /// - Returns: nil if there is none.
    package static func group(_ name: String, in path: String = "/etc/group") -> UInt32? {
        if let number = UInt32(name) { return number }
        let start = Array("\(name):".utf8)
        let line = SystemFile.contents(of: path, limit: 1 << 20)?.split(separator: UInt8(ascii: "\n"))
            .first { $0.starts(with: start) }
        let fields = line?.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) ?? []
        return fields.count > 2 ? UInt32(String(decoding: fields[2], as: UTF8.self)) : nil
    }
}
