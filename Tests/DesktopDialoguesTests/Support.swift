import Cryptography
import Foundation
import Synchronization
import TestPeers
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// The stand-ins for a pinentry and for a window.
enum StandIn {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Peers"
    static let path = folder + "/pinentry.py"

    static func window(_ behaviour: String, log: String? = nil, clock: QuestionClock = .ofReader) -> Window {
        Window(at: folder + "/window.py", variables: ["BEHAVIOUR": behaviour, "LOG": log ?? "/dev/null"], clock: clock)
    }

    static func pinentry(
        _ behaviour: String, variables: [String: String] = [:], log: String? = nil
    ) -> Pinentry {
        var variables = variables.merging(["BEHAVIOUR": behaviour]) { $1 }
        variables["LOG"] = log
        return Pinentry(program: path, variables: variables)
    }
}

extension QuestionClock {
    /// The clock of a user who reads each question: it is a second later whenever it is looked at.
    static var ofReader: QuestionClock { showing([]) }

    /// A clock that shows these times, one whenever it is looked at, and then one second more each time.
    static func showing(_ times: [Duration]) -> QuestionClock {
        let start = ContinuousClock.now
        let state = Mutex((times: times[...], last: Duration.zero))
        return QuestionClock {
            state.withLock { state in
                state.last = state.times.popFirst() ?? state.last + .seconds(1)
                return start + state.last
            }
        }
    }
}

extension Pinentry {
    /// Asks for a passphrase that nobody needs.
    func type(_ words: DialogueWords, within limit: Duration) async throws(DialogueError) {
        _ = try await passphrase(words, within: limit)
    }
}

/// Longer than any test waits.
let never = Duration.seconds(600)

/// Runs `body` with a folder of its own.
func inFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hybrid-dialogues-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
}

/// Waits until a file has a line that begins so.
///
/// - Returns: the rest of the line.
func line(_ start: String, in file: String) async throws -> String {
    while true {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        if let line = text.split(separator: "\n").first(where: { $0.hasPrefix(start) }) {
            return String(line.dropFirst(start.count))
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Waits until no process has this number.
func waitForEnd(of process: String) async throws {
    let number = try #require(pid_t(process))
    while kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(20)) }
}

/// The text of a passphrase.
func text(_ secret: borrowing SecretBytes) -> String {
    secret.span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

/// The code of the error that a dialogue ends with; nil for none.
func errorCode(_ body: () async throws(DialogueError) -> Void) async -> DialogueError.Code? {
    do throws(DialogueError) {
        try await body()
        return nil
    } catch {
        return error.code
    }
}

/// Outcome of an approval: the chosen account, or the refusal.
struct ApprovalOutcome: Equatable {
    var account: Int?
    var refusal: Approval.Refusal?

    init(account: Int?) { self.account = account }

    init(refusal: Approval.Refusal) { self.refusal = refusal }

    init(_ approval: consuming Approval) {
        switch consume approval {
        case .approved(verified: _, account: let account): self.init(account: account)
        case .refused(let refusal): self.init(refusal: refusal)
        }
    }
}
