@_exported public import Encodings

/// A notification with up to two buttons, *Answer* and *Refuse*.
package struct DesktopNotification: Sendable, Hashable {
    /// The user's answer to a notification.
    package enum Answer: Sendable, Hashable {
        /// *Answer* was pressed, or the notification itself.
        case answer
        /// *Refuse* was pressed.
        case refuse
        /// The user closed it.
        case dismissed
        /// Its time was up, here or at the daemon.
        case expired
        /// Something else closed it.
        case closed
    }

    /// One line, in this machine's words.
    package var summary: String
    /// The text below. A text of a peer's must be escaped and cut already.
    package var body: String
    /// The addition to the text where the daemon has no buttons: another way to answer.
    package var withoutButtons: String
    /// The words on the button that answers.
    package var answerLabel: String
    /// The words on the button that refuses.
    package var refuseLabel: String
    /// True if it is kept on the screen until it is closed, as far as the daemon does so.
    package var isUrgent: Bool

    /// Makes one: a question for consent.
    package init(
        summary: Sentence, body: Sentence, withoutButtons: Sentence, answerLabel: Sentence = "Answer",
        refuseLabel: Sentence = "Refuse", isUrgent: Bool = true
    ) {
        self.summary = summary.consent(" / ").localized
        self.body = body.consent().localized
        self.withoutButtons = withoutButtons.consent().localized
        self.answerLabel = answerLabel.consent(" / ").localized
        self.refuseLabel = refuseLabel.consent(" / ").localized
        self.isUrgent = isUrgent
    }
}

/// Failure of a service of the desktop's session.
package typealias DesktopSessionError = CodedError<DesktopSessionErrorCode>

/// Kind of failure.
package enum DesktopSessionErrorCode: String, ErrorCode {
    /// There is no message bus.
    case noBus = "no-bus"
    /// Nothing on the bus offers the service.
    case noService = "no-service"
    /// The service, or the bus, went away in the middle.
    case lost
    /// The task was cancelled.
    case cancelled
    /// The service refuses, fails, or does not keep to its interface.
    case serviceFailed = "service-failed"
}

extension DesktopSessionError {
    /// Maps an error of the message bus.
    ///
    /// - Parameters:
    ///   - error: the bus's or the peer's error.
    ///   - service: the service's name, for texts.
    init(_ error: DBusError, of service: String) {
        let code: Code =
            switch (error.code, error.name) {
            case (.cancelled, _): .cancelled
            case (.noBus, _), (.invalidAddress, _): .noBus
            case (_, DBusError.Name.serviceUnknown), (_, DBusError.Name.nameHasNoOwner): .noService
            case (.disconnected, _), (_, DBusError.Name.noReply), (_, DBusError.Name.disconnected): .lost
            default: .serviceFailed
            }
        self.init(code, reason: "\(service): \(error.reason)")
    }

    static func wrongType(_ member: String, of service: String) -> Self {
        Self(.serviceFailed, reason: "\(service): \(member) returned an unexpected type")
    }
}

/// Event of the user's session that matters to a vault unlocked in it.
package enum SessionEvent: Sendable, Hashable {
    /// The screen is locked, or was locked already when the watch began.
    case screenLocked
    /// The screen is unlocked again.
    case screenUnlocked
    /// The machine is about to sleep. It waits until ``SessionWatch/allowSleep()``, but not for long: logind's own
    /// limit is 5 seconds unless its administrator has set another.
    case sleeping
    /// The machine is awake again.
    case woken
    /// The session has ended, or has begun to.
    case sessionEnded
    /// A service has gone, so that some of these events are no longer seen.
    case lost(DesktopSessionError.Code, reason: String)
}
