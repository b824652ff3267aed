internal import Glibc

/// The user at the other end of a socket, by the kernel's word (SO_PEERCRED).
package struct BrokerCaller: Sendable, Equatable {
    /// The user whose rights the broker runs with; nobody may have a key under that name.
    package static let nobody: UInt32 = 65_534

    /// The user's number.
    package let user: UInt32

    /// Finds the user of a connected socket; nil if it is no such socket.
    package init?(of socket: Int32) {
        // struct ucred: the process, the user and the group, 4 bytes each.
        var credentials: [UInt32] = [0, 0, 0]
        let size = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
        var count = size
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0, count == size, credentials[0] > 0
        else { return nil }
        user = credentials[1]
    }

    init(user: UInt32) { self.user = user }

    /// True if a key may be made for the user: not for nobody, as whom the broker runs, and not for a user whom this
    /// system has no number for (one of another user namespace looks so).
    package var isPermitted: Bool { user != Self.nobody && user != .max }
}
