internal import Glibc
internal import SystemPackage

/// A file with secrets that is written as they come: of this user, mode 0600. A file that is replaced whole is an
/// ``AtomicFile``.
///
/// Another user who may write into its directory must not get them: no symbolic link is followed there, and nothing is
/// written to a file or a pipe of another user.
package final class PrivateFile: Sendable {
    /// Reason not to write, for users: a predicate of which the path is the subject.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        /// The system refused; its words.
        case system(String)
        case notRegular
        case otherOwner
        case exposed

        /// The reason, one line.
        package var description: String {
            switch self {
            case .system(let words): "cannot be written: \(words)"
            case .notRegular: "is not a regular file"
            case .otherOwner: "belongs to another user"
            case .exposed: "can be used by other users"
            }
        }
    }

    private let file: FileDescriptor

    /// The directories of the system's own links, such as /dev/stdout and /dev/fd/63, which lead to open files.
    private static let systemLinks = ["/dev/", "/proc/"]

    private init(_ file: FileDescriptor) { self.file = file }

    // Nothing is kept back, so that there is no error to report.
    deinit { try? file.close() }

    /// Opens a file, or makes it, to append to it.
    ///
    /// - Throws: ``Problem``: it must be a regular file of this user, mode 0600 already.
    package static func appending(to path: String) throws(Problem) -> PrivateFile {
        // Non-blocking: opening a pipe must not wait until its other end is open.
        let file = try open(path, .readWrite, [.append, .create, .nonBlocking, .noFollow])
        let status = try file.status()
        guard status.type == .regular else { throw .notRegular }
        guard status.userID.rawValue == geteuid() else { throw .otherOwner }
        guard status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else {
            throw .exposed
        }
        return file
    }

    /// Opens a file to replace its contents, or makes it. It may also be a device, or a pipe.
    ///
    /// - Throws: ``Problem``, for a symbolic link to a file in the system's words for ELOOP.
    package static func replacing(_ path: String) throws(Problem) -> PrivateFile {
        let tooManyLinks = Problem.system("\(Errno.tooManySymbolicLinkLevels)")
        let file: PrivateFile
        var isLink = false
        do throws(Problem) {
            file = try open(path, .writeOnly, [.create, .noFollow])
        } catch {
            guard error == tooManyLinks, systemLinks.contains(where: path.hasPrefix) else { throw error }
            file = try open(path, .writeOnly, [])
            isLink = true
        }
        let status = try file.status()
        let isOwn = status.userID.rawValue == geteuid()
        switch status.type {
        case .regular where isLink: throw tooManyLinks
        case .regular:
            guard isOwn else { throw .otherOwner }
            // Emptied once it is known whose it is. Permissions of an older file would otherwise stay.
            guard fchmod(file.file.rawValue, 0o600) == 0, ftruncate(file.file.rawValue, 0) == 0 else { throw .last }
        case .fifo where !isLink && !isOwn: throw .otherOwner
        default: break
        }
        return file
    }

    /// Writes bytes whole.
    ///
    /// - Throws: ``Problem`` `system`.
    package func write(_ bytes: [UInt8]) throws(Problem) {
        do { _ = try file.writeAll(bytes) } catch { throw .system("\(error)") }
    }

    /// Writes bytes by one call, so that several programs can append to one file.
    ///
    /// - Throws: ``Problem`` `system`; a part may have been written then.
    package func writeAtOnce(_ bytes: Span<UInt8>) throws(Problem) {
        let count: Int
        do { count = try bytes.withUnsafeBytes { try file.write($0) } } catch { throw .system("\(error)") }
        guard count == bytes.count else { throw .system("\(Errno.noSpace)") }
    }

    /// The first bytes of a file that is appended to; none if they cannot be read.
    package func beginning(byteCount: Int) -> [UInt8] {
        var start = [UInt8](repeating: 0, count: byteCount)
        let count = start.withUnsafeMutableBytes { pread(file.rawValue, $0.baseAddress, $0.count, 0) }
        return Array(start.prefix(max(0, count)))
    }

    private func status() throws(Problem) -> Stat {
        do { return try file.stat() } catch { throw .system("\(error)") }
    }

    private static func open(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
    ) throws(Problem) -> PrivateFile {
        let options = options.union([.closeOnExec, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        do {
            return PrivateFile(
                try FileDescriptor.open(FilePath(path), mode, options: options, permissions: .ownerReadWrite))
        } catch {
            throw .system("\(error)")
        }
    }
}

extension PrivateFile.Problem {
    fileprivate static var last: Self { .system("\(Errno(rawValue: errno))") }
}
