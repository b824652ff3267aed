internal import Encodings
package import LinuxSupport

extension ApprovalQuestion {
    /// Lengths from which texts are cut, in Unicode scalars: a character may have any number of them.
    private struct Limits {
        let name: Int
        /// For the whole request.
        let request: Int

        /// The limits of a dialogue of one sentence.
        static let sentence = Self(name: 64, request: 320)
        static let none = Self(name: .max, request: .max)
    }

    /// The question as one sentence without its end, for dialogues that take no more.
    ///
    /// Text of the peer is quoted and cut, a site at its left, so that its owner is seen; characters that could mislead
    /// the eye, or that dialogues take for markup, are escaped. Unless ``isWholeInSentence(account:)``, the whole
    /// question must have been shown before.
    ///
    /// - Parameter account: the index of the chosen account; nil if there was no choice, and the first one is used.
    package func sentence(account: Int?) -> String { sentence(account, .sentence).english }

    /// True if nothing is cut in the sentence.
    package func isWholeInSentence(account: Int?) -> Bool {
        sentence(account, .sentence).english.utf8.elementsEqual(sentence(account, .none).english.utf8)
    }

    private func sentence(_ account: Int?, _ limits: Limits) -> Sentence {
        let site = Self.site(rpID, longest: limits.name)
        return switch operation {
        case .register: "make a passkey for the site \(site)\(words(for: account, limits))\(replacement)"
        case .alreadyRegistered: "tell the site \(site) that there is already a passkey for it here"
        case .signIn: "sign in to the site \(site)\(words(for: account, limits))"
        case .noPasskey: "tell the site \(site) that there is no passkey for it here"
        case .select: "use \(holder.text) as the authenticator"
        case .presentCredential: "show a digital credential to the site \(site)\(asked(limits))"
        case .answerLink: "answer the linked client \(plainDetails(limits))"
        case .usePhone: rpID.isEmpty ? "use your phone as the security key" : "use your phone for the site \(site)"
        case .exportPasskeys: "write private keys in clear text: \(plainDetails(limits))"
        case .copyPasskeys: "copy passkeys to \(handOver(limits))"
        case .movePasskeys: "move passkeys to \(handOver(limits))"
        case .settlePasskeys: "settle passkeys with \(handOver(limits))"
        case .receivePasskeys: "take passkeys from \(handOver(limits))"
        case .receiveCredential: "take a digital credential from the site \(site)\(asked(limits))"
        }
    }

    /// The question's first line, for the title of a notification. Text of the peer is quoted and escaped.
    package var title: Sentence { ApprovalPrompt(self, at: .dialogue).title }

    private var replacement: String {
        replaced.map {
            ", which replaces the one\($0.day.map { " made on \($0)" } ?? ""): the old one will no longer work"
        } ?? ""
    }

    private func plainDetails(_ limits: Limits) -> String {
        Self.plain(details.joined(separator: ", "), asASCII: false, longest: limits.name)
    }

    private func handOver(_ limits: Limits) -> String {
        func listed(_ texts: [String]) -> String {
            Self.plain(texts.joined(separator: "; "), asASCII: false, longest: limits.request)
        }
        let sent = inTransit.map { "\($0.passkey), in transit to \($0.receiver)" }
        return "the device \(Self.plain(rpName ?? "", asASCII: false, longest: limits.name))"
            + (details.isEmpty ? "" : ": \(listed(details))")
            + (sent.isEmpty ? "" : ", and remove from this vault those that it says it has of \(listed(sent))")
    }

    private func asked(_ limits: Limits) -> String {
        guard !details.isEmpty else { return "" }
        let text = details.joined(separator: "; ")
        return ", which asks \(Self.plain(text, asASCII: false, longest: limits.request))"
    }

    private func words(for account: Int?, _ limits: Limits) -> String {
        let index = account ?? 0
        guard accounts.indices.contains(index) else { return "" }
        let names = [accounts[index].name, accounts[index].displayName].compactMap(\.self).filter { !$0.isEmpty }
        let name = names.first.map { Self.plain($0, asASCII: false, longest: limits.name) } ?? "without a name"
        let isUnchosen = account == nil && accounts.count > 1
        return ", account \(name)" + (isUnchosen ? ", the newest of \(accounts.count)" : "")
    }

    /// A site in quotation marks. The owner of a name is at its right end: of a name that is too long, labels at the
    /// left are left out.
    private static func site(_ name: String, longest: Int) -> String {
        let scalars = name.unicodeScalars
        guard scalars.count > longest else { return plain(name, asASCII: true, longest: longest) }
        let end = String(scalars.suffix(longest))
        let labels = end.drop { $0 != "." }
        return "\"…" + plain(labels.isEmpty ? end : String(labels), asASCII: true, longest: longest).dropFirst()
    }

    /// A text of the peer's in quotation marks for a dialogue of several lines, whole.
    static func dialogueText(_ text: String) -> String { plain(text, asASCII: false, longest: .max) }

    /// A site in quotation marks for a dialogue of several lines, whole.
    static func dialogueSite(_ name: String) -> String { plain(name, asASCII: true, longest: .max) }

    /// A text of the peer's in quotation marks, without its padding.
    private static func plain(_ text: String, asASCII: Bool, longest: Int) -> String {
        let scalars = text.collapsingPadding.unicodeScalars
        let isCut = scalars.count > longest
        // CBOR's diagnostic notation escapes control characters and direction overrides.
        let quoted = CBORValue.text(String(scalars.prefix(longest))).diagnostic()
        let escaped = quoted.unicodeScalars.map { scalar in
            markup.contains(scalar) || asASCII && !scalar.isASCII
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return escaped.joined() + (isCut ? " (and more)" : "")
    }

    /// Characters that begin markup in some desktops' dialogues, and variables in polkit's messages.
    private static let markup: Set<Unicode.Scalar> = ["<", ">", "&", "$"]
}
