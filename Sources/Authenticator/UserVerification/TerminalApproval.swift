internal import Glibc
internal import LinuxSupport

/// A terminal for questions to the user, opened by its path so that redirected streams make no difference.
struct Terminal: ~Copyable, Sendable {
    private let raw: Int32

    /// The longest line that is read; a terminal's own limit is 4096.
    private static let maxLineByteCount = 256

    /// Opens a terminal; nil if there is none.
    init?(path: String) {
        let raw = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        guard isatty(raw) == 1 else {
            close(raw)
            return nil
        }
        self.raw = raw
    }

    deinit { close(raw) }

    /// Throws away input that was typed before anybody was asked.
    func discardInput() { tcflush(raw, TCIFLUSH) }

    /// The longest time that a terminal may take nothing of a text.
    private static let writeTimeout = Duration.seconds(10)
    /// The time between attempts to write. No thread is blocked meanwhile: all tasks share a few.
    private static let writeInterval = Duration.milliseconds(10)

    /// Writes a text.
    ///
    /// - Returns: false if the terminal does not take all of it, or the task is cancelled before it does: a question
    ///   that was not shown was not asked.
    @discardableResult
    func write(_ text: Sentence) async -> Bool {
        var rest = Array(text.localized.utf8)[...]
        var lastWritten = ContinuousClock.now
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                lastWritten = .now
                continue
            }
            let mayTakeMore = written < 0 && (errno == EAGAIN || errno == EINTR)
            guard mayTakeMore, .now - lastWritten < Self.writeTimeout,
                (try? await Task.sleep(for: Self.writeInterval)) != nil
            else { return false }
        }
        return true
    }

    /// Input that is available.
    enum Input {
        /// Nothing yet.
        case none
        /// A line, without its end.
        case line(String)
        /// The end of input: the user typed ^D, or the terminal is gone.
        case end
    }

    /// Reads a line if there is one. The terminal hands out whole lines only.
    func read() -> Input {
        var buffer = [UInt8](repeating: 0, count: Self.maxLineByteCount)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(raw, $0.baseAddress, $0.count) }
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .none : .end }
        let line = buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return .line(String(decoding: line, as: UTF8.self))
    }
}

/// Asks on the terminal that the process runs in.
///
/// Rules: the question goes to the terminal itself, whatever the standard streams are redirected to; input typed before
/// the question does not count, and a yes within half a second of it is asked for again; after ^Z and `fg` it is shown
/// again; only `y` or `yes`, or the number of an account where there are several, is a yes; everything that comes from
/// the peer is shown in quotation marks, with control characters and direction overrides escaped.
///
/// A yes at the terminal proves that somebody uses this session, and not who: it is user presence, never verification.
public struct TerminalApproval: UserApproval {
    /// Always false.
    public var canVerify: Bool { false }
    private let path: String
    private let timeout: Duration
    private let clock: QuestionClock

    /// Interval between two looks for an answer.
    private static let pollInterval = Duration.milliseconds(50)
    /// The number of invalid answers after which the question counts as declined.
    private static let maxAttempts = 3

    /// Makes one.
    ///
    /// - Parameters:
    ///   - timeout: the longest time for an answer.
    ///   - path: the terminal; the process's own unless said otherwise.
    public init(timeout: Duration = .seconds(60), path: String = "/dev/tty") {
        self.init(timeout: timeout, path: path, clock: QuestionClock())
    }

    init(timeout: Duration = .seconds(60), path: String, clock: QuestionClock) {
        self.path = path
        self.timeout = timeout
        self.clock = clock
    }

    /// Asks, and waits for the answer.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        guard let terminal = Terminal(path: path) else { return .refused(.unavailable) }
        let deadline = ContinuousClock.now + timeout
        let prompt = ApprovalPrompt(question)
        // Before the question is shown: resumptions from then on count.
        var resumptions = ProcessResumption.count
        terminal.discardInput()
        guard await terminal.write(prompt.text) else { return .refused(.unavailable) }
        var shown = clock.now
        var attempts = 0
        while ContinuousClock.now < deadline {
            switch terminal.read() {
            case .end:
                await terminal.write("\n")
                return .refused(.declined)
            case .line(let line):
                let choice = prompt.choice(for: line)
                let isTooSoon = choice.map { $0 != .no && clock.isTooSoon(since: shown) } ?? false
                if let choice, !isTooSoon { return approval(for: choice) }
                attempts += 1
                guard attempts < Self.maxAttempts else { return .refused(.declined) }
                if isTooSoon { terminal.discardInput() }
                await terminal.write(isTooSoon ? "that was too soon to be an answer\n\(prompt.hint)" : prompt.hint)
                shown = clock.now
            case .none:
                if ProcessResumption.count != resumptions {
                    resumptions = ProcessResumption.count
                    await terminal.write(prompt.text)
                    shown = clock.now
                }
                guard (try? await Task.sleep(for: Self.pollInterval)) != nil else {
                    await terminal.write("\ncancelled\n")
                    return .refused(.cancelled)
                }
            }
        }
        await terminal.write("\nno answer in time\n")
        return .refused(.timedOut)
    }

    private func approval(for choice: ApprovalPrompt.Choice) -> Approval {
        switch choice {
        case .no: .refused(.declined)
        case .yes(let account): .approved(verified: nil, account: account)
        }
    }
}

/// The time in which a question can be read.
///
/// A yes that comes sooner was meant for something else: a key or a line that was being typed when the question
/// appeared. It counts as no answer, and the question is asked again. A no counts at any time.
package struct QuestionClock: Sendable {
    /// The shortest time between a question and a yes: as long as browsers wait before a dialogue takes one.
    package static let shortestReading = Duration.milliseconds(500)
    /// The most times that a question is asked; then too many answers came too soon, which is a no.
    package static let mostAttempts = 3

    private let time: @Sendable () -> ContinuousClock.Instant

    /// Makes a clock.
    ///
    /// - Parameter time: the present time; another one in tests.
    package init(_ time: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.time = time }

    /// The present time, for a question that is shown now.
    package var now: ContinuousClock.Instant { time() }

    /// True if a question that was shown at this time cannot have been read yet.
    package func isTooSoon(since shown: ContinuousClock.Instant) -> Bool { now - shown < Self.shortestReading }
}
