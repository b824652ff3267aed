import CommandLine
import DesktopAuthenticator
import LinuxSupport
import UserVerification

/// Asks by a notification of the desktop's, with *Answer* and *Refuse*: for requests that come while nobody watches a
/// terminal, of linked clients or of programs. It is taken away with the request. Where there is no notification, or it
/// has no buttons, the question is a dialogue.
struct NotifyingApproval: UserApproval {
    var canVerify: Bool { false }

    /// The longest time for an answer.
    let timeout: Duration
    /// The words for a question.
    let notification: @Sendable (ApprovalQuestion) -> DesktopNotification
    /// Asks where there is no notification.
    let dialogue: @Sendable () throws -> any UserApproval
    let reporter: Reporter
    /// Tells whether an answer comes too soon.
    var clock = QuestionClock()
    /// The bus of the notifications; nil for the session's.
    var bus: DBusAddress?
    /// The longest text of which a notification shows the whole, in Unicode scalars.
    private static let longestText = 240

    func ask(_ question: ApprovalQuestion) async -> Approval {
        let deadline = ContinuousClock.now + timeout
        do throws(DesktopSessionError) {
            // The ceremony that follows asks and verifies the user.
            switch try await notify(question) {
            case .answer: return .approved(verified: nil, account: nil)
            case .refuse: return .refused(.declined)
            case .dismissed, .expired, .closed: return .refused(.timedOut)
            case nil: break
            }
        } catch {
            guard error.code != .cancelled else { return .refused(.cancelled) }
            reporter.say("no notification can be shown: \(reason: error.reason)")
        }
        guard deadline > .now, let dialogue = try? dialogue() else { return .refused(.unavailable) }
        return await dialogue.ask(question)
    }

    /// The answer to a notification; nil if it would have no buttons, or not show the whole question.
    private func notify(_ question: ApprovalQuestion) async throws(DesktopSessionError) -> DesktopNotification.Answer? {
        // Where it is not known, the attempt says why.
        guard await (try? DesktopNotice.hasButtons(at: bus ?? .session())) ?? true else { return nil }
        let notification = notification(question)
        guard notification.summary.unicodeScalars.count + notification.body.unicodeScalars.count <= Self.longestText
        else { return nil }
        let daemon = try await NotificationDaemon.connect(to: bus)
        let answer: Result<DesktopNotification.Answer, DesktopSessionError>
        do throws(DesktopSessionError) {
            answer = .success(try await ask(notification, of: daemon))
        } catch {
            answer = .failure(error)
        }
        await daemon.close()
        return try answer.get()
    }

    /// Asks by a notification; an answer that comes too soon is asked for again.
    private func ask(
        _ notification: DesktopNotification, of daemon: NotificationDaemon
    ) async throws(DesktopSessionError) -> DesktopNotification.Answer {
        for _ in 0..<QuestionClock.mostAttempts {
            let shown = clock.now
            let answer = try await daemon.ask(notification, within: timeout)
            guard answer == .answer, clock.isTooSoon(since: shown) else { return answer }
        }
        return .refuse
    }
}
