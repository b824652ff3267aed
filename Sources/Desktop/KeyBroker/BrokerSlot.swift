internal import Glibc

/// One of the keys that a user may have at a time: a locked file, which the kernel unlocks when the process ends.
package struct BrokerSlot: ~Copyable {
    /// The most keys of one user: the vault's, the phone's, and as many again.
    package static let maxCount = 4

    private let file: Int32

    /// Takes a slot.
    ///
    /// - Parameters:
    ///   - user: the user.
    ///   - folder: a folder that none but the broker can write.
    /// - Throws: `tooMany` if all are taken; `failed`.
    package init(of user: UInt32, in folder: String) throws(BrokerRefusal) {
        for number in 1...Self.maxCount {
            let path = "\(folder)/\(user)-\(number)"
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else {
                throw BrokerRefusal(.failed, reason: "\(path) cannot be opened: \(String(cString: strerror(errno)))")
            }
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                self.file = file
                return
            }
            close(file)
        }
        throw BrokerRefusal(.tooMany, reason: "the user \(user) has \(Self.maxCount) keys already")
    }

    deinit { close(file) }
}

/// The reason why a caller gets no key.
package struct BrokerRefusal: Error, Sendable {
    /// The notice for the caller.
    package let notice: BrokerNotice
    /// The reason, for the log: lower case, one line.
    package let reason: String

    package init(_ notice: BrokerNotice, reason: String) {
        self.notice = notice
        self.reason = reason
    }
}
