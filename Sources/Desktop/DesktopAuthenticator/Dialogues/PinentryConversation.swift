internal import Cryptography
internal import LinuxSupport

/// A conversation with a pinentry, on the thread that it belongs to.
struct PinentryConversation {
    /// Number of attempts to type a new passphrase.
    private static let attempts = 3
    private static let again: Sentence = "The same again:"
    private static let different: Sentence = "The two are not the same"

    /// Codes of libgpg-error (err-codes.h).
    private enum ErrorCode {
        static let timeout: UInt32 = 62
        static let cancelled: UInt32 = 99
        static let notConfirmed: UInt32 = 114
        static let fullyCancelled: UInt32 = 198
        /// The code holds a number of errno.
        static let system: UInt32 = 0x8000
    }

    private let assuan: AssuanConnection
    private let program: String
    private let answerLimit: Duration

    init(_ assuan: AssuanConnection, program: String, answerLimit: Duration) {
        self.assuan = assuan
        self.program = program
        self.answerLimit = answerLimit
    }

    /// Waits for the greeting, and says where and how long to ask.
    func begin(
        terminal: String?, _ variables: [String: String], until deadline: ContinuousClock.Instant
    ) throws(DialogueError) {
        assuan.answerLimit = answerLimit
        if case .error(let code) = try assuan.answer() { throw error(code) }
        func value(_ name: String) -> String? { variables[name] ?? ProcessEnvironment.value(name) }
        var options = [("no-grab", nil as String?), ("ttyname", terminal)]
        if terminal != nil { options.append(("ttytype", value("TERM"))) }
        let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG")
        options += [("lc-ctype", locale), ("lc-messages", value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG"))]
        options.append(("display", value("DISPLAY")))
        for (name, value) in options where value != nil || name == "no-grab" {
            // A pinentry need not know all of them.
            _ = try assuan.request(AssuanText.line("OPTION", value.map { "\(name)=\($0)" } ?? name))
        }
        // Beside our own deadline, for a window that outlives us.
        let seconds = max((deadline - .now).components.seconds, 1)
        _ = try assuan.request("SETTIMEOUT \(seconds)")
    }

    /// Sets the words, and asks.
    func show(_ dialogue: DialogueWords, _ command: String) throws(DialogueError) {
        var dialogue = dialogue
        // pinentry-gnome3 puts it above the text, also where nothing is typed.
        if command != "GETPIN" { dialogue.prompt = dialogue.title }
        for command in dialogue.assuanCommands { try demand(command) }
        assuan.answerLimit = nil
        defer { assuan.answerLimit = answerLimit }
        try demand(command)
    }

    /// Sends a command that has to succeed.
    func demand(_ command: String) throws(DialogueError) {
        if case .error(let code) = try assuan.request(command) { throw error(code) }
    }

    /// The data of the last answer.
    func takeData() -> SecretBytes { assuan.takeData() }

    /// Asks for a new passphrase until it was typed twice and meets no objection.
    func newPassphrase(
        _ dialogue: DialogueWords, unless objection: (borrowing SecretBytes) -> Sentence?
    ) throws(DialogueError) -> SecretBytes {
        var dialogue = dialogue
        for _ in 0..<Self.attempts {
            // Not every pinentry has a second field.
            if case .ok = try assuan.request(AssuanText.line("SETREPEAT", Self.again.localized)) {
                _ = try assuan.request(AssuanText.line("SETREPEATERROR", Self.different.localized))
            }
            try show(dialogue, "GETPIN")
            let isRepeated = assuan.statuses.contains("PIN_REPEATED")
            let first = takeData()
            if let refusal = objection(first) {
                dialogue.objection = refusal
                continue
            }
            if isRepeated { return first.clone() }
            var again = dialogue
            again.prompt = Self.again
            again.objection = nil
            try show(again, "GETPIN")
            let second = takeData()
            if constantTimeEquals(first.span, second.span) { return first.clone() }
            dialogue.objection = "the two passphrases are not the same"
        }
        throw DialogueError(.declined, reason: dialogue.objection?.english ?? "there was no passphrase")
    }

    private func error(_ code: UInt32) -> DialogueError {
        switch code {
        case ErrorCode.timeout: return .timeout
        case ErrorCode.cancelled, ErrorCode.notConfirmed, ErrorCode.fullyCancelled:
            guard !assuan.statuses.contains("close") else {
                return DialogueError(.closed, reason: "the dialogue was closed")
            }
            return DialogueError(.declined, reason: "declined")
        case _ where code & ErrorCode.system != 0:
            return DialogueError(.noDisplay, reason: "\(program) has neither a display nor a terminal")
        default: return DialogueError(.failed, reason: "\(program) failed with the error \(code)")
        }
    }
}

extension DialogueWords {
    /// The commands that set the words.
    var assuanCommands: [String] {
        [
            ("SETTITLE", title), ("SETDESC", description), ("SETPROMPT", prompt), ("SETOK", yes), ("SETCANCEL", no),
            ("SETERROR", objection),
        ].compactMap { command, words in words.map { AssuanText.line(command, $0.localized) } }
    }
}
