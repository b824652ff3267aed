/// Asks on the terminal that the process runs in.
///
/// Rules: the question goes to the terminal itself, whatever the standard streams are redirected to; what was typed
/// before the question does not count; only `y` or `yes`, or the number of an account where there are several, is a yes;
/// everything that comes from the peer is shown in quotation marks with control characters and direction overrides
/// escaped.
///
/// A terminal question cannot tell who answers. What it can vouch for is that somebody sits in this user's session, into
/// which they have logged in; whether that counts as user verification is for the caller to decide.
public struct TerminalUserVerification: UserVerification {
    /// Whether a yes counts as verified, because the session is a logged-in person's own.
    public let canVerify: Bool
    private let path: String
    private let timeout: Duration

    /// How often the terminal is looked at for an answer.
    private static let pollInterval = Duration.milliseconds(50)
    /// How many answers that make no sense are borne.
    private static let maxAttempts = 3

    /// Makes one.
    ///
    /// - Parameters:
    ///   - countsAsVerification: whether a yes counts as user verification.
    ///   - timeout: how long an answer may take.
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
                    terminal.write("\ncancelled by the other side\n")
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
