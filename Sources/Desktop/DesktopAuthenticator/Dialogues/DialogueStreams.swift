internal import Cryptography
internal import Glibc
internal import LinuxSupport
internal import SystemPackage

/// The standard streams of a program that a dialogue is held with, in lines.
///
/// It belongs to one thread, which blocks. Input lies in a buffer that is wiped: it may be a passphrase.
final class DialogueStreams {
    /// The program's name, for texts.
    let program: String
    /// The end of the dialogue, whatever comes.
    let deadline: ContinuousClock.Instant
    /// The longest time for a line while the user is not asked; nil while the user is.
    var answerLimit: Duration?

    private let input: FileDescriptor
    private let output: FileDescriptor
    private let wake: WakePipe
    private var received: SecretArray
    private var receivedCount = 0

    /// - Parameters:
    ///   - program: the name of the program.
    ///   - input: the program's standard input.
    ///   - output: its standard output.
    ///   - wake: ends the dialogue once it has a signal.
    ///   - deadline: ends it too.
    ///   - longestLine: the longest line, in bytes without its end.
    init(
        of program: String, input: FileDescriptor, output: FileDescriptor, wake: WakePipe,
        until deadline: ContinuousClock.Instant, longestLine: Int
    ) {
        self.program = program
        self.input = input
        self.output = output
        self.wake = wake
        self.deadline = deadline
        received = SecretArray([UInt8](repeating: 0, count: longestLine + 2))
    }

    /// Sends a line.
    ///
    /// - Throws: ``DialogueError`` `noDisplay` if the program has ended; `timeout`, `cancelled`.
    func send(_ line: String) throws(DialogueError) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            // A program that reads nothing fills the pipe: its end, the time or the task's end is waited for, too.
            let ready = PollThread.poll(
                [(wake.file, POLLIN), (input.rawValue, POLLOUT)], atMost: max(deadline - .now, .zero))
            guard ready[0] == 0 else { throw .cancelled }
            guard deadline > .now else { throw .timeout }
            guard ready[1] != 0 else { continue }
            let piece = rest.prefix(Self.pipePiece)
            let written = piece.withUnsafeBytes { Glibc.write(input.rawValue, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { throw ended() }
            rest = rest.dropFirst(max(written, 0))
        }
    }

    /// The most bytes that a pipe takes without blocking once poll(2) has called it writable (PIPE_BUF of pipe(7)).
    private static let pipePiece = 4_096

    /// Reads until there is a line, and gives it to `body`, after which nothing of it stays.
    ///
    /// - Parameters:
    ///   - signal: ends the wait, too; nil for none.
    ///   - body: gets the bytes of the line, without its end.
    /// - Returns: the result of `body`; nil for a signal.
    /// - Throws: ``DialogueError``; the errors of `body`.
    func line<Result>(
        orSignal signal: WakePipe? = nil, _ body: (Span<UInt8>) throws(DialogueError) -> Result
    ) throws(DialogueError) -> Result? {
        guard
            let length = try wait(
                orSignal: signal,
                {
                    $0.prefix($1).firstIndex(of: UInt8(ascii: "\n"))
                })
        else { return nil }
        defer { remove(length + 1) }
        return try body(received.span.extracting(first: length))
    }

    /// Reads a secret of so many bytes and the line's end behind it.
    ///
    /// - Throws: ``DialogueError``; `failed` if there is no line's end.
    func secret(of count: Int) throws(DialogueError) -> SecretBytes {
        guard count >= 0, count < received.count else { throw failed("the typed text is too long") }
        _ = try wait(orSignal: nil) { _, have in have > count ? count : nil }
        defer { remove(count + 1) }
        let span = received.span
        guard span[count] == UInt8(ascii: "\n") else { throw failed("the typed text is longer than announced") }
        return SecretBytes(copying: span.extracting(first: count))
    }

    /// Reads until `found` finds something in the bytes that are there.
    private func wait(
        orSignal signal: WakePipe?, _ found: ([UInt8], Int) -> Int?
    ) throws(DialogueError) -> Int? {
        let end = answerLimit.map { min(deadline, .now + $0) } ?? deadline
        while true {
            if let found = found(received.bytes, receivedCount) { return found }
            guard receivedCount < received.count else { throw failed("a line is too long") }
            let ready = PollThread.poll(
                [(wake.file, POLLIN), (output.rawValue, POLLIN), (signal?.file ?? -1, POLLIN)],
                atMost: max(end - .now, .zero))
            guard ready[0] == 0 else { throw .cancelled }
            guard deadline > .now else { throw .timeout }
            guard end > .now else { throw failed("it does not answer") }
            if ready[1] != 0 {
                try readMore()
            } else if ready[2] != 0 {
                return nil
            }
        }
    }

    private func readMore() throws(DialogueError) {
        let start = receivedCount
        let count = received.bytes.withUnsafeMutableBytes { bytes in
            let free = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return Glibc.read(output.rawValue, free.baseAddress, free.count)
        }
        guard count > 0 || count < 0 && errno == EINTR else { throw ended() }
        receivedCount += max(count, 0)
    }

    /// Removes the first bytes, so that nothing of them stays.
    private func remove(_ count: Int) {
        let rest = receivedCount - count
        for index in 0..<rest { received.bytes[index] = received.bytes[index + count] }
        received.bytes.withUnsafeMutableBytes { bytes in
            let unused = UnsafeMutableRawBufferPointer(rebasing: bytes[rest..<receivedCount])
            unused.initializeMemory(as: UInt8.self, repeating: 0)
        }
        receivedCount = rest
    }

    /// The program does not keep to its protocol.
    func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(program): \(cause)") }

    private func ended() -> DialogueError {
        DialogueError(.noDisplay, reason: "\(program) has ended without an answer: it was killed, or it has no display")
    }
}
