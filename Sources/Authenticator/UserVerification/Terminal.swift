internal import Glibc

/// A terminal for questions to the user, opened by its path so that redirected streams make no difference.
struct Terminal: ~Copyable, Sendable {
    private let raw: Int32

    /// The longest line that is read; a terminal's own limit is 4096.
    private static let maxLineByteCount = 256

    /// Opens a terminal; nil if there is none.
    init?(path: String) {
        let raw = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard raw >= 0 else { return nil }
        guard isatty(raw) == 1 else {
            close(raw)
            return nil
        }
        self.raw = raw
    }

    deinit { close(raw) }

    /// Throws away what was typed before anybody was asked.
    func discardInput() { tcflush(raw, TCIFLUSH) }

    /// The longest time that a terminal may take nothing of a text.
    private static let writeTimeout = Duration.seconds(10)
    /// The time between attempts to write. No thread is blocked meanwhile: all tasks share a few.
    private static let writeInterval = Duration.milliseconds(10)

    /// Writes a text.
    ///
    /// - Returns: false if the terminal does not take all of it, or the task is cancelled before it does: what was not
    ///   shown was not asked.
    @discardableResult
    func write(_ text: String) async -> Bool {
        var rest = Array(text.utf8)[...]
        var lastWritten = ContinuousClock.now
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                lastWritten = .now
                continue
            }
            let mayTakeMore = written < 0 && (errno == EAGAIN || errno == EINTR)
            guard mayTakeMore, .now - lastWritten < Self.writeTimeout,
                (try? await Task.sleep(for: Self.writeInterval)) != nil
            else { return false }
        }
        return true
    }

    /// Input that is available.
    enum Input {
        /// Nothing yet.
        case none
        /// A line, without its end.
        case line(String)
        /// The end of input: the user typed ^D, or the terminal is gone.
        case end
    }

    /// Reads a line if there is one. The terminal hands out whole lines only.
    func read() -> Input {
        var buffer = [UInt8](repeating: 0, count: Self.maxLineByteCount)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(raw, $0.baseAddress, $0.count) }
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .none : .end }
        let line = buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return .line(String(decoding: line, as: UTF8.self))
    }
}
