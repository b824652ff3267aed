internal import Encodings
package import LinuxSupport

/// The contents of a window (the window contract, "What hybrid sends").
package enum WindowScreen: Sendable, Hashable {
    /// A QR code for another device: its modules row by row, true for dark, without a quiet zone, and its text.
    case code(DialogueWords, modules: [[Bool]], text: String)
    /// A question with a yes and a no.
    case approval(DialogueWords)
    /// A question for one of several accounts, each in one line.
    case choice(DialogueWords, accounts: [Sentence])
    /// A passphrase or a PIN; twice for a new one.
    case secret(DialogueWords, isNew: Bool)
    /// A number of so many digits.
    case digits(DialogueWords, count: Int)
    /// The next step of the user.
    case step(DialogueWords)
    /// The end of a ceremony.
    case outcome(DialogueWords, isGood: Bool)

    /// The longest line that is sent, in bytes.
    static let longestLine = 1 << 20
    /// The most paragraphs below a title.
    static let mostLines = 2_000

    /// The line that shows it.
    ///
    /// - Throws: ``DialogueError`` `tooLong`.
    func line(id: Int) throws(DialogueError) -> String {
        let paragraphs = words.description.localized.split(separator: "\n").map { JSONValue.string(String($0)) }
        var members: [JSONValue.Member] = [
            .init("show", .string(kind)), .init("id", .integer(id)), .init("title", .string(words.title.localized)),
            .init("lines", .array(paragraphs)), .init("no", .string(words.no.localized)),
        ]
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name, value)) }
        }
        add("site", words.site.map(JSONValue.string))
        add("objection", words.objection.map { .string($0.localized) })
        switch self {
        case .code(_, let modules, let text):
            add("modules", .array(modules.map { .string(String($0.map { $0 ? "1" : "0" })) }))
            add("text", .string(text))
        case .approval: add("yes", .string(words.yes.localized))
        case .choice(_, let accounts):
            add("accounts", .array(accounts.map { .string($0.localized) }))
            add("yes", .string(words.yes.localized))
        case .secret(_, let isNew):
            add("prompt", .string(words.prompt.localized))
            add("twice", .bool(isNew))
            add("yes", .string(words.yes.localized))
        case .digits(_, let count):
            add("count", .integer(count))
            add("yes", .string(words.yes.localized))
        case .step: break
        case .outcome(_, let isGood): add("good", .bool(isGood))
        }
        let line = JSONValue.object(members).text
        guard paragraphs.count <= Self.mostLines, line.utf8.count <= Self.longestLine else {
            throw DialogueError(
                .tooLong,
                reason: "the question has \(paragraphs.count) lines and \(line.utf8.count) bytes; at most "
                    + "\(Self.mostLines) and \(Self.longestLine) are shown")
        }
        return line
    }

    private var kind: String {
        switch self {
        case .code: "code"
        case .approval: "approval"
        case .choice: "choice"
        case .secret: "secret"
        case .digits: "digits"
        case .step: "step"
        case .outcome: "outcome"
        }
    }

    private var words: DialogueWords {
        switch self {
        case .code(let words, _, _), .approval(let words), .choice(let words, _), .secret(let words, _),
            .digits(let words, _), .step(let words), .outcome(let words, _):
            words
        }
    }
}
