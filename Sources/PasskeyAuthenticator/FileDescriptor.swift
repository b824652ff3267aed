internal import Glibc

/// An open file, closed when its owner dies.
struct FileDescriptor: ~Copyable, Sendable {
    private let raw: Int32

    /// The permissions of every file that is made here: the owner's only.
    static let ownerOnly: mode_t = 0o600
    /// The permissions that nobody but the owner may have.
    private static let others: mode_t = 0o077

    /// Opens a file; never by way of a symbolic link in the last place, and never for child processes.
    init(opening path: String, _ flags: Int32) throws(CredentialStoreError) {
        guard let file = try Self(openingIfPresent: path, flags) else { throw Self.failure("open", path) }
        self = file
    }

    /// Likewise; nil if there is no such file.
    init?(openingIfPresent path: String, _ flags: Int32) throws(CredentialStoreError) {
        let raw = Self.retrying { open(path, flags | O_CLOEXEC | O_NOFOLLOW, Self.ownerOnly) }
        guard raw >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw Self.notAFile(path)
            default: throw Self.failure("open", path)
            }
        }
        self.raw = raw
    }

    deinit { close(raw) }

    /// Takes the lock that one process can have, without waiting.
    func lock(_ path: String) throws(CredentialStoreError) {
        guard Self.retrying({ flock(raw, LOCK_EX | LOCK_NB) }) == 0 else {
            guard errno == EWOULDBLOCK else { throw Self.failure("lock", path) }
            throw CredentialStoreError(.inUse, reason: "another process has \(path) open; wait for it to end")
        }
    }

    /// Checks that this is a regular file of ours that nobody else can get at, and gives its length in bytes.
    func checkPrivate(_ path: String) throws(CredentialStoreError) -> Int {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw Self.failure("examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.notAFile(path) }
        guard status.st_uid == geteuid() else {
            throw CredentialStoreError(.wrongOwner, reason: "\(path) belongs to user \(status.st_uid), not to you")
        }
        guard status.st_mode & Self.others == 0 else {
            throw CredentialStoreError(
                .exposed, reason: "others than you may use \(path), which holds private keys; try: chmod 600 \(path)")
        }
        return Int(status.st_size)
    }

    /// Reads the file from where it stands to its end.
    ///
    /// - Parameter limit: the most bytes that are read.
    func readAll(_ path: String, limit: Int) throws(CredentialStoreError) -> [UInt8] {
        var count = 0
        var result = 1
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            while count < limit, result > 0 {
                result = Self.retrying { read(raw, buffer.baseAddress.map { $0 + count }, limit - count) }
                count += max(result, 0)
            }
            initialized = count
        }
        guard result >= 0 else { throw Self.failure("read", path) }
        return bytes
    }

    /// Writes all the bytes and waits until they are on the disk.
    func writeAll(_ bytes: Span<UInt8>, _ path: String) throws(CredentialStoreError) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.extracting(droppingFirst: offset).withUnsafeBytes { rest in
                Self.retrying { write(raw, rest.baseAddress, rest.count) }
            }
            guard written > 0 else { throw Self.failure("write", path) }
            offset += written
        }
        try sync(path)
    }

    /// Waits until the file, or the directory's entries, are on the disk.
    func sync(_ path: String) throws(CredentialStoreError) {
        guard Self.retrying({ fsync(raw) }) == 0 else { throw Self.failure("write", path) }
    }

    /// The error for the call that has just failed.
    static func failure(_ verb: String, _ path: String) -> CredentialStoreError {
        CredentialStoreError(.inputOutput, reason: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }

    private static func notAFile(_ path: String) -> CredentialStoreError {
        CredentialStoreError(.notAFile, reason: "\(path) is not a regular file")
    }

    /// Calls again as long as a signal interrupts.
    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
