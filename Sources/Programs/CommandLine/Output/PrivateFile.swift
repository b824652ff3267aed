import Glibc

/// A file that nobody but its owner may read: a picture of a QR code, with which anybody could answer in the user's
/// place.
package enum PrivateFile {
    private static let ownerOnly: mode_t = 0o600

    /// Writes a file, in the place of what was there. It may also be a device or a pipe. A symbolic link to a file is
    /// not followed: another user who may write into the directory could lead the secret elsewhere.
    ///
    /// - Throws: ``SystemError``, for a symbolic link to a file ELOOP.
    package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
        var file = open(path, flags | O_CREAT | O_TRUNC | O_NOFOLLOW, ownerOnly)
        // /dev/stdout and /dev/fd/63 are links too, to a pipe or a terminal.
        let isLink = file < 0 && errno == ELOOP
        if isLink { file = open(path, flags) }
        guard file >= 0 else { throw SystemError.last }
        defer { close(file) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            guard !isLink else { throw SystemError(number: ELOOP) }
            // Permissions of an older file would otherwise stay.
            fchmod(file, ownerOnly)
        }
        try StandardStreams.write(bytes, to: file)
    }
}
