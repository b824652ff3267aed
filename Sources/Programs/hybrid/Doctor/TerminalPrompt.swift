import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// A question at the terminal that has a line for an answer.
enum TerminalPrompt {
    private static let terminal = "/dev/tty"

    /// Asks, and waits for a line.
    ///
    /// - Parameter limit: the longest answer, in bytes.
    /// - Returns: the answer without white space at its ends; nil if it is empty.
    /// - Throws: ``Failure``; `CancellationError`.
    static func ask(_ question: Sentence, limit: Int = 256) throws -> String? {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure.usage("there is no terminal to lead you at", hint: "run this in a terminal")
        }
        defer { close(file) }
        // Input before the question does not count.
        tcflush(file, TCIFLUSH)
        do {
            try StandardStreams.write("\(question): ".utf8, to: file)
            let answer = try StandardStreams.readLine(limit: limit, from: file).trimmingWhitespace()
            return answer.isEmpty ? nil : answer
        } catch let error as Errno {
            throw Failure(
                .file, code: "input-output", cause: "the terminal cannot be read: \(error)",
                hint: "run this in a terminal")
        }
    }
}
