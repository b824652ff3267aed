import CGTK
import Encodings
import Glibc

/// The conversation with `hybrid`: its lines are shown, and the user's answers are written.
final class Conversation {
    private static let bytesOfRead = 65_536
    /// The time for which an outcome stays after the conversation, in milliseconds.
    private static let outcomeTime: UInt32 = 30_000

    private let loop = g_main_loop_new(nil, 0)
    private var reader = LineReader()
    private var window: QuestionWindow?
    private var lastID = -1
    private var hasBegun = false
    private var isOver = false
    private var status: Int32 = 0

    /// Talks and shows, until `hybrid` ends the conversation.
    ///
    /// - Returns: the program's exit code.
    func run() -> Int32 {
        window = QuestionWindow { [weak self] in self?.answer($0, $1) }
        whenReadable(STDIN_FILENO) { [weak self] in self?.read() ?? false }
        g_main_loop_run(loop)
        window?.erase()
        return status
    }

    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.bytesOfRead)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        guard count >= 0 else {
            if [EINTR, EAGAIN].contains(errno) { return true }
            fail(ContractError(.closed, reason: "standard input: \(String(cString: strerror(errno)))"))
            return false
        }
        guard count > 0 else {
            endInput()
            return false
        }
        do throws(ContractError) {
            for line in try reader.take(bytes[..<count]) { try take(line) }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func take(_ line: [UInt8]) throws(ContractError) {
        guard hasBegun else {
            try ContractMessage.requireGreeting(line)
            hasBegun = true
            return try StandardOutput.write(Array("{\"contract\":\(ContractMessage.version)}\n".utf8))
        }
        switch try ContractMessage(parsing: line) {
        case .tell(let sentence): window?.tell(sentence)
        case .show(let question):
            guard question.id > lastID else { throw ContractObject.malformed("id", "greater than the one before") }
            lastID = question.id
            window?.show(question)
        }
    }

    private func answer(_ reply: Reply, _ question: Question) {
        if !isOver {
            do throws(ContractError) {
                switch reply {
                case .answer(let answer): try StandardOutput.write(answer.line(to: question.id))
                case .secret(let secret): try SecretAnswer.write(secret, to: question.id)
                }
            } catch {
                fail(error)
            }
        } else {
            g_main_loop_quit(loop)
        }
    }

    /// Ends the program, unless the user still has to see what has become of it.
    private func endInput() {
        isOver = true
        guard window?.showsOutcome == true else { return g_main_loop_quit(loop) }
        after(milliseconds: Self.outcomeTime) { [weak self] in g_main_loop_quit(self?.loop) }
    }

    private func fail(_ error: ContractError) {
        complain(error.reason)
        status = 1
        g_main_loop_quit(loop)
    }
}
