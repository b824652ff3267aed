import FoundationEssentials
import HybridTransport
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Writes what happens: lines for people on standard error, or one JSON object a line on standard output.
///
/// The rules are few. Results go to standard output, everything else to standard error. Lines for people are lower case and
/// have no full stop; an error is followed by a hint. Secrets are in none of them.
final class Reporter: Sendable {
    let isJSON: Bool
    private let start = ContinuousClock.now
    private let lock = Mutex(())

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// An observer of one role's ceremony.
    func observer(_ role: Role) -> CeremonyObserver {
        { [self] event in
            switch event {
            case .stage(let stage): report(stage, role)
            case .notice(let notice):
                write(
                    NoticeLine(role: role.rawValue, notice: notice.rawValue, text: notice.text),
                    orSay: "warning: \(notice.text)")
            }
        }
    }

    /// Reports a stage that a role has reached.
    func report(_ stage: Stage, _ role: Role) {
        let elapsed = ContinuousClock.now - start
        write(
            StageLine(
                role: role.rawValue, stage: stage.rawValue, time: Date().timeIntervalSince1970,
                elapsed: elapsed.milliseconds),
            orSay: "\(padded(elapsed.milliseconds)) ms  \(role.rawValue): \(stage.text)")
    }

    /// Says something to the person; a program does not need it.
    func say(_ text: String) {
        guard !isJSON else { return }
        lock.withLock { _ in writeLine("hybrid: \(text)", to: STDERR_FILENO) }
    }

    /// Shows a picture to the person, without a prefix.
    func show(_ text: String) { lock.withLock { _ in writeText(text, to: STDERR_FILENO) } }

    /// Writes a line to standard output, as it is.
    func print(_ text: String) { lock.withLock { _ in writeLine(text, to: STDOUT_FILENO) } }

    /// Writes a line for programs if they are wanted, otherwise the other one for people.
    func write(_ line: some Encodable, orSay text: String) {
        if isJSON { writeJSON(line) } else { say(text) }
    }

    /// Writes a line for programs on standard output.
    func writeJSON(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            print(String(decoding: try encoder.encode(line), as: UTF8.self))
        } catch {
            // Only a number that JSON cannot write would do this, and the lines have none.
            lock.withLock { _ in writeLine("hybrid: error: output: \(error)", to: STDERR_FILENO) }
        }
    }

    /// Reports a failure.
    func report(_ failure: Failure) {
        guard !isJSON else {
            writeJSON(
                ErrorLine(
                    code: failure.code, stage: failure.stage?.rawValue, cause: failure.cause, hint: failure.hint,
                    exitCode: failure.status.rawValue))
            return
        }
        let place = failure.stage.map { " before \($0.rawValue)" } ?? ""
        say("error\(place): \(failure.cause)")
        if let hint = failure.hint { say("hint: \(hint)") }
    }

    private func padded(_ milliseconds: Double) -> String {
        let text = String(Int(milliseconds))
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}

extension Duration {
    /// The duration in milliseconds, to the microsecond.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds / 1_000_000_000_000) / 1e3
    }
}

private func writeLine(_ text: String, to file: Int32) { writeText(text + "\n", to: file) }

private func writeText(_ text: String, to file: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if errno != EINTR {
            return  // Nobody reads any more, and there is nobody else to tell.
        }
    }
}
