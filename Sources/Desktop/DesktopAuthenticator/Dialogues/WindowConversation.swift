internal import Cryptography
internal import Encodings
internal import LinuxSupport
internal import UserVerification

/// A conversation with a window's program, on the thread that it belongs to (the window contract).
final class WindowConversation {
    /// The version of the contract.
    private static let version = 1
    /// The longest line of the program's, in bytes.
    static let longestLine = 4_096
    /// The longest secret, in bytes of UTF-8.
    private static let longestSecret = 1_024
    /// The longest time until a program that can show something says so.
    private static let greetingLimit = Duration.seconds(10)
    /// The most answers to screens that are no longer shown, against a program that never ends them.
    private static let mostLateAnswers = 1_000

    /// An answer to a screen.
    enum Answer: ~Copyable {
        case yes
        case no
        case account(Int)
        case digits(String)
        case secret(SecretBytes)
    }

    private let streams: DialogueStreams
    private var id = 0

    /// Begins it: returns when the program can show something.
    ///
    /// - Throws: ``DialogueError``: `noDisplay` if it ends before.
    init(over streams: DialogueStreams, greetingLimit: Duration = greetingLimit) throws(DialogueError) {
        self.streams = streams
        streams.answerLimit = greetingLimit
        let hello: JSONValue = ["contract": .integer(Self.version), "language": .string(Catalogue.language)]
        try streams.send(hello.text)
        let version = try streams.line { (line) throws(DialogueError) in try Self.value(line, streams)["contract"] }
        guard version == .integer(Self.version) else {
            throw streams.failed("it does not speak version \(Self.version) of the window contract")
        }
        streams.answerLimit = nil
    }

    /// Shows a screen, in the place of the one before.
    ///
    /// - Throws: ``DialogueError``.
    func show(_ screen: WindowScreen) throws(DialogueError) {
        id += 1
        try streams.send(try screen.line(id: id))
    }

    /// Says which stage is reached, below the screen.
    ///
    /// - Throws: ``DialogueError``.
    func tell(_ stage: String) throws(DialogueError) {
        try streams.send(JSONValue.object([.init("tell", .string(stage))]).text)
    }

    /// Waits for the answer to the present screen; those to earlier ones are passed over.
    ///
    /// - Parameter signal: ends the wait, too; nil for none.
    /// - Returns: the answer; nil for a signal.
    /// - Throws: ``DialogueError``: `failed` for anything that is not in the contract.
    func answer(orSignal signal: WakePipe? = nil) throws(DialogueError) -> Answer? {
        for _ in 0..<Self.mostLateAnswers {
            let value = try streams.line(orSignal: signal) { (line) throws(DialogueError) in
                try Self.value(line, streams)
            }
            guard let value else { return nil }
            guard let number = value["id"]?.integer, (1...id).contains(number) else {
                throw streams.failed("it answers a question that was never shown")
            }
            let answer = try self.answer(value)
            if number == id { return answer }
        }
        throw streams.failed("its answers have no end")
    }

    private func answer(_ value: JSONValue) throws(DialogueError) -> Answer {
        switch value["answer"]?.stringValue {
        case "yes": return .yes
        case "no": return .no
        case "account":
            guard let account = value["account"]?.integer else { break }
            return .account(account)
        case "digits":
            guard let digits = value["digits"]?.stringValue else { break }
            return .digits(digits)
        case "secret":
            guard let count = value["bytes"]?.integer, (0...Self.longestSecret).contains(count) else { break }
            return .secret(try streams.secret(of: count))
        default: break
        }
        throw streams.failed("its answer is none of the window contract")
    }

    private static func value(_ line: Span<UInt8>, _ streams: DialogueStreams) throws(DialogueError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: line, limits: JSONLimits(byteCount: longestLine, depth: 2, valueCount: 32))
        } catch {
            throw streams.failed("a line of it is no JSON: \(error.reason)")
        }
    }
}

extension WindowConversation {
    /// Asks for a yes or one of several accounts; an answer that comes too soon is asked for again.
    ///
    /// - Returns: the account's place; 0 for a yes.
    /// - Throws: ``DialogueError``: `declined` for a no.
    func approval(_ screen: WindowScreen, of accounts: Int = 0, by clock: QuestionClock) throws(DialogueError) -> Int {
        for _ in 0..<QuestionClock.mostAttempts {
            let shown = clock.now
            try show(screen)
            let chosen: Int
            switch try anyAnswer() {
            case .yes where accounts == 0: chosen = 0
            case .account(let account) where (0..<accounts).contains(account): chosen = account
            case .no: throw .declinedInWindow
            default: throw unfitting()
            }
            if !clock.isTooSoon(since: shown) { return chosen }
        }
        throw .tooSoon
    }

    /// Asks for a secret.
    ///
    /// - Throws: ``DialogueError``: `declined` for a no.
    func secret(_ words: DialogueWords, isNew: Bool) throws(DialogueError) -> SecretBytes {
        try show(.secret(words, isNew: isNew))
        switch try anyAnswer() {
        case .secret(let secret): return secret
        case .no: throw .declinedInWindow
        default: throw unfitting()
        }
    }

    /// Asks for a number.
    ///
    /// - Throws: ``DialogueError``: `declined` for a no.
    func digits(_ words: DialogueWords, count: Int) throws(DialogueError) -> String {
        try show(.digits(words, count: count))
        switch try anyAnswer() {
        case .digits(let digits)
        where digits.utf8.count == count && digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains):
            return digits
        case .no: throw .declinedInWindow
        default: throw unfitting()
        }
    }

    private func anyAnswer() throws(DialogueError) -> Answer {
        guard let answer = try answer() else { throw .cancelled }
        return answer
    }

    private func unfitting() -> DialogueError { streams.failed("its answer does not fit the question") }
}

extension DialogueError {
    fileprivate static var declinedInWindow: Self { Self(.declined, reason: "declined") }
}

extension JSONValue {
    /// The value of a number that is an integer; nil for anything else.
    fileprivate var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(number.text)
    }
}
