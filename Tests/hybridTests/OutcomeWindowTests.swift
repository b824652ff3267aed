import CTAP
import CommandLine
import DesktopAuthenticator
import Foundation
import LinuxSupport
import Testing

@testable import hybrid

/// Outcomes in a window that its user never closes.
@Suite(.timeLimit(.minutes(4))) struct OutcomeWindowTests {
    private static let failure = Failure(.failure, code: "failed", cause: "it failed", hint: "start again")

    /// A linked client that fails again and again does not fill the screen.
    @Test func `each outcome takes the place of the one before`() async throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "window-\(UUID())").path
        try "#!/bin/sh\nread -r hello\necho '{\"contract\":1}'\ncat >/dev/null\n"
            .write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        defer { try? FileManager.default.removeItem(atPath: program) }
        let outcomes = OutcomeWindow(in: Window(at: program), Reporter(isJSON: false))
        let begun = ContinuousClock.now
        await withTaskGroup { group in
            for _ in 0..<5 { group.addTask { await outcomes.show(.failed(Self.failure)) } }
            for _ in 0..<4 { await group.next() }
            // Each would be there for 30 seconds by itself.
            #expect(.now - begun < .seconds(30))
            group.cancelAll()
        }
    }

    @Test(arguments: [
        (Failure(.declined, code: "declined", cause: "no", hint: "none"), false),
        (
            Failure(
                .declined, code: "declined", cause: "no", hint: "none", ctapStatus: CTAPStatus.operationDenied.rawValue),
            false
        ),
        (
            Failure(
                .declined, code: "declined", cause: "no", hint: "none", ctapStatus: CTAPStatus.noCredentials.rawValue),
            true
        ),
        (Failure(interruptedAt: nil), false), (failure, true),
    ])
    func `what the user has done is no news`(_ failure: Failure, _ isNews: Bool) {
        #expect(failure.isNews == isNews)
    }
}
