import CommandLine
import Cryptography
import DesktopAuthenticator
import LinuxSupport

/// A passphrase that is set: for a new vault, an export, or in the place of another.
///
/// One that is only asked for, to open a file that it has locked, may be anything.
enum NewPassphrase {
    /// The least length in characters: Unicode's scalar values, as NIST SP 800-63B counts them.
    private static let leastLength = 8
    /// The least number of different bytes in it.
    private static let leastVariety = 4
    /// Number of attempts at the terminal.
    private static let attempts = 3
    /// Characters of passphrases that are made here: none is easily taken for another.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
    /// Their number, 5 bits each: 80 bits.
    private static let madeLength = 16
    private static let groupLength = 4

    /// Passphrases that are tried first, of the length that is demanded. In lower case, and without spaces.
    private static let common = [
        "password", "password1", "password12", "password123", "password1234", "passw0rd", "p@ssword", "p@ssw0rd",
        "passphrase", "passwort", "mypassword", "123456789", "1234567890", "0123456789", "123123123", "12341234",
        "11223344", "147258369", "987654321", "qwertyui", "qwertyuiop", "qwerty12", "qwerty123", "qwerty1234",
        "qwertzui", "qwertzuiop", "azertyuiop", "asdfghjk", "asdfghjkl", "zxcvbnm1", "1q2w3e4r", "1q2w3e4r5t",
        "q1w2e3r4", "1qaz2wsx", "zaq12wsx", "abcd1234", "abc12345", "a1b2c3d4", "iloveyou", "iloveyou1", "sunshine",
        "princess", "football", "football1", "baseball", "superman", "starwars", "trustno1", "letmein1", "welcome1",
        "welcome123", "whatever", "computer", "internet", "michelle", "jennifer", "mercedes", "liverpool", "midnight",
        "changeme", "changeme1", "changeit", "default1", "administrator", "admin123", "admin1234", "secret123",
        "dragon123", "monkey123", "correcthorsebatterystaple",
    ]

    /// Reads one from the first line of a file, or of standard input.
    ///
    /// - Throws: as ``PassphraseInput/read(from:)``; ``Failure`` for one that is not taken.
    static func read(from path: String) throws -> SecretBytes {
        let passphrase = try PassphraseInput.read(from: path)
        if let objection = objection(to: passphrase) { throw refused(objection) }
        return passphrase
    }

    /// The passphrase of a new vault, whose other device may be waiting already: one that is made here need not be
    /// typed, only noted down. Nothing is in the vault yet that could be lost.
    ///
    /// - Throws: as ``ask(_:at:)``.
    static func ask(forNewVault path: String, at place: AskingPlace) async throws -> SecretBytes {
        try await ask("a passphrase for your new vault, \(path)", at: place, typingMade: false)
    }

    /// Asks for one twice, at the terminal or in a window.
    ///
    /// - Throws: ``Failure`` after three attempts; otherwise as ``PassphraseInput/ask(_:objection:at:)``.
    static func ask(_ question: Sentence, at place: AskingPlace) async throws -> SecretBytes {
        try await ask(question, at: place, typingMade: true)
    }

    private static func ask(_ question: Sentence, at place: AskingPlace, typingMade: Bool) async throws -> SecretBytes {
        guard case .desktop(let dialogues) = place else { return try ask(question, typingMade: typingMade) }
        let words = DialogueWords(
            description: "hybrid asks for: \(question), of \(leastLength) characters or more")
        return try await dialogues.newPassphrase(words, within: PassphraseInput.windowLimit) {
            objection(to: $0)
        }
    }

    /// Asks for one at the terminal, twice. One that is not taken, or that is another the second time, is asked for
    /// again; for an empty line one is made.
    ///
    /// - Throws: as ``PassphraseInput/ask(_:)``; ``Failure`` after three attempts.
    private static func ask(_ question: Sentence, typingMade: Bool) throws -> SecretBytes {
        var objection: Sentence = ""
        for attempt in 1...attempts {
            let question: Sentence = "\(question), of \(leastLength) characters or more (press Enter to have one made)"
            let first = try PassphraseInput.ask(attempt == 1 ? question : "\(objection); once more: \(question)")
            if first.count == 0 {
                return try shown(made(), isTyped: typingMade)
            } else if let refusal = Self.objection(to: first) {
                objection = refusal
            } else {
                let again = try PassphraseInput.ask("the same again")
                if areEqual(first, again) { return first }
                objection = "the two passphrases are not the same"
            }
        }
        throw refused(objection)
    }

    /// Shows one that was made, at the terminal, once and nowhere else, until the user has noted it down.
    ///
    /// - Parameter isTyped: true if it must be typed to prove that. It stays the same one, however often.
    /// - Throws: as ``PassphraseInput/ask(_:)``; ``Failure`` after three attempts to type it.
    private static func shown(_ made: consuming SecretBytes, isTyped: Bool) throws -> SecretBytes {
        try PassphraseInput.show(made)
        guard isTyped else {
            // Input before Enter does not count.
            _ = try PassphraseInput.ask("note it down, it is not shown again; then press Enter")
            return made
        }
        let objection: Sentence = "that is not the one that was made"
        for attempt in 1...attempts {
            let again = try PassphraseInput.ask(
                attempt == 1 ? "note it down, it is not shown again; the same again" : "\(objection); the same again")
            if areEqual(made, again) { return made }
        }
        throw refused(objection)
    }

    private static func areEqual(_ left: borrowing SecretBytes, _ right: borrowing SecretBytes) -> Bool {
        constantTimeEquals(left.span, right.span)
    }

    /// The reason for which a passphrase is not taken; nil if it is.
    static func objection(to passphrase: borrowing SecretBytes) -> Sentence? {
        var length = 0
        var seen = [Bool](repeating: false, count: 1 << UInt8.bitWidth)
        var words = SecretArray(capacity: passphrase.count)
        let span = passphrase.span
        for index in span.indices {
            let byte = span[index]
            if !isContinuation(byte) { length += 1 }
            seen[Int(byte)] = true
            if byte != UInt8(ascii: " ") { words.bytes.append(lowercased(byte)) }
        }
        guard length > 0 else { return "the passphrase is empty" }
        guard length >= leastLength else { return "the passphrase has fewer than \(leastLength) characters" }
        let steps = Set(zip(words.bytes, words.bytes.dropFirst()).map { $1 &- $0 })
        let isRun = steps == [1] || steps == [UInt8.max]
        guard seen.count(where: \.self) >= leastVariety, !isRun,
            !common.contains(where: { words.bytes.elementsEqual($0.utf8) })
        else { return "the passphrase is one of those that attackers try first" }
        return nil
    }

    /// True for the second byte of a character in UTF-8, and those after it.
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0b1100_0000 == 0b1000_0000 }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Draws a passphrase: four groups of four characters.
    private static func made() -> SecretBytes {
        let random = SecretBytes.random(count: madeLength)
        var text = SecretArray(capacity: madeLength + madeLength / groupLength)
        let span = random.span
        for index in span.indices {
            if index > 0, index.isMultiple(of: groupLength) { text.bytes.append(UInt8(ascii: "-")) }
            text.bytes.append(alphabet[Int(span[index]) % alphabet.count])
        }
        return SecretBytes(copying: text.span)
    }

    private static func refused(_ objection: Sentence) -> Failure {
        .usage(
            objection,
            hint: "choose a longer one that nobody else uses, or press Enter at a terminal to have one made")
    }
}
