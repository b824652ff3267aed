internal import Encodings
internal import LinuxSupport

/// A question in words for a terminal or a dialogue, and the meaning of the typed answer.
struct ApprovalPrompt {
    /// Place where the question is shown.
    enum Place {
        case terminal
        /// A window, whose text may be taken for markup.
        case dialogue
    }

    /// Meaning of a typed line.
    enum Choice: Hashable {
        case no
        /// Yes, with the account that was chosen.
        case yes(account: Int)
    }

    let question: ApprovalQuestion
    private let place: Place

    init(_ question: ApprovalQuestion, at place: Place = .terminal) {
        self.question = question
        self.place = place
    }

    /// True if the user chooses one of several accounts.
    private var isChoice: Bool { question.isChoice }

    /// The question.
    var text: Sentence { "\n\(lines.joined("\n").consent())\n\(hint)" }

    /// The possible answers.
    var hint: Sentence {
        if isChoice { return "which account, 1 to \(question.accounts.count)? (n to refuse) " }
        return [.alreadyRegistered, .noPasskey].contains(question.operation) ? "seen? [y/n] " : "approve? [y/n] "
    }

    /// Meaning of a line; nil if it is not an answer, like an empty line.
    func choice(for line: String) -> Choice? {
        let word = line.lowercased().filter { !$0.isWhitespace }
        if ["n", "no", "q"].contains(word) { return .no }
        if isChoice {
            // Digits only: Int's initialiser would take a sign as well.
            guard word.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(word),
                (1...question.accounts.count).contains(number)
            else { return nil }
            return .yes(account: number - 1)
        }
        return ["y", "yes"].contains(word) ? .yes(account: 0) : nil
    }

    /// The question without its possible answers, line by line.
    var lines: [Sentence] { [title] + (hasSite ? [site] : []) + rest }

    /// The question in one sentence.
    var title: Sentence {
        switch question.operation {
        case .register: "Make a passkey on \(holder)?"
        case .alreadyRegistered:
            "A site wants to make a passkey, but \(holder) already has one for it. Nothing will be made."
        case .signIn: "Sign in with a passkey of \(holder)?"
        case .noPasskey: "A site asks for a passkey, but \(holder) has none that fits. Nothing will be signed."
        case .select: "Use \(holder) as the authenticator?"
        case .presentCredential: "Show a digital credential of this machine to a site?"
        case .answerLink: "A linked client asks for this machine. Answer it?"
        case .usePhone:
            question.rpID.isEmpty
                ? "Use your phone as the security key?" : "Use your phone for \(quotedSite(question.rpID))?"
        case .exportPasskeys: "Write private keys in clear text? Anyone who can read the file can sign in as you."
        case .copyPasskeys: "Give somebody nearby a copy of passkeys? This machine keeps them.\(removal)"
        case .movePasskeys: "Move passkeys to somebody nearby? They will be removed from this vault.\(removal)"
        case .settlePasskeys: "Ask somebody nearby which passkeys have arrived?\(removal)"
        case .receivePasskeys: "Take passkeys from somebody nearby into the vault of this machine?"
        case .receiveCredential: "Take a digital credential from a site onto this machine?"
        }
    }

    /// True if a site asks.
    var hasSite: Bool {
        switch question.operation {
        case .register, .alreadyRegistered, .signIn, .noPasskey, .presentCredential, .receiveCredential: true
        case .select, .answerLink, .usePhone, .exportPasskeys, .copyPasskeys, .movePasskeys, .settlePasskeys,
            .receivePasskeys:
            false
        }
    }

    /// The name that the site gives itself, unless that is the site's again, which says nothing.
    var siteName: String? { question.rpName.flatMap { hasSite && $0 != question.rpID ? quoted($0) : nil } }

    /// The lines that follow the title and the site.
    var rest: [Sentence] {
        switch question.operation {
        case .register: accountLines + replacement
        case .signIn: accountLines
        case .alreadyRegistered, .noPasskey, .select, .usePhone: []
        case .presentCredential, .answerLink, .receiveCredential: details
        case .exportPasskeys: question.details.map { line("writes", "\(quoted($0))") }
        case .copyPasskeys, .movePasskeys: handOver("to")
        case .settlePasskeys, .receivePasskeys: handOver("from")
        }
    }

