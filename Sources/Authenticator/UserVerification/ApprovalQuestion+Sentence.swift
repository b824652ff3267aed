internal import Encodings

extension ApprovalQuestion {
    /// The longest name that is shown in a sentence, in characters.
    private static let longestName = 64
    /// The longest text of what is asked for that is shown in a sentence, in characters.
    private static let longestRequest = 320

    /// The question as one sentence without its end, for dialogues that take no more.
    ///
    /// Text of the peer is quoted and cut, a site at its left, so that its owner is seen; characters that could mislead
    /// the eye, or that dialogues take for markup, are escaped.
    ///
    /// - Parameter account: The index of the chosen account; nil if there was no choice, and the first one is used.
    package func sentence(account: Int?) -> String {
        let site = Self.site(rpID)
        return switch operation {
        case .register: "make a passkey for the site \(site)\(words(for: account))\(replacement)"
        case .alreadyRegistered: "tell the site \(site) that there is a passkey of its here already"
        case .signIn: "sign in to the site \(site)\(words(for: account))"
        case .noPasskey: "tell the site \(site) that there is no passkey for it here"
        case .select: "use \(holder.text) as the authenticator"
        case .presentCredential: "show a digital credential to the site \(site)\(asked)"
        case .answerLink: "answer the linked client \(Self.plain(details.joined(separator: ", "), asASCII: false))"
        case .usePhone: rpID.isEmpty ? "use your phone as the security key" : "use your phone for the site \(site)"
        case .exportPasskeys:
            "write private keys in clear text: \(Self.plain(details.joined(separator: ", "), asASCII: false))"
        case .copyPasskeys: "copy passkeys to \(handOver)"
        case .movePasskeys: "move passkeys to \(handOver)"
        case .receivePasskeys: "take passkeys from \(handOver)"
        case .receiveCredential: "take a digital credential from the site \(site)\(asked)"
        }
    }

    /// The question's first line, for the title of a notification. Text of the peer is quoted, cut and escaped.
    package var title: String { ApprovalPrompt(self, at: .dialogue).lines.first ?? "" }

    private var replacement: String {
        replaced.map { ", in the place of the one\($0.madeOn), which will no longer work" } ?? ""
    }

    private var handOver: String {
        let passkeys = Self.plain(
            details.dropFirst().joined(separator: "; "), asASCII: false, longest: Self.longestRequest)
        return "the device \(Self.plain(rpName ?? "", asASCII: false)), which shows the number "
            + "\(details.first ?? "") too: \(passkeys)"
    }

    private var asked: String {
        guard !details.isEmpty else { return "" }
        let text = details.joined(separator: "; ")
        return ", which asks \(Self.plain(text, asASCII: false, longest: Self.longestRequest))"
    }

    private func words(for account: Int?) -> String {
        let index = account ?? 0
        guard accounts.indices.contains(index) else { return "" }
        let names = [accounts[index].name, accounts[index].displayName].compactMap(\.self).filter { !$0.isEmpty }
        let name = names.first.map { Self.plain($0, asASCII: false) } ?? "without a name"
        let isUnchosen = account == nil && accounts.count > 1
        return ", account \(name)" + (isUnchosen ? ", the newest of \(accounts.count)" : "")
    }

    /// A site in quotation marks. The owner of a name is at its right end: of a name that is too long, labels at the
    /// left are left out.
    private static func site(_ name: String, longest: Int = longestName) -> String {
        guard name.count > longest else { return plain(name, asASCII: true) }
        let end = name.suffix(longest)
        let labels = end.drop { $0 != "." }
        return "\"…" + plain(String(labels.isEmpty ? end : labels), asASCII: true).dropFirst()
    }

    /// A text of the peer's in quotation marks for a dialogue of several lines.
    static func dialogueText(_ text: String) -> String { shortened { plain(text, asASCII: false, longest: $0) } }

    /// A site in quotation marks for a dialogue of several lines.
    static func dialogueSite(_ name: String) -> String { shortened { site(name, longest: $0) } }

    /// The text of the most characters that has at most ``longestDialogueText`` bytes.
    private static func shortened(_ text: (_ longest: Int) -> String) -> String {
        var longest = longestName
        while longest > 1, text(longest).utf8.count > longestDialogueText { longest -= 1 }
        return text(longest)
    }

    /// The longest text of the peer's in a dialogue, in bytes of UTF-8, with what is escaped. Five of them fit into
    /// what a pinentry takes.
    private static let longestDialogueText = 160

    /// A text of the peer's in quotation marks.
    private static func plain(_ text: String, asASCII: Bool, longest: Int = longestName) -> String {
        let isCut = text.count > longest
        // CBOR's diagnostic notation escapes control characters and direction overrides.
        let quoted = CBORValue.text(String(text.prefix(longest))).diagnostic()
        let escaped = quoted.unicodeScalars.map { scalar in
            markup.contains(scalar) || asASCII && !scalar.isASCII
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return escaped.joined() + (isCut ? " (and more)" : "")
    }

    /// Characters that begin markup in some desktops' dialogues, and variables in polkit's messages.
    private static let markup: Set<Unicode.Scalar> = ["<", ">", "&", "$"]
}
