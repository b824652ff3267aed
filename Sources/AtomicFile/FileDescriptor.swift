internal import Glibc

/// An open file, closed when its owner dies.
struct FileDescriptor: ~Copyable, Sendable {
    private let raw: Int32
    private let path: String

    /// The permissions of a directory that is made here: the owner's only.
    static let directoryOwnerOnly: mode_t = 0o700
    /// The permissions of every file that is made here: the owner's only.
    private static let ownerOnly: mode_t = 0o600
    private static let anyAccessByOthers: mode_t = 0o077
    private static let writingByOthers: mode_t = 0o022

    /// Opens a file; never by way of a symbolic link in the last place, and never for child processes.
    init(opening path: String, _ flags: Int32) throws(AtomicFileError) {
        let raw = Self.open(path, flags)
        guard raw >= 0 else { throw Self.refusal(path) }
        self.raw = raw
        self.path = path
    }

    /// Opens a file likewise, or gives nil if there is none.
    init?(ifThere path: String, _ flags: Int32) throws(AtomicFileError) {
        let raw = Self.open(path, flags)
        guard raw >= 0 || errno != ENOENT else { return nil }
        guard raw >= 0 else { throw Self.refusal(path) }
        self.raw = raw
        self.path = path
    }

    deinit { close(raw) }

    /// Takes the lock that one holder can have, without waiting; false if another has it.
    func takeLock() throws(AtomicFileError) -> Bool {
        if Self.retrying({ flock(raw, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .failure("lock", path) }
        return false
    }

    /// Checks that this is a regular file of ours, as private as it must be, and gives its length in bytes.
    func checkOwned(_ access: AtomicFile.Access) throws(AtomicFileError) -> Int {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw .failure("examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.notAFile(path) }
        guard status.st_uid == geteuid() else {
            throw AtomicFileError(.wrongOwner, reason: "\(path) belongs to user \(status.st_uid), not to you")
        }
        let forbidden = access == .ownerOnly ? Self.anyAccessByOthers : Self.writingByOthers
        guard status.st_mode & forbidden == 0 else {
            throw AtomicFileError(.exposed, reason: "others than you may use \(path); try: chmod 600 \(path)")
        }
        return Int(status.st_size)
    }

    /// Reads the file to its end, but no more bytes than the limit.
    func readAll(limit: Int) throws(AtomicFileError) -> [UInt8] {
        var count = 0
        var result = 1
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            while count < limit, result > 0 {
                result = Self.retrying { read(raw, buffer.baseAddress.map { $0 + count }, limit - count) }
                count += max(result, 0)
            }
            initialized = count
        }
        guard result >= 0 else { throw .failure("read", path) }
        return bytes
    }

    /// Writes all the bytes and waits until they are on the disk.
    func writeAll(_ bytes: Span<UInt8>) throws(AtomicFileError) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.extracting(droppingFirst: offset).withUnsafeBytes { rest in
                Self.retrying { write(raw, rest.baseAddress, rest.count) }
            }
            guard written > 0 else { throw .failure("write", path) }
            offset += written
        }
        try synchronize()
    }

    /// Waits until the file, or the directory's entries, are on the disk.
    func synchronize() throws(AtomicFileError) {
        guard Self.retrying({ fsync(raw) }) == 0 else { throw .failure("write", path) }
    }

    private static func open(_ path: String, _ flags: Int32) -> Int32 {
        retrying { Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, ownerOnly) }
    }

    private static func refusal(_ path: String) -> AtomicFileError {
        errno == ELOOP ? notAFile(path) : .failure("open", path)
    }

    private static func notAFile(_ path: String) -> AtomicFileError {
        AtomicFileError(.notAFile, reason: "\(path) is not a regular file")
    }

    /// Calls again as long as a signal interrupts.
    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension AtomicFileError {
    /// The error for the call that has just failed.
    static func failure(_ verb: String, _ path: String) -> Self {
        let number = errno
        let cause = String(cString: strerror(number))
        let code: Code =
            switch number {
            case EEXIST: .exists
            case ENOSPC, EDQUOT: .noSpace
            case EROFS: .readOnly
            default: .inputOutput
            }
        return Self(code, reason: "cannot \(verb) \(path): \(cause)")
    }
}
