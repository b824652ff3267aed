import Glibc

/// A file that nobody but its owner may read: a picture of a QR code, with which anybody could answer in the user's
/// place.
enum PrivateFile {
    private static let ownerOnly: mode_t = 0o600

    /// Writes a file, in the place of what was there. It may also be a device or a pipe.
    ///
    /// - Throws: ``SystemError``.
    static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, ownerOnly)
        guard file >= 0 else { throw SystemError.last }
        defer { close(file) }
        var status = stat()
        // Permissions of an older file would otherwise stay.
        if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(file, ownerOnly) }
        try StandardStreams.write(bytes, to: file)
    }
}
