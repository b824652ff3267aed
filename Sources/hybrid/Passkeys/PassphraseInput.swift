import Cryptography
import Glibc
import Synchronization

/// The source of a passphrase: the terminal, which does not show it, a file, or standard input.
enum PassphraseInput {
    /// Standard input's name on the command line.
    static let standardInputName = "-"
    /// The longest passphrase, in bytes of UTF-8. A terminal takes no longer line than four times that.
    private static let longest = 1_024
    private static let terminal = "/dev/tty"
    /// The terminal that does not show what is typed, and its settings before.
    private static let echo = Mutex<(file: Int32, settings: termios)?>(nil)
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

    /// Asks for a passphrase at the terminal.
    ///
    /// - Throws: ``Failure`` if there is none; `CancellationError`.
    static func ask(_ question: String) throws -> SecretBytes {
        let file = try openTerminal()
        defer { close(file) }
        var shown = termios()
        guard tcgetattr(file, &shown) == 0 else { throw unreadable(terminal, .last) }
        let settings = shown
        // From here on a second signal puts it back.
        echo.withLock { $0 = (file, settings) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        defer {
            restoreTerminal()
            try? StandardStreams.write("\n".utf8, to: file)
        }
        // Input before the question does not count.
        guard tcsetattr(file, TCSAFLUSH, &hidden) == 0 else { throw unreadable(terminal, .last) }
        try StandardStreams.write("\(question): ".utf8, to: file)
        return try read(file, terminal)
    }

    /// Lets the terminal show again what is typed, if a passphrase is asked for. What was typed of it is dropped.
    static func restoreTerminal() {
        echo.withLock { echo in
            guard let (file, shown) = echo else { return }
            var settings = shown
            tcflush(file, TCIFLUSH)
            tcsetattr(file, TCSANOW, &settings)
            echo = nil
        }
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
                hint: "run this in a terminal, or give --passphrase-file")
        }
        return file
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

    private static func unreadable(_ name: String, _ error: SystemError) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(name) cannot be read: \(error)",
            hint: "give a file whose first line is the passphrase")
    }
}
