internal import Glibc

/// An open file that a peer has passed over the bus (`h`). It is closed when its last owner lets go of it.
package final class DBusFile: Sendable, Hashable {
    /// The file's number, as long as this object lives.
    package let number: Int32

    /// Takes a second reference to a file, which stays open.
    ///
    /// - Throws: ``DBusError`` with `failed` if the system has no file left.
    init(copying number: Int32) throws(DBusError) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard self.number >= 0 else { throw DBusError(.failed, reason: "no file is left") }
    }

    deinit { close(number) }

    /// True for the same object.
    package static func == (left: DBusFile, right: DBusFile) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
