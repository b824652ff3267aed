internal import CBOR

/// A question in words for a terminal, and the meaning of what is typed.
struct ApprovalPrompt {
    /// Meaning of a typed line.
    enum Choice: Hashable {
        case no
        /// Yes, with the account that was chosen.
        case yes(account: Int)
    }

    let question: ApprovalQuestion

    init(_ question: ApprovalQuestion) { self.question = question }

    /// True if the user chooses one of several accounts.
    private var isChoice: Bool { question.choosesAccount && question.accounts.count > 1 }

    /// The question.
    var text: String { "\n" + lines.joined(separator: "\n") + "\n" + hint }

    /// The possible answers.
    var hint: String {
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

    private var lines: [String] {
        switch question.operation {
        case .register:
            ["Make a passkey on this machine?", site] + accountLines + replacement
        case .alreadyRegistered:
            ["A site wants to make a passkey, but this machine has one of its already. Nothing will be made.", site]
        case .signIn:
            ["Sign in with a passkey of this machine?", site] + accountLines
        case .noPasskey:
            ["A site asks for a passkey, but this machine has none that fits. Nothing will be signed.", site]
        case .select:
            ["Use this machine as the authenticator?"]
        case .presentCredential:
            ["Show a digital credential of this machine to a site?", site] + details
        case .answerLink:
            ["A linked client asks for this machine. Answer it?"] + details
        case .receiveCredential:
            ["Take a digital credential from a site onto this machine?", site] + details
        }
    }

    private var site: String {
        let name = question.rpName.map { ", which calls itself \(Self.quoted($0))" } ?? ""
        return "  site:    \(Self.quotedASCII(question.rpID))\(name)"
    }

    private var replacement: [String] {
        guard let replaced = question.replaced else { return [] }
        return ["  replaces the passkey of this account\(replaced.madeOn): the old one will no longer work"]
    }

    private var details: [String] { question.details.map { "  asks:    " + Self.quoted($0) } }

    private var accountLines: [String] {
        question.accounts.enumerated().map { index, account in
            let label = isChoice ? "  \(index + 1):" : "  account:"
            let names = [account.name, account.displayName].compactMap(\.self).filter { !$0.isEmpty }.map(Self.quoted)
            return label + " " + (names.isEmpty ? "(without a name)" : names.joined(separator: ", "))
        }
    }

    /// Quotes text of the peer, and escapes what could control a terminal or mislead the eye.
    private static func quoted(_ text: String) -> String { CBORValue.text(text).diagnostic() }

    /// Likewise, with everything escaped that is not ASCII: letters of other scripts that look alike make another site.
    private static func quotedASCII(_ text: String) -> String {
        text.unicodeScalars.allSatisfy(\.isASCII)
            ? quoted(text) : "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}
