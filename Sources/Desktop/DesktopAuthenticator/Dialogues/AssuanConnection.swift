internal import Cryptography
internal import Glibc
internal import LinuxSupport
internal import SystemPackage

/// The client's end of an Assuan conversation with a program, over its standard streams.
///
/// It belongs to one thread, which blocks. What comes lies in two buffers, which are wiped: it may be a passphrase.
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

    private let program: String
    private let input: FileDescriptor
    private let output: FileDescriptor
    private let wake: WakePipe
    private let deadline: ContinuousClock.Instant
    /// The longest time for an answer while the user is not asked; nil while the user is.
    var answerLimit: Duration?

    private var received = SecretArray([UInt8](repeating: 0, count: AssuanText.longestLine + 2))
    private var receivedCount = 0
    private var data = SecretArray([UInt8](repeating: 0, count: longestData))
    private var dataCount = 0
    /// The words of the status lines of the last answer.
    private(set) var statuses: Set<String> = []

    /// - Parameters:
    ///   - program: the name of the program, for texts.
    ///   - input: the program's standard input.
    ///   - output: its standard output.
    ///   - wake: ends the conversation once it has a signal.
    ///   - deadline: ends it too.
    init(
        with program: String, input: FileDescriptor, output: FileDescriptor, wake: WakePipe,
        until deadline: ContinuousClock.Instant
    ) {
        self.program = program
        self.input = input
        self.output = output
        self.wake = wake
        self.deadline = deadline
    }

    /// Sends a line and waits for the answer.
    ///
    /// - Parameter line: at most ``AssuanText/longestLine`` bytes.
    /// - Throws: ``DialogueError`` `timeout`, `cancelled` or `failed`.
    func request(_ line: String) throws(DialogueError) -> Answer {
        try send(line)
        return try answer()
    }

    /// Waits for an answer; the first one is the server's greeting.
    ///
    /// - Throws: as ``request(_:)``.
    func answer() throws(DialogueError) -> Answer {
        clearData()
        statuses = []
        for _ in 0..<Self.mostLines {
            let length = try awaitLine()
            defer { removeLine(length) }
            if received.bytes[..<length].starts(with: Self.dataPrefix) {
                let start = Self.dataPrefix.count
                guard AssuanText.decode(received.bytes, from: start, to: length, into: &data.bytes, at: &dataCount)
                else {
                    throw failed("the typed text is longer than \(Self.longestData) bytes, or malformed")
                }
                continue
            }
            // No other line holds a secret.
            let words = String(decoding: received.bytes[..<length], as: UTF8.self).split(separator: " ")
            switch words.first {
            case "OK": return .ok
            case "ERR": return .error(code: (words.dropFirst().first.flatMap { UInt32($0) } ?? 0) & Self.codeMask)
            case "S": statuses.formUnion(words.dropFirst().map(String.init))
            case "INQUIRE": try send("CAN")
            default: break
            }
        }
        throw failed("its answer has no end")
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

    private func send(_ line: String) throws(DialogueError) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(input.rawValue, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { throw ended() }
            rest = rest.dropFirst(max(written, 0))
        }
    }

    /// Reads until there is a line.
    ///
    /// - Returns: its length, without its end.
    private func awaitLine() throws(DialogueError) -> Int {
        let end = answerLimit.map { min(deadline, .now + $0) } ?? deadline
        while true {
            if let end = received.bytes[..<receivedCount].firstIndex(of: UInt8(ascii: "\n")) { return end }
            guard receivedCount < received.count else { throw failed("a line is too long") }
            let ready = PollThread.poll(
                [(wake.file, POLLIN), (output.rawValue, POLLIN)], atMost: max(end - .now, .zero))
            guard ready[0] == 0 else { throw .cancelled }
            guard deadline > .now else { throw .timeout }
            guard end > .now else { throw failed("it does not answer") }
            guard ready[1] != 0 else { continue }
            let start = receivedCount
            let count = received.bytes.withUnsafeMutableBytes { bytes in
                let free = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return Glibc.read(output.rawValue, free.baseAddress, free.count)
            }
            guard count > 0 || count < 0 && errno == EINTR else { throw ended() }
            receivedCount += max(count, 0)
        }
    }

    /// Removes a line and its end, so that nothing of it stays.
    private func removeLine(_ length: Int) {
        let rest = receivedCount - length - 1
        for index in 0..<rest { received.bytes[index] = received.bytes[index + length + 1] }
        received.bytes.withUnsafeMutableBytes { bytes in
            let unused = UnsafeMutableRawBufferPointer(rebasing: bytes[rest..<receivedCount])
            unused.initializeMemory(as: UInt8.self, repeating: 0)
        }
        receivedCount = rest
    }

    private func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(program): \(cause)") }

    private func ended() -> DialogueError {
        DialogueError(.noDisplay, reason: "\(program) has ended without an answer: it was killed, or it has no display")
    }
}
