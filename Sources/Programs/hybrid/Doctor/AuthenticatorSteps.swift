import CeremonyOptions
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import UserVerification

/// The ceremonies of this machine as the authenticator, with passkeys that are gone when it ends.
struct AuthenticatorSteps {
    private static let longestCode = Invitation.urlPrefix.utf8.count + QRDigits.maximumDigitCount + 1_024

    private let command: DoctorCommand
    private let radio: String
    private let reporter: Reporter
    private let store = InMemoryCredentialStore()

    init(_ command: DoctorCommand, radio: String, _ reporter: Reporter) throws {
        self.command = command
        self.radio = radio
        self.reporter = reporter
    }

    /// The text of a QR code; nil if no more should be answered.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    func code() async throws -> String? {
        while true {
            let answer = try TerminalPrompt.ask(
                "its QR code: camera, screen, or its text FIDO:/…; Enter goes on", limit: Self.longestCode)
            do {
                switch answer {
                case nil: return nil
                case "camera":
                    reporter.say("looking through the camera: hold the QR code before it")
                    return try await CodePicture.codeBeforeCamera(timeout: command.time.limits.discovery)
                case "screen": return try await Screenshot.code()
                case let text?: return text
                }
            } catch {
                try Task.checkCancellation()
                let failure = Failure(error)
                reporter.say("that failed: \(failure.cause); \(failure.hint)")
            }
        }
    }

    /// Answers a QR code.
    ///
    /// - Throws: `CancellationError`.
    func answer(_ code: String) async throws -> CeremonyRecord {
        let times = StageTimes()
        let listener = reporter.listener(for: .authenticator)
        let observe: EventListener = { event in
            if let event = event as? CeremonyEvent { times.note(event) }
            listener(event)
        }
        let log = SessionLog(observe: observe)
        var operation = "none"
        let outcome = try await reporter.outcome {
            let approval = VerifiedApproval(
                asking: TerminalApproval(timeout: command.time.limits.question), verifier: ClaimingVerifier())
            let answerer = CodeAnswerer(
                parts: try command.authenticatorParts(command.domain), approval: approval, credentials: nil,
                offerer: nil, log: log, observe: observe)
            try await answerer.answer(Invitation(scanned: code, observe: observe), with: store)
            let answers = try log.answers()
            operation = answers.last?.command ?? operation
            reporter.report(AgentEvent.answered(answers))
        }
        return CeremonyRecord(.authenticator, operation, radio: radio, times.all, outcome: outcome)
    }
}

/// Takes a yes at the terminal for a verification: for passkeys that are gone when the command ends.
private struct ClaimingVerifier: Verifier {
    var method: Verified.Method { .lab }
    /// The terminal shows it.
    var showsQuestion: Bool { false }

    func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant { .now }
}
