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

    /// The catalogue of `hybrid`, installed with it, or in the folder that `TEXTDOMAINDIR` names.
    private static let domain = "hybrid-transport"

    /// Chooses the language of the environment. Before anything is shown.
    static func load() {
        let places = [getenv("TEXTDOMAINDIR").map { String(cString: $0) }, installed]
        if let folder = places.lazy.compactMap(\.self).first(where: { !$0.isEmpty }) { bindtextdomain(domain, folder) }
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// `share/locale` beside the `bin` of this program.
    private static var installed: String? {
        guard let path = g_file_read_link("/proc/self/exe", nil) else { return nil }
        defer { g_free(path) }
        let parts = String(cString: path).split(separator: "/").dropLast(2)
        return "/" + (parts + ["share", "locale"]).joined(separator: "/")
    }

    private static func translated(_ text: String) -> String { String(cString: dgettext(domain, text)) }
}
