import Cryptography
import Glibc

/// The source of a passphrase: the terminal, which does not show it, a file, or standard input.
enum PassphraseInput {
    /// Standard input's name on the command line.
    static let standardInputName = "-"
    /// The longest passphrase, in bytes of UTF-8. A terminal takes no longer line than four times that.
    private static let longest = 1_024
    private static let terminal = "/dev/tty"
    /// Interval between two checks for an interruption, in milliseconds.
    private static let pollTimeout: Int32 = 100

    /// Reads the first line of a file, or of standard input.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    static func read(from path: String) throws -> SecretBytes {
        guard path != standardInputName else { return try read(STDIN_FILENO, path) }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw unreadable(path, .last) }
        defer { close(file) }
        return try read(file, path)
    }

    /// Reads likewise a passphrase that a new vault is to have.
    ///
    /// - Throws: as ``read(from:)``; ``Failure`` if it is empty.
    static func readNew(from path: String) throws -> SecretBytes {
        let passphrase = try read(from: path)
        guard passphrase.count > 0 else { throw isEmpty }
        return passphrase
    }

    /// Asks for a passphrase at the terminal.
    ///
    /// - Throws: ``Failure`` if there is none; `CancellationError`.
    static func ask(_ question: String) throws -> SecretBytes {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure.usage(
                "there is no terminal to ask for a passphrase",
                hint: "run this in a terminal, or give --passphrase-file")
        }
        defer { close(file) }
        var shown = termios()
        guard tcgetattr(file, &shown) == 0 else { throw unreadable(terminal, .last) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Input before the question does not count.
        guard tcsetattr(file, TCSAFLUSH, &hidden) == 0 else { throw unreadable(terminal, .last) }
        defer {
            tcsetattr(file, TCSAFLUSH, &shown)
            try? StandardStreams.write("\n".utf8, to: file)
        }
        try StandardStreams.write("\(question): ".utf8, to: file)
        return try read(file, terminal)
    }

    /// Asks for a new passphrase, twice.
    ///
    /// - Throws: as ``ask(_:)``; ``Failure`` if the second is another, or if there is none.
    static func askNew(_ question: String) throws -> SecretBytes {
        let first = try ask(question)
        guard first.count > 0 else { throw isEmpty }
        let second = try ask("the same again")
        guard areEqual(first, second) else {
            throw Failure.usage("the two passphrases are not the same", hint: "start again")
        }
        return first
    }

    private static func areEqual(_ left: borrowing SecretBytes, _ right: borrowing SecretBytes) -> Bool {
        constantTimeEquals(left.span, right.span)
    }

    /// Reads a byte at a time, so that nothing of standard input is taken that is for somebody else.
    private static func read(_ file: Int32, _ name: String) throws -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: longest)
        defer { wipe(&bytes) }
        var count = 0
        while true {
            try Task.checkCancellation()
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, pollTimeout) > 0 else { continue }
            var byte: UInt8 = 0
            let result = Glibc.read(file, &byte, 1)
            if result < 0, errno == EINTR || errno == EAGAIN { continue }
            guard result >= 0 else { throw unreadable(name, .last) }
            guard result > 0, byte != UInt8(ascii: "\n") else { break }
            guard count < longest else {
                throw Failure(
                    .file, code: "passphrase-too-long", cause: "the passphrase has more than \(longest) bytes",
                    hint: "give a file whose first line is the passphrase")
            }
            bytes[count] = byte
            count += 1
        }
        return SecretBytes(copying: bytes.span.extracting(first: count))
    }

    private static var isEmpty: Failure { .usage("the passphrase is empty", hint: "think of a longer one") }

    private static func unreadable(_ name: String, _ error: SystemError) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(name) cannot be read: \(error)",
            hint: "give a file whose first line is the passphrase")
    }
}
