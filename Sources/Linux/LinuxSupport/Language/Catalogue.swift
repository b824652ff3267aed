internal import CLinux
internal import Glibc

/// The catalogue of the programs' sentences in other languages, in gettext's format; the C library reads it.
///
/// The environment chooses the language: `LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`. Before ``load(from:)``, and where
/// the catalogue has nothing, sentences are in English.
package enum Catalogue {
    /// The name of its files: `LANGUAGE/LC_MESSAGES/hybrid-transport.mo`.
    package static let domain = "hybrid-transport"
    private static let directoryVariable = "TEXTDOMAINDIR"
    private static let reviewerField = "X-Consent-Reviewer:"

    /// Chooses the language of the process, once at its start.
    ///
    /// - Parameter directory: the folder of the languages, unless `TEXTDOMAINDIR` names another.
    package static func load(from directory: String) {
        setlocale(LC_CTYPE, "")
        setlocale(LC_MESSAGES, "")
        bindtextdomain(domain, ProcessEnvironment.value(directoryVariable) ?? directory)
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// True if somebody is named in the catalogue's header who has reviewed its questions for consent. Until then they
    /// are shown in English too.
    package static var isConsentReviewed: Bool {
        text("").split(separator: "\n").contains { line in
            line.hasPrefix(reviewerField) && line.dropFirst(reviewerField.count).contains(where: \.isLetter)
        }
    }

    /// The translation of a sentence's form; the form itself if there is none.
    static func text(_ form: String) -> String { form.withCString { String(cString: dgettext(domain, $0)) } }

    /// The same for a number of things.
    static func text(_ one: String, _ other: String, _ count: Int) -> String {
        one.withCString { one in
            other.withCString { String(cString: dngettext(domain, one, $0, UInt(clamping: count))) }
        }
    }
}
