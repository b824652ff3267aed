import Glibc
package import HybridTransport
package import LinuxSupport
import Synchronization
package import SystemPackage

/// Writes events: lines for people on standard error, or one JSON object a line on standard output.
///
/// The rules are few. Results go to standard output, everything else to standard error. Lines for people are lower case
/// and have no full stop; an error is followed by a hint. Secrets are in none of them, but for the QR code itself.
package final class Reporter: Sendable {
    package let isJSON: Bool
    private let start = ContinuousClock.now
    private let output = Mutex(Output())
    private let result = Mutex<Sentence?>(nil)
    /// The tasks that say what is waited for, by role; nil for a command that is no ceremony.
    private let waiting = Mutex<[Role?: Task<Void, Never>]>([:])

    /// The time without a report after which the user is told what is waited for.
    private static let silenceLimit = Duration.seconds(1)

    /// The state of standard output; its lock keeps lines whole.
    private struct Output {
        var lost: Errno?
        var whenLost: (@Sendable () -> Void)?
    }

    package init(isJSON: Bool) { self.isJSON = isJSON }

    /// The time since the command began.
    package var elapsed: Duration { ContinuousClock.now - start }

    /// Warns of something that the user should know although the command goes on.
    package func warn(_ code: String, _ text: Sentence, role: Role? = nil) {
        guard !isJSON else { return writeJSON(.notice(code, text, role: role)) }
        show("\(JournalPriority.warning.prefix)hybrid: \("warning: \(text)" as Sentence)\n")
    }

    /// Reports a failure, with the place in our sources if we should hear of it; nothing if the reader of the
    /// output has gone.
    package func report(_ failure: Failure) {
        guard failure.status != .brokenPipe else { return }
        // A program that reads no more leaves only people to be told.
        guard !isJSON || lostOutput != nil else { return writeJSON(failure.line) }
        // The answer has come where a refusal is reported.
        let stage = failure.status == .declined ? nil : failure.stage
        let source = failure.hint == Hint.report ? failure.place.map { " (\($0))" } ?? "" : ""
        let priority = JournalPriority.error.prefix
        let error: Sentence =
            stage.map { "error before \($0.text): \(failure.text)\(source)" } ?? "error: \(failure.text)\(source)"
        let lines: [Sentence] = [error, "hint: \(failure.hint)"]
        show(lines.map { "\(priority)hybrid: \($0)\n" }.joined())
    }

    /// Writes a line for the user; a program does not need it.
    package func say(_ text: Sentence) {
        guard !isJSON else { return }
        show("hybrid: \(text)\n")
    }

    /// Writes a text for the user as it is.
    package func show(_ text: String) {
        // Where standard error is lost, this cannot be reported either.
        output.withLock { _ in try? StandardStreams.write(text.utf8, to: STDERR_FILENO) }
    }

    /// Writes a line to standard output, as it is.
    package func print(_ text: String) {
        let whenLost: (@Sendable () -> Void)? = output.withLock { output in
            guard output.lost == nil else { return nil }
            do throws(Errno) {
                try StandardStreams.write((text + "\n").utf8, to: STDOUT_FILENO)
                return nil
            } catch {
                output.lost = error
                return output.whenLost
            }
        }
        whenLost?()
    }

    /// Writes a line for programs if they are wanted, otherwise the other one for people.
    package func write(_ line: Line, orSay text: @autoclosure () -> Sentence) {
        if line.event == "result" { note(result: text()) }
        if isJSON { writeJSON(line) } else { say(text()) }
    }

    /// The sentence that tells the last result; nil before the first.
    package var lastResult: Sentence? { result.withLock(\.self) }

    /// Notes the sentence that tells a result.
    package func note(result sentence: Sentence) { result.withLock { $0 = sentence } }

    /// Writes a result: a line for programs if they are wanted, otherwise a text for people, on standard output both.
    package func write(_ line: Line, orPrint text: @autoclosure () -> Sentence) {
        if isJSON { writeJSON(line) } else { print(text().localized) }
    }

    /// Writes a line for programs on standard output.
    package func writeJSON(_ line: Line) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        print(line.text(at: Double(time.tv_sec) + Double(time.tv_nsec / 1_000) / 1e6))
    }

    /// Says what is waited for, if nothing happens soon; nil if nothing is waited for any more.
    package func wait(for expectation: Sentence?, as role: Role? = nil) {
        let task = expectation.map { expectation in
            Task { [self] in
                guard (try? await Task.sleep(for: Self.silenceLimit)) != nil else { return }
                say("waiting: \(expectation)")
            }
        }
        waiting.withLock { waiting in
            waiting[role]?.cancel()
            waiting[role] = task
        }
    }

    /// The error that standard output was lost with; nil while it works.
    package var lostOutput: Errno? { output.withLock { $0.lost } }

    /// Sets the action for the loss of standard output: there is no use in going on.
    package func onLostOutput(_ action: @escaping @Sendable () -> Void) { output.withLock { $0.whenLost = action } }
}

extension Stage {
    /// The stage as the end of "before …".
    fileprivate var text: Sentence {
        switch self {
        case .qrShown: "the QR code was shown"
        case .qrScanned: "the QR code was read"
        case .tunnelOpened: "a tunnel was opened"
        case .advertising: "the advert was sent"
        case .advertSeen: "an advert was heard"
        case .advertOpened: "an advert of this session was heard"
        case .tunnelJoined: "the tunnel was joined"
        case .channelOpened: "the devices were connected"
        case .handshaken: "the handshake was done"
        case .ready: "the session was ready"
        case .commandSent: "the request was sent"
        case .userVerified: "the user was verified"
        case .commandAnswered: "the request was answered"
        case .linked: "the devices were linked"
        case .closed: "the session was closed"
        }
    }
}

extension Duration {
    /// The duration in milliseconds, to the microsecond.
    package var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds / 1_000_000_000_000) / 1e3
    }
}

/// An event of a module below, as a program reports it. Each program has words for those that it meets.
package protocol ReportedEvent: Event {
    /// The report of the event, in the ceremony of a role; nil for an event of no ceremony.
    func report(as role: Role?) -> EventReport
}

/// Report of an event: a line for programs, words for people.
package enum EventReport {
    /// A line for programs, or a sentence for people.
    case line(Line, Sentence)
    /// The same of a stage of a ceremony, with its time since the command began; and the expectation then,
    /// nil for none.
    case stage(Line, Sentence, waitingFor: Sentence?)
    /// A sentence for people.
    case sentence(Sentence)
    /// A warning by its code, and the role whose ceremony it is of.
    case warning(String, Sentence, Role?)
    /// The end of a ceremony: nothing is waited for any more.
    case end
    case nothing
}

extension Reporter {
    /// Reports the events of a role, or of none.
    package func listener(for role: Role? = nil) -> EventListener { { [self] event in report(event, as: role) } }

    /// Reports an event, if this program has words for it.
    package func report(_ event: any Event, as role: Role? = nil) {
        switch (event as? any ReportedEvent)?.report(as: role) {
        case .line(let line, let text): write(line, orSay: text)
        case .stage(let line, let text, let expectation):
            let milliseconds = elapsed.milliseconds
            write(
                Line(line.event, line.fields, ["elapsed_ms": milliseconds]),
                orSay: "\(Self.padded(milliseconds)) ms  \(text)")
            wait(for: expectation, as: role)
        case .sentence(let text): say(text)
        case .warning(let code, let text, let role): warn(code, text, role: role)
        case .end: wait(for: nil, as: role)
        case .nothing, nil: break
        }
    }

    private static func padded(_ milliseconds: Double) -> String {
        let text = String(Int(milliseconds))
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
