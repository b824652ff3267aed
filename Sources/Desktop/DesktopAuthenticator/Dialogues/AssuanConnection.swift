internal import Cryptography

/// The client's end of an Assuan conversation with a program, over its standard streams.
///
/// It belongs to one thread, which blocks. The data of an answer are wiped: they may be a passphrase.
///
/// Source: the libassuan manual, "Client requests" and "Server responses".
final class AssuanConnection {
    /// The server's answer to a request.
    enum Answer {
        case ok
        /// The code of libgpg-error, without its source.
        case error(code: UInt32)
    }

    /// The most bytes of data in an answer: those of the longest passphrase.
    private static let longestData = 1_024
    /// The most lines in an answer, against a server that never ends it.
    private static let mostLines = 1_000
    /// The part of an error that is its code; the rest is its source.
    private static let codeMask: UInt32 = 0xFFFF
    private static let dataPrefix = Array("D ".utf8)

    private let streams: DialogueStreams
    private var data = SecretArray([UInt8](repeating: 0, count: longestData))
    private var dataCount = 0
    /// The words of the status lines of the last answer.
    private(set) var statuses: Set<String> = []

    init(over streams: DialogueStreams) { self.streams = streams }

    /// The longest time for an answer while the user is not asked; nil while the user is.
    var answerLimit: Duration? {
        get { streams.answerLimit }
        set { streams.answerLimit = newValue }
    }

    /// Sends a line and waits for the answer.
    ///
    /// - Parameter line: at most ``AssuanText/longestLine`` bytes.
    /// - Throws: ``DialogueError`` `timeout`, `cancelled` or `failed`.
    func request(_ line: String) throws(DialogueError) -> Answer {
        try streams.send(line)
        return try answer()
    }

    /// Waits for an answer; the first one is the server's greeting.
    ///
    /// - Throws: as ``request(_:)``.
    func answer() throws(DialogueError) -> Answer {
        clearData()
        statuses = []
        for _ in 0..<Self.mostLines {
            let words = try streams.line { (line) throws(DialogueError) in try self.words(of: line) } ?? []
            switch words.first {
            case "OK": return .ok
            case "ERR": return .error(code: (words.dropFirst().first.flatMap { UInt32($0) } ?? 0) & Self.codeMask)
            case "S": statuses.formUnion(words.dropFirst())
            case "INQUIRE": try streams.send("CAN")
            default: break
            }
        }
        throw streams.failed("its answer has no end")
    }

    /// Takes the data of a line, and otherwise returns its words: no other line holds a secret.
    private func words(of line: Span<UInt8>) throws(DialogueError) -> [String] {
        let prefix = Self.dataPrefix
        guard line.count >= prefix.count, prefix.indices.allSatisfy({ line[$0] == prefix[$0] }) else {
            let text = line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            return text.split(separator: " ").map(String.init)
        }
        guard AssuanText.decode(line, from: prefix.count, into: &data.bytes, at: &dataCount) else {
            throw streams.failed("the typed text is longer than \(Self.longestData) bytes, or malformed")
        }
        return []
    }

    /// Takes the data of the last answer.
    func takeData() -> SecretBytes {
        defer { clearData() }
        return SecretBytes(copying: data.span.extracting(first: dataCount))
    }

    private func clearData() {
        data.clear()
        dataCount = 0
    }
}
