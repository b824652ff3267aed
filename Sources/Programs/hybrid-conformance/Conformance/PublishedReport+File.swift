import CommandLine
import Conformance
import Glibc
import LinuxSupport
import SystemPackage

extension PublishedReport {
    /// Reads a file.
    ///
    /// - Throws: ``Failure``.
    static func read(_ path: String) throws(Failure) -> PublishedReport {
        let bytes = try BoundedFile.read(path, limit: byteLimit, hint: Self.hint)
        do throws(RunnerError) {
            return try PublishedReport(parsing: bytes)
        } catch {
            throw Failure(.file, error, cause: "\(path): \(reason: error.reason)", hint: hint)
        }
    }

    private static let hint: Sentence = "give the report.json of a run with --report by this version of the program"
}

/// A file that somebody names on the command line, of which nothing is known.
enum BoundedFile {
    /// Reads a regular file whole.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are taken.
    ///   - hint: the remedy where it cannot be read.
    /// - Throws: ``Failure`` also for a pipe, a folder or a device, and for a larger file, of which nothing is read.
    static func read(_ path: String, limit: Int, hint: Sentence) throws(Failure) -> [UInt8] {
        func failure(_ what: Sentence) -> Failure {
            Failure(.file, code: "input-output", cause: "\(path) \(what)", hint: hint)
        }
        // Non-blocking: opening a pipe must not wait until its other end is open.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw failure("cannot be read: \(Errno.last)") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("cannot be read: \(Errno.last)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure("is not a file") }
        guard status.st_size <= limit else {
            throw failure("has \(status.st_size) bytes, of at most \(limit)")
        }
        do {
            return try StandardStreams.read(limit: limit, from: file)
        } catch {
            throw failure("cannot be read: \(error)")
        }
    }
}
