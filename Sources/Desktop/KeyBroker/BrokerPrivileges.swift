internal import Glibc

/// The rights of the broker's process.
package enum BrokerPrivileges {
    /// Gives up all rights but the files that are open. The process is nobody's from then on, and is not dumpable
    /// because its user has changed (prctl(2)): no other process but root's can look into it, or take its files. It
    /// does nothing where the process is not root's.
    ///
    /// - Throws: `failed` if one of the rights cannot be given up.
    package static func drop() throws(BrokerRefusal) {
        guard geteuid() == 0 else { return }
        guard setgroups(0, nil) == 0, setgid(BrokerCaller.nobody) == 0, setuid(BrokerCaller.nobody) == 0,
            getuid() == BrokerCaller.nobody, geteuid() == BrokerCaller.nobody, setuid(0) != 0
        else {
            throw BrokerRefusal(
                .failed, reason: "root privileges cannot be dropped: \(String(cString: strerror(errno)))")
        }
    }
}
