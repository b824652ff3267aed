internal import CLinux
internal import Glibc
internal import Synchronization

/// The catalogue of the programs' sentences in other languages, in gettext's format; the C library reads it.
///
/// The environment chooses the language: `LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`. Before ``load(from:)``, and where
/// the catalogue has nothing, sentences are in English. A catalogue is trusted as the program is, because it words the
/// questions to the user, and the C library does not check the file: one that others may change is not read.
package enum Catalogue {
    /// The name of its files: `LANGUAGE/LC_MESSAGES/hybrid-transport.mo`.
    package static let domain = "hybrid-transport"
    /// The variable with the folder of the languages.
    package static let variable = "TEXTDOMAINDIR"
    private static let reviewerField = "X-Consent-Reviewer:"
    private static let languageField = "Language:"
    private static let loaded = Mutex<String?>(nil)

    /// The folder of the languages; nil without one.
    package static var folder: String? { loaded.withLock(\.self) }

    /// Chooses the language of the process, once at its start.
    ///
    /// - Parameter installed: the folder of the languages, in one that is as much to be trusted, unless
    ///   `TEXTDOMAINDIR` names another folder.
    package static func load(from installed: String) {
        let chosen = ProcessEnvironment.value(variable)
        guard chosen.map(isTrusted) ?? (isTrusted(installed) && isTrusted("\(installed)/..")) else { return }
        let folder = chosen ?? installed
        setlocale(LC_CTYPE, "")
        setlocale(LC_MESSAGES, "")
        bindtextdomain(domain, folder)
        bind_textdomain_codeset(domain, "UTF-8")
        loaded.withLock { $0 = folder }
    }

    /// True for a folder that only root and this process's user can change.
    private static func isTrusted(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && (status.st_uid == 0 || status.st_uid == geteuid()) && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    /// True if somebody is named in the catalogue's header who has reviewed its questions for consent. Until then they
    /// are shown in English too.
    package static var isConsentReviewed: Bool { field(reviewerField) != nil }

    /// The language that is spoken (RFC 5646), such as "zh-CN".
    package static var language: String { field(languageField)?.replacing("_", with: "-") ?? "en" }

    /// A field of the catalogue's header; nil if it is missing or empty.
    private static func field(_ name: String) -> String? {
        let line = text("").split(separator: "\n").first { $0.hasPrefix(name) }
        let value = line?.dropFirst(name.count).drop { $0 == " " } ?? ""
        return value.isEmpty ? nil : String(value)
    }

    /// The translation of a sentence's form; the form itself if there is none.
    static func text(_ form: String) -> String {
        form.withCString { form in
            let found = UnsafePointer(dgettext(domain, form))
            return found == form ? nil : found.map { String(cString: $0) }
        } ?? form
    }

    /// The same for a number of things.
    static func text(_ one: String, _ other: String, _ count: Int) -> String {
        one.withCString { one in
            other.withCString { other in
                let found = UnsafePointer(dngettext(domain, one, other, UInt(clamping: count)))
                return found == one || found == other ? nil : found.map { String(cString: $0) }
            }
        } ?? (count == 1 ? one : other)
    }
}
