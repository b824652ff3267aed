import CommandLine
import Cryptography
import HybridProtocol
import LinuxSupport
import Synchronization

/// A key log: a file of lines in the format of NSS, the keys of hybrid sessions and the secrets of TLS connections.
///
/// It is a ``PrivateFile`` which is appended to, each line by one write, so that several programs can share it.
final class KeyLogFile: Sendable {
    private let file: PrivateFile
    private let path: String
    private let reporter: Reporter
    private let hasFailed = Atomic(false)

    /// The beginnings of the lines of a key log: ours, and NSS's.
    private static let beginnings = ["#", TrafficKeys.label, "CLIENT_", "SERVER_", "EXPORTER_", "EARLY_", "RSA "]

    /// Opens or makes the file, and warns of it.
    ///
    /// - Throws: ``Failure`` if it cannot be written, or is something other than a key log: nothing is appended to such
    ///   a file.
    init(path: String, _ reporter: Reporter) throws(Failure) {
        do throws(PrivateFile.Problem) { file = try .appending(to: path) } catch {
            throw Self.failure(path, "\(error)")
        }
        let text = String(decoding: file.beginning(byteCount: 32), as: UTF8.self)
        guard text.isEmpty || Self.beginnings.contains(where: text.hasPrefix) else {
            throw Self.failure(path, "is not a key log")
        }
        self.path = path
        self.reporter = reporter
        let warning: Sentence = "anyone who has \(path) and a capture can read these sessions (--key-log)"
        reporter.warn("key-log", warning)
        // With --json that was a line on standard output.
        if reporter.isJSON { reporter.show("hybrid: warning: \(warning.english)\n") }
    }

    /// Takes the keys of sessions.
    var trafficKeys: TrafficKeyLog {
        { [self] keys in append(keys.line.span) }
    }

    /// Takes the secrets of TLS connections.
    var tlsLines: @Sendable ([UInt8]) -> Void { { [self] in append($0.span) } }

    private func append(_ line: Span<UInt8>) {
        do throws(PrivateFile.Problem) {
            try file.writeAtOnce(line)
        } catch {
            guard case .system(let words) = error, !hasFailed.exchange(true, ordering: .relaxed) else { return }
            reporter.warn("key-log-incomplete", "the key log \(path) lacks keys: \(words)")
        }
    }

    private static func failure(_ path: String, _ reason: Sentence) -> Failure {
        Failure(
            .file, code: "key-log", cause: "\(quoted(path)) \(reason)",
            hint: "give --key-log a new file, or a key log of mode 0600 that is yours")
    }
}
