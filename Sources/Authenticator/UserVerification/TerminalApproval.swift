internal import LinuxSupport

/// Asks on the terminal that the process runs in.
///
/// Rules: the question goes to the terminal itself, whatever the standard streams are redirected to; what was typed
/// before the question does not count, and a yes within half a second of it is asked for again; after ^Z and `fg` it is
/// shown again; only `y` or `yes`, or the number of an account where there are several, is a yes; everything that comes
/// from the peer is shown in quotation marks, with control characters and direction overrides escaped.
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
        terminal.discardInput()
        guard await terminal.write(prompt.text) else { return .refused(.unavailable) }
        var shown = clock.now
        var attempts = 0
        var resumptions = ProcessResumption.count
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
                await terminal.write((isTooSoon ? "that was too soon to be an answer\n" : "") + prompt.hint)
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
