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

    package init(
        summary: String, body: String, withoutButtons: String, answerLabel: String = "Answer",
        refuseLabel: String = "Refuse", isUrgent: Bool = true
    ) {
        self.summary = summary
        self.body = body
        self.withoutButtons = withoutButtons
        self.answerLabel = answerLabel
        self.refuseLabel = refuseLabel
        self.isUrgent = isUrgent
    }
}
