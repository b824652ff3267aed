import DigitalCredentials
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator

/// Answers digital-credential requests through a program, once the user has agreed.
///
/// The program gets the request on its standard input, as JSON in one line that says what the user has agreed to and nothing else, and
/// writes the answer to its standard output. Both have the shapes of PROTOCOL.md 7.2.
struct CredentialHandler: Sendable {
    let program: String
    let verification: any UserVerification
    /// How long a request may take, the user's time included.
    let timeLimit: Duration
    let log: CommandLog
    let reporter: Reporter
    let progress: CeremonyReporter

    /// The longest answer that a session carries.
    private static let longestAnswer = SecureChannel.maximumMessageByteCount - 1
    /// What a program needs to find others, its files, and the person's language.
    private static let environment = ["PATH", "HOME", "LANG"]
    /// What is left of the time for the answer to be sent.
    private static let margin = Duration.seconds(1)
    private static let unknownCommand = "a digital credential"

    /// A request that gets no credential: what the client is told, and what the user.
    private struct Refused: Error {
        let refusal: DigitalCredentialRefusal
        let failure: Failure

        init(
            _ refusal: DigitalCredentialRefusal, _ status: ExitStatus = .declined, code: String = "declined",
            cause: String,
            hint: String
        ) {
            self.refusal = refusal
            failure = Failure(status, code: code, cause: cause, hint: hint)
        }
    }

    /// Answers a request of the client's.
    func answer(_ json: String) async -> String {
        var command = Self.unknownCommand
        do {
            let start = ContinuousClock.now
            let request = try Self.request(json)
            command = request.kind.rawValue
            try await ask(request)
            let credential = try await credential(for: request, within: timeLimit - (.now - start) - Self.margin)
            log.note(answered: command, "credential")
            return DigitalCredentialAnswer.credential(credential).json
        } catch {
            let refused = error as? Refused ?? Refused(.deviceAborted, cause: "cancelled", hint: Hint.startAgain)
            log.note(answered: command, refused.refusal.rawValue, refused.failure)
            return DigitalCredentialAnswer.refusal(refused.refusal).json
        }
    }

    private static func request(_ json: String) throws(Refused) -> DigitalCredentialRequest {
        do throws(DigitalCredentialError) {
            return try DigitalCredentialRequest(parsing: json)
        } catch {
            throw Refused(
                .invalidRequest, .protocolViolation, code: error.code.rawValue,
                cause: "the request makes no sense: \(error.reason)",
                hint: "start again; if it happens again, the client's implementation is at fault")
        }
    }

    private func ask(_ request: DigitalCredentialRequest) async throws {
        let operation: ApprovalQuestion.Operation =
            request.kind == .presentation ? .presentCredential : .receiveCredential
        let approval = await verification.ask(
            ApprovalQuestion(operation: operation, rpID: request.origin, details: request.summary))
        try Task.checkCancellation()
        guard case .approved(let verified, account: _) = approval else {
            let failure = log.takeVerificationFailure()
            throw Refused(
                approval == .declined ? .userCanceled : .deviceAborted, code: failure?.code.rawValue ?? "declined",
                cause: failure?.reason ?? approval.reason,
                hint: failure?.hint ?? "start again on the client if that was not intended")
        }
        if verified { progress.reached(.userVerified) }
    }

    private func credential(
        for request: DigitalCredentialRequest, within limit: Duration
    ) async throws -> DigitalCredential {
        let output: [UInt8]
        do {
            let (written, end) = try await ChildProgram.converse(
                [program], input: Array((request.json + "\n").utf8), environment: Self.environment, timeLimit: limit,
                lengthLimit: Self.longestAnswer
            ) { reporter.say("\(program): \(quoted($0))") }
            guard case .exited(0) = end else { throw handlerFailed("it ended \(end.words)") }
            output = written
        } catch let problem as ChildProgram.Problem {
            throw handlerFailed(problem.words)
        }
        do {
            guard let text = String(validating: output, as: UTF8.self) else {
                throw DigitalCredentialError(.invalidJSON, reason: "not UTF-8")
            }
            switch try DigitalCredentialAnswer(parsing: text) {
            case .credential(let credential):
                guard request.options.contains(where: { $0.exchangeProtocol == credential.exchangeProtocol }) else {
                    throw DigitalCredentialError(.wrongType, reason: "of a protocol that was not asked for")
                }
                return credential
            case .refusal(let refusal):
                throw Refused(
                    refusal, cause: "\(program) has no credential for this: \(quoted(refusal.rawValue))",
                    hint: "nothing was shown to the site")
            }
        } catch let error as DigitalCredentialError {
            throw handlerFailed("its answer makes no sense: \(error.reason)")
        }
    }

    private func handlerFailed(_ cause: String) -> Refused {
        Refused(
            .deviceAborted, .failure, code: "credential-handler", cause: "\(program) gave no answer: \(cause)",
            hint: "check the program given with --credential-handler; its own words stand above")
    }
}

extension ChildProgram.Problem {
    fileprivate var words: String {
        switch self {
        case .missing: "it is not there"
        case .timeUp: "its time was up"
        case .tooLong: "it wrote more than an answer can hold"
        case .failed(let error): "it cannot be run: \(error)"
        }
    }
}

extension ChildProgram.End {
    fileprivate var words: String {
        switch self {
        case .exited(let status): "with exit status \(status)"
        case .stopped, .killed: "by a signal"
        }
    }
}

extension Approval {
    fileprivate var reason: String {
        switch self {
        case .approved, .declined: "declined"
        case .timedOut: "nobody answered in time"
        case .cancelled: "cancelled"
        case .unavailable: "there is no way to ask"
        case .notEnrolled: "nothing is set up to verify the user by"
        case .failed: "the user could not be verified"
        case .blocked: "too many failed attempts at verification"
        }
    }
}
