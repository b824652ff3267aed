internal import Glibc

/// The user at the other end of a socket, by the kernel's word (SO_PEERCRED, SO_PEERGROUPS).
package struct BrokerCaller: Sendable, Equatable {
    /// The user whose rights a key's process runs with; nobody may have a key under that name.
    package static let nobody: UInt32 = 65_534
    /// More groups than this are not looked at.
    private static let maxGroupCount = 256

    /// The user's number.
    package let user: UInt32
    /// The groups of the caller's process, its own first; empty if they were not asked for.
    package let groups: [UInt32]

    /// Finds the user of a connected socket.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - asksForGroups: true if the groups are wanted, too.
    /// - Returns: nil if it is no such socket.
    package init?(of socket: Int32, asksForGroups: Bool = false) {
        // struct ucred: the process, the user and the group, 4 bytes each.
        guard let credentials = Self.numbers(of: socket, SO_PEERCRED, atMost: 3), credentials.count == 3,
            credentials[0] > 0
        else { return nil }
        user = credentials[1]
        groups =
            asksForGroups
            ? [credentials[2]] + (Self.numbers(of: socket, SO_PEERGROUPS, atMost: Self.maxGroupCount) ?? []) : []
    }

    init(user: UInt32, groups: [UInt32] = []) {
        self.user = user
        self.groups = groups
    }

    /// The numbers of 4 bytes that are an option of a socket; nil if it has none, or more of them.
    private static func numbers(of socket: Int32, _ option: Int32, atMost limit: Int) -> [UInt32]? {
        var numbers = [UInt32](repeating: 0, count: limit)
        var size = socklen_t(MemoryLayout<UInt32>.size * limit)
        guard getsockopt(socket, SOL_SOCKET, option, &numbers, &size) == 0 else { return nil }
        return Array(numbers.prefix(Int(size) / MemoryLayout<UInt32>.size))
    }

    /// True if a key may be made for the user: not for nobody, as whom a key's process runs, and not for a user whom
    /// this system has no number for (one of another user namespace looks so).
    package var isPermitted: Bool { user != Self.nobody && user != .max }
}
