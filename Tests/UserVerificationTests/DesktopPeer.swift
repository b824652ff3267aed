import Foundation
import LinuxSupport
import TestPeers
import Testing

@testable import UserVerification

/// A system bus of its own, with the real polkitd or fprintd, or with a stand-in that misbehaves.
struct DesktopPeer: Sendable {
    let address: DBusAddress
    /// The peer's lines after its address.
    let lines: AsyncStream<String>

    /// Runs a peer while `body` runs.
    static func with<Result: Sendable>(
        _ script: String, _ arguments: [String], body: (DesktopPeer) async throws -> Result
    ) async throws -> Result {
        let path = peers.appendingPathComponent(script).path
        return try await ChildProcess.with(["/usr/bin/python3", path] + arguments) { child in
            var iterator = child.lines.makeAsyncIterator()
            let address = try DBusAddress(parsing: await iterator.next() ?? "")
            return try await body(DesktopPeer(address: address, lines: child.lines))
        }
    }

    /// The calls that it has received, up to the first line that starts so.
    func said(upTo last: String) async -> [String] {
        var said: [String] = []
        for await line in lines {
            said.append(line)
            if line.hasPrefix(last) { break }
        }
        return said
    }

    private static let peers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Peers")
    /// Another user than the one who runs these services.
    static let anotherUser = getuid() &+ 1
    /// The policy as it is shipped.
    static let policy = peers.appendingPathComponent("../../../tools/installed/polkit").standardized.path

    /// True if the real polkitd can be run here: it accepts an agent's answer from root only.
    static let hasPolkitd = getuid() == 0 && isThere("/usr/lib/polkit-1/polkitd") && canMount
    /// True if the real fprintd can be run here.
    static let hasFprintd = hasPolkitd && isThere("/usr/libexec/fprintd")

    private static func isThere(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    private static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--mount", "--pid", "--fork", "true"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

extension Verifier {
    /// The reason why the method is not set up; nil if it is.
    func obstacle() async -> VerificationError? {
        do throws(VerificationError) {
            try await checkSetUp()
            return nil
        } catch {
            return error
        }
    }

    /// The error of a verification; nil if it succeeded.
    func failure(_ question: ApprovalQuestion = .signIn) async -> VerificationError? {
        do throws(VerificationError) {
            _ = try await verify(question, account: nil)
            return nil
        } catch {
            return error
        }
    }
}

extension ApprovalQuestion {
    static let signIn = ApprovalQuestion(
        operation: .signIn, rpID: "example.com", accounts: [.init(name: "alice", displayName: nil)])
}

/// The expected error of a verification; nil for success.
struct Case: Sendable, CustomTestStringConvertible {
    let behaviour: [String]
    let expected: VerificationError.Code?

    init(_ behaviour: String..., is expected: VerificationError.Code?) {
        self.behaviour = behaviour
        self.expected = expected
    }

    var testDescription: String { "\(behaviour.joined(separator: ", ")): \(expected?.rawValue ?? "verified")" }
}
