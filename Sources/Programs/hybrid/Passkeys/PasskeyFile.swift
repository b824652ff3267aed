import CommandLine
import Glibc
import LinuxSupport
import PasskeyExchange
import SystemPackage

/// A file of passkeys that another program may have written.
enum PasskeyFile {
    private static let hint: Sentence = "give the file that hybrid passkeys export, or another program, has written"

    /// Reads a regular file of at most 256 MiB; anybody may be its owner, and have access to it.
    ///
    /// - Throws: ``Failure``.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        // Non-blocking: opening a pipe must not wait until its other end is open.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path, .last) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path, .last) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.file, code: "not-a-file", cause: "\(path) is not a regular file", hint: hint)
        }
        guard status.st_size <= PasskeyFormat.maxByteCount else {
            throw Failure(
                .file, code: PasskeyFormatError.Code.tooLarge.rawValue,
                cause: "\(path) has \(status.st_size) bytes, more than the \(PasskeyFormat.maxByteCount) that are read",
                hint: hint)
        }
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let length = Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                if length < 0, errno == EINTR { continue }
                if length < 0 { failure = .last }
                guard length > 0 else { break }
                count += length
            }
        }
        if let failure { throw unreadable(path, failure) }
        return bytes
    }

    private static func unreadable(_ path: String, _ error: Errno) -> Failure {
        Failure(.file, code: "input-output", cause: "\(path) cannot be read: \(error)", hint: hint)
    }
}
