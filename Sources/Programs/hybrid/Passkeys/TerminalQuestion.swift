import CommandLine
import Glibc
import LinuxSupport
import UserVerification

/// A question at the terminal that is answered by a line.
enum TerminalQuestion {
    private static let terminal = "/dev/tty"
    private static let pollTimeout: Int32 = 100
    private static let longestAnswer = 256

    /// Meaning of a line.
    private enum Reading<Answer> {
        case answer(Answer)
        /// It is none, for this reason: the question is asked again.
        case again(Sentence)
    }

    /// Asks for a yes or a no; everything but a yes is a no. A yes that comes too soon is asked for again.
    ///
    /// - Parameter hint: the remedy where there is no terminal.
    /// - Throws: ``Failure`` if there is no terminal; `CancellationError`.
    static func ask(_ question: Sentence, hint: Sentence = "run this in a terminal, or give --yes") throws -> Bool {
        try read("\(question.consent()) [y/n] ", hint: hint, within: nil) { line, isTooSoon in
            guard let line, ["y", "yes"].contains(line.lowercased()) else { return .answer(false) }
            return isTooSoon ? .again("that was too soon to be an answer") : .answer(true)
        } ?? false
    }

    /// Asks for a number that is shown elsewhere.
    ///
    /// - Parameters:
    ///   - count: the number of its digits; a line without so many digits is asked for again.
    ///   - question: the words of the prompt.
    ///   - limit: the longest time for the answer.
    /// - Returns: the digits, ASCII.
    /// - Throws: `Approval.Refusal` `declined`, `timedOut`; ``Failure`` if there is no terminal; `CancellationError`.
    static func digits(_ count: Int, _ question: Sentence, within limit: Duration) throws -> String {
        let typed = try read(
            "\(question): ", hint: "run this in a terminal, or give --ask desktop", within: limit
        ) { line, _ -> Reading<String?> in
            guard let line else { return .answer(nil) }
            return digits(count, in: line).map { .answer($0) } ?? .again("that is not a number of \(count) digits")
        }
        guard let typed, let typed else { throw Approval.Refusal.declined }
        return typed
    }

    /// The digits of a text that has so many, and nothing else but spaces; nil for another one.
    static func digits(_ count: Int, in text: String) -> String? {
        let digits = text.filter { !$0.isWhitespace }
        let isNumber = digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        return isNumber && digits.utf8.count == count ? digits : nil
    }

    /// Asks until a line is an answer.
    ///
    /// - Parameter take: gets a line, or nil at the end of the input, and whether it came too soon to have been meant.
    /// - Returns: nil after too many lines that are none.
    private static func read<Answer>(
        _ prompt: Sentence, hint: Sentence, within limit: Duration?,
        _ take: (_ line: String?, _ isTooSoon: Bool) -> Reading<Answer>
    ) throws -> Answer? {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure.usage("there is no terminal to ask you at", hint: hint)
        }
        defer { close(file) }
        tcflush(file, TCIFLUSH)
        let clock = QuestionClock()
        let deadline = limit.map { ContinuousClock.now + $0 }
        var attempts = 0
        var resumptions = ProcessResumption.count
        try StandardStreams.write(prompt.localized.utf8, to: file)
        var shown = clock.now
        while true {
            if ProcessResumption.count != resumptions {
                resumptions = ProcessResumption.count
                try StandardStreams.write(prompt.localized.utf8, to: file)
                shown = clock.now
            }
            guard !Task.isCancelled else {
                try StandardStreams.write("\n".utf8, to: file)
                throw CancellationError()
            }
            if let deadline, deadline <= .now {
                try StandardStreams.write(("\nno answer in time\n" as Sentence).localized.utf8, to: file)
                throw Approval.Refusal.timedOut
            }
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, pollTimeout) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: longestAnswer)
            let count = Glibc.read(file, &bytes, longestAnswer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // Nothing was typed, not even the end of a line: ^D.
            if count <= 0 { try StandardStreams.write("\n".utf8, to: file) }
            let line = count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self).trimmingWhitespace() : nil
            switch take(line, clock.isTooSoon(since: shown)) {
            case .answer(let answer): return answer
            case .again(let reason):
                attempts += 1
                guard attempts < QuestionClock.mostAttempts else { return nil }
                tcflush(file, TCIFLUSH)
                try StandardStreams.write("\(reason.localized)\n\(prompt.localized)".utf8, to: file)
                shown = clock.now
            }
        }
    }
}
