internal import LinuxSupport

/// A program that shows one window, writes the answer to its standard output, and ends: zenity.
struct DialogueProgram {
    /// Exit statuses.
    private enum ExitStatus {
        static let yes: Int32 = 0
        /// A no, or a closed window.
        static let refused: Int32 = 1
        /// Its own time limit is over.
        static let timeout: Int32 = 5
    }

    /// The longest output that is read: the number of an account, and more than a program adds to it.
    private static let longestOutput = 4_096

    /// The program, searched in PATH unless it has a slash.
    let name: String
    /// Variables of its environment, beside ours: for instance `DISPLAY`.
    let variables: [String: String]

    /// True if the program is installed.
    var isInstalled: Bool { ProgramPath.find(name) != nil }

    /// Shows a window, and waits for a yes.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - text: the standard input; nil for none. What comes from a peer belongs here: arguments are not secret.
    ///   - limit: the longest time for the answer.
    /// - Returns: the program's output.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    func run(
        _ arguments: [String], reading text: String?, within limit: Duration
    ) async throws(DialogueError) -> String {
        do {
            let (output, end) = try await ChildProgram.run(
                dialogue: [name] + arguments, variables: variables,
                input: text.map { .bytes(Array($0.utf8)) } ?? .none,
                limits: .init(time: limit, length: Self.longestOutput))
            switch end {
            case .exited(ExitStatus.yes): return String(decoding: output, as: UTF8.self)
            case .exited(ExitStatus.refused): throw DialogueError(.declined, reason: "declined")
            case .exited(ExitStatus.timeout): throw DialogueError.timeout
            default: throw DialogueError(.noDisplay, reason: "\(name) cannot be shown: it may have no display")
            }
        } catch let error as DialogueError {
            throw error
        } catch let problem as ChildProgram.Problem {
            switch problem {
            case .timeUp: throw .timeout
            case .missing: throw DialogueError(.missing, reason: "\(name) is not installed")
            case .tooLong: throw failed("its answer is too long")
            case .failed(let cause): throw failed("it cannot be run: \(cause)")
            }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw failed("\(error)")
        }
    }

    func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(name): \(cause)") }
}
