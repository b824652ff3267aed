import CommandLine
import Glibc

/// A file that a site serves below `/.well-known`, as JSON.
enum SiteFile {
    /// More than the longest that is of any use, so that a longer one is said to be too long.
    private static let longest = 1 << 19

    /// The contents of a file that begins as a JSON object, or that is said to be a site's.
    ///
    /// - Returns: nil if there is no such file.
    /// - Throws: ``SystemError``; `CancellationError`.
    static func contents(of path: String, as kind: Subject.Kind?) throws -> [UInt8]? {
        let isSaid = kind == .relatedOrigins || kind == .appSiteAssociation
        guard kind == nil || isSaid, !path.isEmpty else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let contents = try StandardStreams.read(limit: longest, from: file)
        return isSaid || Subject.isObject(contents) ? contents : nil
    }
}
