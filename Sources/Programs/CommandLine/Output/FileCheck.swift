import Glibc
package import LinuxSupport
import SystemPackage

/// Checks of files that are named on the command line, before anything else happens.
package enum FileCheck {
    /// Demands that a file can be read.
    ///
    /// - Throws: ``Failure`` with the file and the option that named it.
    package static func readable(_ path: String, option: String) throws(Failure) {
        guard access(path, R_OK) != 0 else { return }
        throw Failure(
            .file, code: "input-output", cause: "\(path) cannot be read: \(Errno.last)",
            hint: "check the file given with \(option)")
    }

    /// True if nothing is lost when a file is written: there is none, it is empty or no regular file, or it is of the
    /// kind that will take its place.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - beginnings: the first bytes of that kind, each possible.
    package static func isReplaceable(_ path: String, beginnings: [[UInt8]]) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { return false }
        defer { close(file) }
        let longest = beginnings.map(\.count).max() ?? 0
        guard let beginning = try? StandardStreams.read(limit: longest, from: file) else { return false }
        return beginnings.contains { beginning.starts(with: $0) }
    }

    /// Demands that a file can be written, or made with its folders.
    ///
    /// - Throws: ``Failure``.
    package static func writable(_ path: String, hint: Sentence) throws(Failure) {
        var place = path
        while access(place, F_OK) != 0, errno == ENOENT || errno == ENOTDIR {
            guard let slash = place.lastIndex(of: "/") else { place = "."; break }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        var status = stat()
        let isRoom = place == path || stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if !isRoom { errno = ENOTDIR }
        guard !isRoom || access(place, W_OK) != 0 else { return }
        throw Failure(.file, code: "input-output", cause: "\(path) cannot be written: \(Errno.last)", hint: hint)
    }
}
