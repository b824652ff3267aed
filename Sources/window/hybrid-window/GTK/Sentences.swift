import CGTK
import Glibc

/// The window's own sentences; all others are those of `hybrid`.
enum Sentences {
    /// The title of the window, in every state: no text of others is in it.
    static let windowTitle = translated("Passkey")
    static let scroll = translated("Scroll to the end to approve")
    static let choose = translated("Select an account")
    static let again = translated("Repeat it")
    static let different = translated("The two entries are different")
    static let tooLong = translated("At most 1,024 bytes are possible")
    static let code = translated("QR code")
    static let waiting = translated("Waiting")
    static let success = translated("Success")
    static let failure = translated("Failure")

    /// The catalogue of `hybrid`, in the folder that it names.
    private static let domain = "hybrid-transport"

    /// Chooses the language of the environment. Before anything is shown.
    static func load() {
        bindtextdomain(domain, getenv("TEXTDOMAINDIR"))
        bind_textdomain_codeset(domain, "UTF-8")
    }

    private static func translated(_ text: String) -> String {
        // Without a translation that is the very pointer that it was given.
        text.withCString { String(cString: dgettext(domain, $0)) }
    }
}
