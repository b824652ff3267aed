/// The window's own sentences; all others are those of `hybrid`.
enum Sentences {
    /// The title of the window, in every state: no text of others is in it.
    static let windowTitle = "Passkey"
    static let scroll = "Scroll to the end to approve"
    static let choose = "Select an account"
    static let again = "Repeat it"
    static let different = "The two entries are different"
    static let tooLong = "At most 1,024 bytes are possible"
    static let code = "QR code"
    static let waiting = "Waiting"
    static let success = "Success"
    static let failure = "Failure"
}