    private var holder: Sentence { question.holder.text }

    private var site: Sentence {
        let site = quotedSite(question.rpID)
        return line("site", siteName.map { "\(site), which calls itself \($0)" } ?? "\(site)")
    }

    private var replacement: [Sentence] {
        guard let replaced = question.replaced else { return [] }
        let consequence: Sentence =
            replaced.day.map { "replaces the passkey of this account made on \($0): the old one will no longer work" }
            ?? "replaces the passkey of this account: the old one will no longer work"
        return ["\(indentation)\(consequence)"]
    }

    /// A sentence on the removal of the passkeys in transit.
    private var removal: Sentence {
        question.inTransit.isEmpty
            ? "" : " Those in transit that it says it has will be removed from this vault."
    }

    /// The peer, each of the passkeys, and each of those in transit with its earlier receiver.
    private func handOver(_ direction: Sentence) -> [Sentence] {
        [line(direction, "\(quoted(question.rpName ?? ""))")]
            + question.details.map { line("passkey", "\(quoted($0))") }
            + question.inTransit.map { sent in
                let (passkey, receiver) = (quoted(sent.passkey), quoted(sent.receiver))
                return line(
                    "removes",
                    sent.isProven
                        ? "\(passkey), in transit to \(receiver)"
                        : "\(passkey), in transit to \(receiver), which could not prove its identity then")
            }
    }

    private var details: [Sentence] { question.details.map { line("asks", "\(quoted($0))") } }

    /// The accounts' names, each quoted; in a choice with the times of their passkeys, since names can be the same.
    var accounts: [Sentence] {
        question.accounts.map { account in
            let display = account.displayName == account.name ? nil : account.displayName
            let names = [account.name, display].compactMap(\.self).filter { !$0.isEmpty }.map(quoted)
            let name: Sentence =
                names.isEmpty ? "(without a name)" : Sentence(verbatim: names.joined(separator: ", "))
            guard isChoice, let times = account.passkey else { return name }
            return "\(name), \(times.text)"
        }
    }

    private var accountLines: [Sentence] {
        // A dialogue for a choice has a list of them.
        guard place == .terminal || !isChoice else { return [] }
        return accounts.enumerated().map { index, account in
            isChoice ? "  \(index + 1): \(account)" : line("account", account)
        }
    }

    private var indentation: String { place == .terminal ? "  " : "" }

    /// A line with a label; those of a terminal are of one width.
    private func line(_ label: Sentence, _ text: Sentence) -> Sentence {
        guard place == .terminal else { return "\(label): \(text)" }
        let padding = "".padded(to: Self.labelWidth - label.localized.columnCount)
        return "  \(label):\(padding)\(text)"
    }

    private static let labelWidth = 8

    /// Quotes text of the peer, without padding; escapes characters that could control a terminal or mislead the eye.
    private func quoted(_ text: String) -> String {
        place == .terminal
            ? CBORValue.text(text.collapsingPadding).diagnostic() : ApprovalQuestion.dialogueText(text)
    }

    /// Likewise, with everything escaped that is not ASCII: letters of other scripts that look alike make another site.
    private func quotedSite(_ text: String) -> String {
        guard place == .terminal else { return ApprovalQuestion.dialogueSite(text) }
        return text.unicodeScalars.allSatisfy(\.isASCII)
            ? quoted(text) : "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}

extension ApprovalQuestion.Holder {
    /// The holder of the passkeys, in words.
    var text: Sentence {
        switch self {
        case .machine: "this machine"
        case .securityKey: "the security key that is plugged in here"
        }
    }
}

extension ApprovalQuestion.PasskeyTimes {
    /// The times in words, in this machine's time zone: `made 2026-11-21 18:22, last used never`.
    fileprivate var text: Sentence {
        let made = created.map { Sentence(verbatim: LocalTime.text($0)) } ?? "at an unknown time"
        return lastUsed.map { "made \(made), last used \(LocalTime.text($0))" } ?? "made \(made), last used never"
    }
}

extension ApprovalQuestion.ReplacedPasskey {
    /// The day on which it was made, as in "2026-11-22"; nil if it is not known.
    var day: String? { created.map(LocalTime.day) }
}
