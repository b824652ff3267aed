internal import Glibc
internal import SystemPackage

/// An open file, closed with this value.
struct OpenFile: ~Copyable, Sendable {
    private let file: FileDescriptor
    private let path: String

    private static let anyAccessByOthers: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
    private static let writingByOthers: FilePermissions = [.groupWrite, .otherWrite]

    /// Opens a file; never by way of a symbolic link in the last place, and never for child processes. One that is made
    /// has mode 0600, or the permissions that the process's mask leaves of others.
    init(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
        _ permissions: FilePermissions = .ownerReadWrite
    ) throws(AtomicFileError) {
        do {
            file = try Self.open(path, mode, options, permissions)
        } catch {
            throw Self.refusal(path, error)
        }
        self.path = path
    }

    /// Opens a file likewise; nil if there is none.
    init?(
        ifThere path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
    ) throws(AtomicFileError) {
        do {
            file = try Self.open(path, mode, options, .ownerReadWrite)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw Self.refusal(path, error)
        }
        self.path = path
    }

    // All that was written is on the disk by now, so that there is no error to report.
    deinit { try? file.close() }

    /// Takes the lock that one holder can have, without waiting.
    ///
    /// - Returns: false if another process has it.
    func takeLock() throws(AtomicFileError) -> Bool {
        while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw .failure("lock", path)
            }
        }
        return true
    }

    /// Gives the lock up, also for a process that is being started at this moment and has the file as well.
    func giveUpLock() { _ = flock(file.rawValue, LOCK_UN) }

    /// Checks that this is a regular file of ours, as private as it must be.
    ///
    /// - Returns: its length in bytes.
    func checkOwned(_ access: AtomicFile.Access) throws(AtomicFileError) -> Int {
        let status: Stat
        do { status = try file.stat() } catch { throw .failure("examine", path, error) }
        guard status.type == .regular else { throw Self.notAFile(path) }
        let owner = status.userID.rawValue
        guard owner == geteuid() else {
            throw AtomicFileError(.wrongOwner, reason: "\(path) belongs to user \(owner), not to you")
        }
        let forbidden = access == .ownerOnly ? Self.anyAccessByOthers : Self.writingByOthers
        guard status.permissions.isDisjoint(with: forbidden) else {
            throw AtomicFileError(.exposed, reason: "other users may use \(path); try: chmod 600 \(path)")
        }
        return Int(status.size)
    }

    /// Reads the file to its end, but no more bytes than the limit.
    func readAll(limit: Int) throws(AtomicFileError) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                while count < limit {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                    let length = try file.read(into: rest)
                    guard length > 0 else { return }
                    count += length
                }
            }
        } catch {
            throw .failure("read", path, error)
        }
    }

    /// Writes all the bytes and waits until they are on the disk.
    func writeAll(_ bytes: Span<UInt8>) throws(AtomicFileError) {
        do {
            _ = try bytes.withUnsafeBytes { try file.writeAll($0) }
        } catch {
            throw .failure("write", path, error)
        }
        try synchronize()
    }

    /// Waits until the file, or the directory's entries, are on the disk.
    func synchronize() throws(AtomicFileError) {
        while fsync(file.rawValue) != 0 {
            guard errno == EINTR else { throw .failure("write", path) }
        }
    }

    private static func open(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
        _ permissions: FilePermissions
    ) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path), mode, options: options.union([.closeOnExec, .noFollow]), permissions: permissions)
    }

    private static func refusal(_ path: String, _ error: any Error) -> AtomicFileError {
        error as? Errno == .tooManySymbolicLinkLevels ? notAFile(path) : .failure("open", path, error)
    }

    private static func notAFile(_ path: String) -> AtomicFileError {
        AtomicFileError(.notAFile, reason: "\(path) is not a regular file")
    }
}

extension AtomicFileError {
    /// The error for a call that failed: with an error of the system, or else with `errno`.
    static func failure(_ verb: String, _ path: String, _ error: any Error = Errno(rawValue: errno)) -> Self {
        let code: Code =
            switch error as? Errno {
            case .fileExists: .exists
            case .noSpace, .diskQuotaExceeded: .noSpace
            case .readOnlyFileSystem: .readOnly
            default: .inputOutput
            }
        return Self(code, reason: "cannot \(verb) \(path): \(error)")
    }
}
