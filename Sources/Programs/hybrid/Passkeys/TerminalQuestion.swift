import CommandLine
import Glibc
import LinuxSupport
import UserVerification

/// A question at the terminal that has a yes and a no.
enum TerminalQuestion {
    private static let terminal = "/dev/tty"
    private static let pollTimeout: Int32 = 100
    private static let longestAnswer = 256

    /// Asks; everything but a yes is a no. A yes that comes too soon is asked for again.
    ///
    /// - Parameter hint: what can be done where there is no terminal.
    /// - Throws: ``Failure`` if there is no terminal; `CancellationError`.
    static func ask(_ question: String, hint: String = "run this in a terminal, or give --yes") throws -> Bool {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure.usage("there is no terminal to ask you at", hint: hint)
        }
        defer { close(file) }
        tcflush(file, TCIFLUSH)
        let clock = QuestionClock()
        var attempts = 0
        var resumptions = ProcessResumption.count
        try StandardStreams.write("\(question) [y/n] ".utf8, to: file)
        var shown = clock.now
        while true {
            if ProcessResumption.count != resumptions {
                resumptions = ProcessResumption.count
                try StandardStreams.write("\(question) [y/n] ".utf8, to: file)
                shown = clock.now
            }
            guard !Task.isCancelled else {
                try StandardStreams.write("\n".utf8, to: file)
                throw CancellationError()
            }
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, pollTimeout) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: longestAnswer)
            let count = read(file, &bytes, longestAnswer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // Nothing was typed, not even the end of a line: ^D.
            if count == 0 { try StandardStreams.write("\n".utf8, to: file) }
            let answer = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).trimmingWhitespace().lowercased()
            guard ["y", "yes"].contains(answer) else { return false }
            guard clock.isTooSoon(since: shown) else { return true }
            attempts += 1
            guard attempts < QuestionClock.mostAttempts else { return false }
            tcflush(file, TCIFLUSH)
            try StandardStreams.write("that was too soon to be an answer\n\(question) [y/n] ".utf8, to: file)
            shown = clock.now
        }
    }
}
