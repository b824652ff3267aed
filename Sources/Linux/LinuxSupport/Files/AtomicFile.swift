// Compiled as a whole, the module sees the parts of `timespec` by these headers.
import CLinux
internal import Glibc
internal import SystemPackage

/// A small file of ours that is read whole and replaced whole.
///
/// Each change is written to a new file beside it (`FILE.new`, mode 0600), which takes the file's place once it is
/// safely on the disk: a crash leaves the old contents or the new. A process that changes the file holds its
/// ``FileLock``.
package struct AtomicFile: Sendable, Hashable {
    /// The users that may have access to the file.
    package enum Access: Sendable, Hashable {
        /// Its owner only: a file of other permissions is refused.
        case ownerOnly
        /// Others may read it, if its owner wants that; only its owner may write.
        case readableByOthers
        /// Those whom the process's mask gives access to a new file: a report, a page.
        case masked
    }

    /// The file. It need not exist.
    package let path: String
    /// The users that may have access to it.
    package let access: Access

    /// The end of the name of a file that will take another one's place; a file that has it was left by a crash.
    package static let newSuffix = ".new"
    /// The permissions of a directory that is made here: its owner's only.
    private static let directoryMode: mode_t = 0o700

    /// Names a file; nothing is touched.
    package init(path: String, access: Access = .ownerOnly) {
        self.path = path
        self.access = access
    }

    /// The contents, or nil if there is no file.
    ///
    /// - Parameter limit: the most bytes that are taken.
    /// - Throws: ``AtomicFileError`` `wrong-owner`, `exposed`, `not-a-file` (also for a symbolic link), `too-large` or
    ///   `input-output`.
    package func read(limit: Int) throws(AtomicFileError) -> [UInt8]? {
        // Non-blocking: opening a pipe must not wait until its other end is open.
        guard let file = try OpenFile(ifThere: path, .readOnly, .nonBlocking) else { return nil }
        let byteCount = try file.checkOwned(access)
        guard byteCount <= limit else {
            throw AtomicFileError(.tooLarge, reason: "\(path) has \(byteCount) bytes, more than the \(limit) expected")
        }
        return try file.readAll(limit: byteCount)
    }

    /// The first bytes of a file that ``read(limit:)`` refuses as exposed, to tell what it is and nothing more: others
    /// may have written it. Nil if they cannot be read.
    package func beginningOfExposed(limit: Int) -> [UInt8]? {
        do throws(AtomicFileError) {
            guard let file = try OpenFile(ifThere: path, .readOnly, .nonBlocking) else { return nil }
            return try file.readAll(limit: limit)
        } catch {
            return nil
        }
    }

    /// The identity of the file that is there now; nil if there is none. It differs once the file was replaced.
    ///
    /// - Throws: ``AtomicFileError`` `input-output`.
    package func identity() throws(AtomicFileError) -> Identity? {
        let status: Stat
        do throws(Errno) {
            status = try FilePath(path).stat(followTargetSymlink: false)
        } catch {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw .failure("examine", path, error)
        }
        return Identity(
            device: UInt64(status.deviceID.rawValue), inode: UInt64(status.inode.rawValue), byteCount: status.size,
            changedSeconds: Int64(status.st_ctim.tv_sec), changedNanoseconds: Int64(status.st_ctim.tv_nsec))
    }

    /// The difference between a file and one that takes its place. An inode's number may be given again; then its time
    /// is another.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int64
        let changedSeconds: Int64
        let changedNanoseconds: Int64
    }

    /// Takes the lock of this file, waiting for another process to give it up.
    ///
    /// - Parameters:
    ///   - timeout: the longest time to wait. The calling thread sleeps so long.
    ///   - makingDirectory: true to make the directory first, as ``makeDirectory()`` does.
    /// - Throws: ``AtomicFileError`` `in-use`, `not-a-file`, `no-space`, `read-only` or `input-output`.
    package func lock(timeout: Duration = .zero, makingDirectory: Bool = false) throws(AtomicFileError) -> FileLock {
        if makingDirectory { try makeDirectory() }
        return try FileLock(of: path, timeout: timeout)
    }

    /// Replaces the contents, safely on the disk when this returns; after an error the file is as it was.
    ///
    /// - Parameters:
    ///   - contents: the new contents.
    ///   - lock: this file's lock.
    /// - Throws: ``AtomicFileError`` `no-space`, `read-only` or `input-output`.
    package func replace(with contents: Span<UInt8>, _ lock: borrowing FileLock) throws(AtomicFileError) {
        let newPath = path + Self.newSuffix
        // The lock is ours, so a file there was left by a crash.
        unlink(newPath)
        try Replacement(of: self, at: newPath, contents).commit()
    }

    /// Replaces the contents without a lock: of several writers the last one counts. Otherwise as
    /// ``replace(with:_:)``.
    package func replace(with text: String) throws(AtomicFileError) { try replace(with: Array(text.utf8)) }

    /// Replaces the contents likewise.
    package func replace(with contents: [UInt8]) throws(AtomicFileError) {
        try replacement(with: contents).commit()
    }

    /// Writes new contents beside the file, safely on the disk when this returns.
    ///
    /// - Throws: as ``replace(with:_:)``.
    package func replacement(with contents: [UInt8]) throws(AtomicFileError) -> Replacement {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return try Replacement(of: self, at: "\(path).\(number)\(Self.newSuffix)", contents.span)
    }

    /// Writes a file that does not exist yet, mode 0600; safely on the disk when this returns.
    ///
    /// - Throws: ``AtomicFileError`` `exists`, `no-space`, `read-only` or `input-output`.
    package func create(with contents: Span<UInt8>) throws(AtomicFileError) {
        let new = try OpenFile(path, .writeOnly, [.create, .exclusiveCreate])
        do throws(AtomicFileError) {
            try new.writeAll(contents)
        } catch {
            unlink(path)
            throw error
        }
        try OpenFile(Self.directory(of: path), .readOnly, .directory).synchronize()
    }

    /// Makes the directory of the file, and those above it, mode 0700, where they are missing.
    ///
    /// - Throws: ``AtomicFileError`` `no-space`, `read-only` or `input-output`.
    package func makeDirectory() throws(AtomicFileError) { try Self.make(Self.directory(of: path)) }

    private static func make(_ directory: String) throws(AtomicFileError) {
        guard Glibc.access(directory, F_OK) != 0 else { return }
        let parent = self.directory(of: directory)
        if parent != directory { try make(parent) }
        guard mkdir(directory, directoryMode) == 0 || errno == EEXIST else {
            throw .failure("make", directory)
        }
    }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension AtomicFile {
    /// New contents of a file, safely on the disk beside it. They take its place with ``commit()``; otherwise they go.
    package struct Replacement: ~Copyable {
        private let path: String
        private let newPath: String

        init(of file: AtomicFile, at newPath: String, _ contents: Span<UInt8>) throws(AtomicFileError) {
            do throws(AtomicFileError) {
                let permissions: FilePermissions =
                    file.access == .masked ? [.ownerReadWrite, .groupReadWrite, .otherReadWrite] : .ownerReadWrite
                let new = try OpenFile(newPath, .writeOnly, [.create, .exclusiveCreate], permissions)
                try new.writeAll(contents)
            } catch {
                unlink(newPath)
                throw error
            }
            path = file.path
            self.newPath = newPath
        }

        // Nothing is there any more once it has taken the file's place.
        deinit { unlink(newPath) }

        /// Puts the contents in the file's place.
        ///
        /// - Throws: ``AtomicFileError`` `input-output`; also for a directory at the path.
        package consuming func commit() throws(AtomicFileError) {
            guard rename(newPath, path) == 0 else { throw .failure("replace", path) }
            try OpenFile(AtomicFile.directory(of: path), .readOnly, .directory).synchronize()
        }
    }
}
