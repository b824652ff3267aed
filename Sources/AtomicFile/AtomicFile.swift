internal import Glibc

/// A small file of ours that is read whole and replaced whole.
///
/// Each change is written to a new file beside it (`FILE.new`, mode 0600), which takes the file's place once it is
/// safely on the disk: a crash leaves the old contents or the new. Whoever changes the file holds its ``FileLock``.
public struct AtomicFile: Sendable, Hashable {
    /// Who may have access to the file.
    public enum Access: Sendable, Hashable {
        /// Nobody but its owner: a file of others' permissions is refused.
        case ownerOnly
        /// Others may read it, if its owner wants that; only its owner may write.
        case readableByOthers
    }

    /// The file. It need not exist.
    public let path: String
    /// Who may have access to it.
    public let access: Access

    private static let newSuffix = ".new"

    /// Names a file; nothing is touched.
    public init(path: String, access: Access = .ownerOnly) {
        self.path = path
        self.access = access
    }

    /// The contents, or nil if there is no file.
    ///
    /// - Parameter limit: the most bytes that are taken.
    /// - Throws: ``AtomicFileError`` `wrong-owner`, `exposed`, `not-a-file` (a symbolic link is none), `too-large` or
    ///   `input-output`.
    public func read(limit: Int) throws(AtomicFileError) -> [UInt8]? {
        // O_NONBLOCK: opening a pipe must not wait for somebody to write to it.
        guard let file = try FileDescriptor(ifThere: path, O_RDONLY | O_NONBLOCK) else { return nil }
        let byteCount = try file.checkOwned(access)
        guard byteCount <= limit else {
            throw AtomicFileError(.tooLarge, reason: "\(path) has \(byteCount) bytes, more than the \(limit) expected")
        }
        return try file.readAll(limit: byteCount)
    }

    /// Which file is there now; nil if there is none. It differs once the file was replaced, and costs no reading.
    ///
    /// - Throws: ``AtomicFileError`` `input-output`.
    public func identity() throws(AtomicFileError) -> Identity? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno != ENOENT else { return nil }
            throw .failure("examine", path)
        }
        return Identity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            changedSeconds: Int64(status.st_ctim.tv_sec), changedNanoseconds: Int64(status.st_ctim.tv_nsec))
    }

    /// What tells a file from one that takes its place. An inode's number may be given again; then its time is another.
    public struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int64
        let changedSeconds: Int64
        let changedNanoseconds: Int64
    }

    /// Takes the lock of this file, waiting for another process to give it up.
    ///
    /// - Parameter patience: how long to wait at most. The calling thread sleeps so long.
    /// - Throws: ``AtomicFileError`` `in-use`, `not-a-file`, `no-space`, `read-only` or `input-output`.
    public func lock(patience: Duration = .zero) throws(AtomicFileError) -> FileLock {
        try FileLock(of: path, patience: patience)
    }

    /// Replaces the contents, safely on the disk when this returns; after an error the file is as it was.
    ///
    /// - Parameters:
    ///   - contents: the new contents.
    ///   - lock: this file's lock.
    /// - Throws: ``AtomicFileError`` `no-space`, `read-only` or `input-output`.
    public func replace(with contents: Span<UInt8>, _ lock: borrowing FileLock) throws(AtomicFileError) {
        let newPath = path + Self.newSuffix
        // The lock is ours, so what is there was left by a crash.
        unlink(newPath)
        do throws(AtomicFileError) {
            let new = try FileDescriptor(opening: newPath, O_WRONLY | O_CREAT | O_EXCL)
            try new.writeAll(contents)
            guard rename(newPath, path) == 0 else { throw .failure("replace", path) }
        } catch {
            unlink(newPath)
            throw error
        }
        let directory = Self.directory(of: path)
        try FileDescriptor(opening: directory, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Writes a file that is not there yet, mode 0600; safely on the disk when this returns.
    ///
    /// - Throws: ``AtomicFileError`` `exists`, `no-space`, `read-only` or `input-output`.
    public func create(with contents: Span<UInt8>) throws(AtomicFileError) {
        let new = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL)
        do throws(AtomicFileError) {
            try new.writeAll(contents)
        } catch {
            unlink(path)
            throw error
        }
        try FileDescriptor(opening: Self.directory(of: path), O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Makes the directory of the file, and those above it, mode 0700, where they are missing.
    ///
    /// - Throws: ``AtomicFileError`` `no-space`, `read-only` or `input-output`.
    public func makeDirectory() throws(AtomicFileError) { try Self.make(Self.directory(of: path)) }

    private static func make(_ directory: String) throws(AtomicFileError) {
        guard Glibc.access(directory, F_OK) != 0 else { return }
        let parent = self.directory(of: directory)
        if parent != directory { try make(parent) }
        guard mkdir(directory, FileDescriptor.directoryOwnerOnly) == 0 || errno == EEXIST else {
            throw .failure("make", directory)
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
