internal import Encodings

/// The transcript of a case: the messages of each channel, and their times.
///
/// Messages of a session are shown decrypted. Secrets of QR codes and traffic keys are not in it.
public struct Transcript: Sendable {
    /// The direction of an entry, from the runner's side.
    public enum Direction: String, Sendable, CaseIterable {
        /// The runner sent it to the peer.
        case sent
        /// The peer sent it.
        case received
        /// An event: a program's start or end, the end of a connection.
        case note
    }

    /// One thing that happened.
    public struct Entry: Sendable, Equatable {
        /// The time since the case began.
        public let time: Duration
        /// The direction.
        public let direction: Direction
        /// The channel: `HTTP`, `tunnel`, `L2CAP`, `advert` or `process`; with a number, as in `tunnel 2`, on every
        /// connection but a case's first.
        public let channel: String
        /// The kind of message or event in a few words, such as `handshake message`.
        public internal(set) var what: String
        /// The first bytes, ``byteLimit`` at most: a session's messages as plaintext, WebSocket frames as payload.
        public internal(set) var bytes: [UInt8] = []
        /// The number of bytes that are left out.
        public internal(set) var more = 0
    }

    /// The entries, in the order of their times.
    public let entries: [Entry]
    /// The number of entries that are left out of the middle.
    public let omittedCount: Int

    /// The number of bytes that are kept of an entry.
    public static let byteLimit = 512
    /// The number of entries that are kept of a case: the first ones, and the last quarter.
    public static let entryLimit = 400

    /// An empty transcript.
    public init() { self.init(entries: [], omittedCount: 0) }

    init(entries: [Entry], omittedCount: Int) {
        self.entries = entries
        self.omittedCount = omittedCount
    }

    /// The transcript as text: a line for each entry, with time, direction, channel and kind, and its bytes in
    /// hexadecimal digits.
    ///
    /// - Parameters:
    ///   - byteLimit: the number of bytes that are shown of an entry.
    ///   - lineLimit: the number of lines at most, the last ones; nil for all.
    public func lines(byteLimit: Int = byteLimit, last lineLimit: Int? = nil) -> [String] {
        var lines = entries.map { $0.line(byteLimit) }
        if omittedCount > 0 {
            lines.insert("… \(omittedCount) entries are left out", at: lines.count - min(lines.count, Self.tailLimit))
        }
        guard let lineLimit, lines.count > lineLimit else { return lines }
        return lines.suffix(lineLimit)
    }

    static let tailLimit = entryLimit / 4
}

extension Transcript.Entry {
    /// The time since the case began in milliseconds.
    public var milliseconds: Double { time / .milliseconds(1) }

    fileprivate func line(_ byteLimit: Int) -> String {
        let tenths = Int((milliseconds * 10).rounded())
        var line = Self.right("\(tenths / 10).\(tenths % 10) ms", 12)
        line += "  \(Self.left(direction.rawValue, 8))  \(Self.left(channel, 8))  \(what)"
        guard !bytes.isEmpty else { return line }
        let left = bytes.count + more - min(bytes.count, byteLimit)
        line += ": " + Hexadecimal.encode(Array(bytes.prefix(byteLimit)))
        return left > 0 ? line + "… and \(left) bytes more" : line
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
