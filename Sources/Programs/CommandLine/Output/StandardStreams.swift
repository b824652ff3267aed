import Glibc
package import LinuxSupport
package import SystemPackage

/// The process's standard input, output and error.
package enum StandardStreams {
    private static let chunk = 4_096
    /// The interval at which a read checks for the cancellation of its task, in milliseconds.
    private static let pollInterval: Int32 = 100
    private static let terminal = "/dev/tty"

    /// Makes the streams safe to use; to be called once, before anything is opened: before the first task too, since
    /// Dispatch opens files of its own for that.
    package static func prepare() {
        // A reader that goes away is an error of the write, not a signal that ends the process with its advert on the
        // air.
        signal(SIGPIPE, SIG_IGN)
        // The first socket would take the place of a stream that is closed, and lines for people would go through it.
        // Opened in the wrong direction, the stream stays unusable.
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(file, F_GETFD) < 0 { _ = open("/dev/null", mode) }
    }

    /// Writes bytes whole, to one of the streams or to any other file.
    ///
    /// - Throws: `Errno`, for instance if the reader is gone.
    package static func write(_ bytes: some Sequence<UInt8>, to file: Int32) throws(Errno) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var readiness = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&readiness, 1, pollInterval)
            } else if errno != EINTR {
                throw Errno.last
            }
        }
    }

    /// Asks a person for the next input; nobody where standard input is not a terminal.
    ///
    /// Keeps earlier input: nothing that is read so approves anything.
    package static func prompt(_ words: Sentence) {
        guard isatty(STDIN_FILENO) == 1 else { return }
        // Not every terminal that is standard input controls the process: then the words go where others go.
        let terminal = open(terminal, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        defer { if terminal >= 0 { close(terminal) } }
        try? write("\(words.localized): ".utf8, to: terminal >= 0 ? terminal : STDERR_FILENO)
    }

    /// Reads the first line of standard input, or of any other file; or all of it if it has no end of line.
    ///
    /// - Parameters:
    ///   - limit: the number of bytes that are read at most; a longer input is cut there.
    ///   - file: the file descriptor.
    /// - Throws: `Errno`; `CancellationError`.
    package static func readLine(limit: Int, from file: Int32 = STDIN_FILENO) throws -> String {
        let newline = UInt8(ascii: "\n")
        let bytes = try read(limit: limit, from: file) { $0.contains(newline) }
        return String(decoding: bytes.prefix { $0 != newline }, as: UTF8.self)
    }

    /// Reads standard input, or any other file, to its end.
    ///
    /// - Parameters:
    ///   - limit: the number of bytes that are read at most; a longer input is cut there.
    ///   - file: the file descriptor.
    ///   - enough: returns true if the bytes read last are enough.
    /// - Throws: `Errno`; `CancellationError`.
    package static func read(
        limit: Int, from file: Int32, until enough: (ArraySlice<UInt8>) -> Bool = { _ in false }
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while bytes.count < limit {
            try Task.checkCancellation()
            var readiness = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, pollInterval) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Errno.last
            }
            bytes += buffer.prefix(count)
            if count == 0 || enough(buffer.prefix(count)) { break }
        }
        return Array(bytes.prefix(limit))
    }

    /// True if a stream is a terminal that knows colours.
    package static func showsColours(_ file: Int32) -> Bool { isatty(file) == 1 && variable("TERM") != "dumb" }

    /// True if colours are wanted beside the text: not with NO_COLOR (no-color.org).
    package static func wantsColours(_ file: Int32) -> Bool {
        showsColours(file) && variable("NO_COLOR").map(\.isEmpty) ?? true
    }

    /// True if the locale has more characters than those of ASCII.
    package static var isUTF8: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
        return locale.map { $0.uppercased().contains("UTF-8") || $0.uppercased().contains("UTF8") } ?? true
    }

    /// True if there is a terminal at which the user can be asked, whatever the streams are redirected to.
    package static var hasControllingTerminal: Bool {
        let file = open(terminal, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    /// The size of the terminal that a stream is; nil if it is none, or does not know.
    package static func size(of file: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard isatty(file) == 1, ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension String {
    /// The text without white space at either end.
    package func trimmingWhitespace() -> String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension Errno {
    /// The error of the call that has just failed.
    package static var last: Self { Self(rawValue: errno) }
}
