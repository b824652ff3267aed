import CommandLine
import Cryptography
import Glibc
import HybridProtocol
import Synchronization

/// A key log: a file of lines in the format of NSS, the keys of hybrid sessions and the secrets of TLS connections.
///
/// It is a regular file of the user's, mode 0600, which is appended to, each line by one write, so that several
/// programs can share it.
final class KeyLogFile: Sendable {
    private let file: Int32
    private let path: String
    private let reporter: Reporter
    private let hasFailed = Atomic(false)

    private static let ownerOnly: mode_t = 0o600
    /// The beginnings of the lines of a key log: ours, and NSS's.
    private static let beginnings = ["#", TrafficKeys.label, "CLIENT_", "SERVER_", "EXPORTER_", "EARLY_", "RSA "]

    /// Opens or makes the file, and warns of it.
    ///
    /// - Throws: ``Failure`` if it cannot be written, or is something other than a key log: nothing is appended to such
    ///   a file.
    init(path: String, _ reporter: Reporter) throws(Failure) {
        let file = open(
            path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, Self.ownerOnly)
        guard file >= 0 else { throw Self.failure(path, "cannot be written: \(SystemError.last)") }
        if let reason = Self.objection(to: file) {
            close(file)
            throw Self.failure(path, reason)
        }
        self.file = file
        self.path = path
        self.reporter = reporter
        let warning = "anyone who has \(path) and a capture reads all that is said in these sessions (--key-log)"
        reporter.warn("key-log", warning)
        // With --json that was a line on standard output.
        if reporter.isJSON { reporter.show("hybrid: warning: \(warning)\n") }
    }

    deinit { close(file) }

    /// Takes the keys of sessions.
    var trafficKeys: TrafficKeyLog {
        { [self] keys in
            var line = keys.line
            append(line)
            wipe(&line)
        }
    }

    /// Takes the secrets of TLS connections.
    var tlsLines: @Sendable ([UInt8]) -> Void { { [self] in append($0) } }

    private func append(_ line: [UInt8]) {
        let written = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written != line.count, !hasFailed.exchange(true, ordering: .relaxed) else { return }
        reporter.warn("key-log-incomplete", "the key log \(path) lacks keys: \(SystemError.last)")
    }

    /// Reason not to write keys into this file; nil if there is none.
    private static func objection(to file: Int32) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return "cannot be examined: \(SystemError.last)" }
        guard status.st_mode & S_IFMT == S_IFREG else { return "is not a regular file" }
        guard status.st_uid == geteuid() else { return "belongs to another user" }
        guard status.st_mode & 0o077 == 0 else { return "can be used by others than you" }
        var start = [UInt8](repeating: 0, count: 32)
        let count = start.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        let text = String(decoding: start.prefix(max(0, count)), as: UTF8.self)
        guard count <= 0 || beginnings.contains(where: { text.hasPrefix($0) }) else { return "is not a key log" }
        return nil
    }

    private static func failure(_ path: String, _ reason: String) -> Failure {
        Failure(
            .file, code: "key-log", cause: "\(quoted(path)) \(reason)",
            hint: "give --key-log a new file, or a key log of mode 0600 that is yours")
    }
}
