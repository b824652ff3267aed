import CommandLine
import Cryptography
import DesktopAuthenticator
import Glibc
import LinuxSupport
import SystemPackage

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
    /// - Throws: ``Failure``, also for a file that every user of this machine may read or write; `CancellationError`.
    static func read(from path: String) throws -> SecretBytes {
        guard path != standardInputName else { return try read(STDIN_FILENO, path) }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw unreadable(path, .last) }
        defer { close(file) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & S_IRWXO != 0 {
            throw Failure(
                .file, code: "exposed-passphrase", cause: "every user of this machine may read or write \(path)",
                hint: "chmod 600 \(path); and if others may have read it, choose another passphrase")
        }
        return try read(file, path)
    }

    /// Describes an oddity of a passphrase from a file that may be the reason why it opens nothing; nil without one.
    static func oddity(of passphrase: borrowing SecretBytes) -> Sentence? {
        let span = passphrase.span
        guard !span.isEmpty else { return "the file's first line is empty" }
        let last = span[span.count - 1]
        return last == UInt8(ascii: "\r") ? "the file's first line ends with a carriage return, which counts" : nil
    }

    /// Longest time for which a window asks for a passphrase.
    static let windowLimit = Duration.seconds(300)

    /// Asks for a passphrase.
    ///
    /// - Parameter objection: the fault of the one before, for a window: at the terminal it stands above.
    /// - Throws: ``Failure``; `DialogueError`; `CancellationError`.
    static func ask(
        _ question: Sentence, objection: Sentence? = nil, at place: AskingPlace
    ) async throws -> SecretBytes {
        switch place {
        case .terminal: return try ask(question)
        case .desktop(let dialogues):
            return try await dialogues.passphrase(
                DialogueWords(description: "hybrid asks for: \(question)", objection: objection), within: windowLimit)
        }
    }

    /// Asks for a passphrase at the terminal.
    ///
    /// - Throws: ``Failure`` if there is none; `CancellationError`.
    static func ask(_ question: Sentence) throws -> SecretBytes {
        let file = try openTerminal()
        defer { close(file) }
        try hide(file)
        defer {
            HiddenTerminals.showLast()
            try? StandardStreams.write("\n".utf8, to: file)
        }
        let prompt = "\(question): "
        var resumptions = ProcessResumption.count
        try StandardStreams.write(prompt.utf8, to: file)
        return try read(file, terminal, mayEnd: false) {
            guard ProcessResumption.count != resumptions else { return }
            resumptions = ProcessResumption.count
            try StandardStreams.write(prompt.utf8, to: file)
        }
    }

    /// Hides input while `body` works on a passphrase: an impatient user may type it once more. It is dropped.
    static func hidingWhatIsTyped<Value>(during body: () async throws -> Value) async throws -> Value {
        // Without a terminal nothing is typed.
        guard let file = try? openTerminal() else { return try await body() }
        defer { close(file) }
        try hide(file)
        defer { HiddenTerminals.showLast() }
        return try await body()
    }

    private static func hide(_ file: Int32) throws {
        do throws(Errno) { try HiddenTerminals.hide(file) } catch { throw unreadable(terminal, error) }
    }

    /// Shows a passphrase that was made here, at the terminal and nowhere else.
    ///
    /// - Throws: ``Failure`` if there is none.
    static func show(_ passphrase: borrowing SecretBytes) throws {
        let file = try openTerminal()
        defer { close(file) }
        try StandardStreams.write("\n\n  ".utf8, to: file)
        let written = passphrase.span.withUnsafeBufferPointer { write(file, $0.baseAddress, $0.count) }
        guard written == passphrase.count else { throw unreadable(terminal, .last) }
        try StandardStreams.write("\n\n".utf8, to: file)
    }

    private static func openTerminal() throws -> Int32 {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure.usage(
                "there is no terminal to ask for a passphrase",
                hint: "run this in a terminal (under su: su --pty), or give --passphrase-file")
        }
        return file
    }

    /// Reads a byte at a time, so that nothing of standard input is taken that is for another program.
    ///
    /// - Parameters:
    ///   - mayEnd: false if the end of the input is not an empty line: ^D at a terminal.
    ///   - waiting: called again and again until there is input.
    private static func read(
        _ file: Int32, _ name: String, mayEnd: Bool = true, waiting: () throws -> Void = {}
    ) throws -> SecretBytes {
        var bytes = SecretArray(capacity: longest)
        while true {
            try Task.checkCancellation()
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, pollTimeout) > 0 else {
                try waiting()
                continue
            }
            var byte: UInt8 = 0
            let result = Glibc.read(file, &byte, 1)
            if result < 0, errno == EINTR || errno == EAGAIN { continue }
            guard result >= 0 else { throw unreadable(name, .last) }
            guard result > 0 || bytes.count > 0 || mayEnd else {
                throw Failure(
                    .declined, code: "no-passphrase", cause: "no passphrase was typed", hint: Hint.startAgain)
            }
            guard result > 0, byte != UInt8(ascii: "\n") else { break }
            guard bytes.count < longest else {
                throw Failure(
                    .file, code: "passphrase-too-long", cause: "the passphrase has more than \(longest) bytes",
                    hint: "give a file whose first line is the passphrase")
            }
            bytes.bytes.append(byte)
        }
        return SecretBytes(copying: bytes.span)
    }

    private static func unreadable(_ name: String, _ error: Errno) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(name) cannot be read: \(error)",
            hint: "give a file whose first line is the passphrase")
    }
}
