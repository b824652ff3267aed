/// Asks on the terminal that the process runs in.
///
/// Rules: the question goes to the terminal itself, whatever the standard streams are redirected to; what was typed
/// before the question does not count; only `y` or `yes`, or the number of an account where there are several, is a
/// yes; everything that comes from the peer is shown in quotation marks with control characters and direction overrides
/// escaped.
///
/// A question at the terminal does not prove the user's identity. It proves that someone uses this session, into which
/// the user has logged in; the caller decides if that counts as user verification.
public struct TerminalApproval: UserApproval {
    /// True if an approval counts as verified, because it comes from the user's own session.
    public let canVerify: Bool
    private let path: String
    private let timeout: Duration

    /// Interval between two looks for an answer.
    private static let pollInterval = Duration.milliseconds(50)
    /// The number of invalid answers after which the question counts as declined.
    private static let maxAttempts = 3

    /// Makes one.
    ///
    /// - Parameters:
    ///   - countsAsVerification: True if an approval counts as user verification.
    ///   - timeout: The longest time for an answer.
    ///   - path: the terminal; the process's own unless said otherwise.
    public init(countsAsVerification: Bool, timeout: Duration = .seconds(60), path: String = "/dev/tty") {
        canVerify = countsAsVerification
        self.path = path
        self.timeout = timeout
    }

    /// Asks, and waits for the answer.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        guard let terminal = Terminal(path: path) else { return .unavailable }
        let deadline = ContinuousClock.now + timeout
        let prompt = ApprovalPrompt(question)
        terminal.discardInput()
        terminal.write(prompt.text)
        var attempts = 0
        while ContinuousClock.now < deadline {
            switch terminal.read() {
            case .end:
                return .declined
            case .line(let line):
                if let choice = prompt.choice(for: line) { return approval(for: choice) }
                attempts += 1
                guard attempts < Self.maxAttempts else { return .declined }
                terminal.write(prompt.hint)
            case .none:
                guard (try? await Task.sleep(for: Self.pollInterval)) != nil else {
                    terminal.write("\ncancelled\n")
                    return .cancelled
                }
            }
        }
        terminal.write("\nno answer in time\n")
        return .timedOut
    }

    private func approval(for choice: ApprovalPrompt.Choice) -> Approval {
        switch choice {
        case .no: .declined
        case .yes(let account): .approved(verified: canVerify, account: account)
        }
    }
}
