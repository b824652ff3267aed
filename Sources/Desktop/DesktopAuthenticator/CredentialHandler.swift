internal import Encodings
internal import HybridProtocol
package import HybridTransport
internal import LinuxSupport
package import UserVerification

/// Answers digital-credential requests through a program, once the user has agreed.
///
/// The program gets the request on its standard input, as one line of JSON that has the parts that the user has
/// agreed to and nothing else, and writes the answer to its standard output. Both have the shapes of the article
/// DigitalCredentials of HybridProtocol.
package struct CredentialHandler: Sendable {
    private let program: String
    private let approval: any UserApproval
    private let timeLimit: Duration
    private let log: SessionLog
    private let observe: EventListener

    /// The longest answer that a session carries.
    private static let longestAnswer = SecureChannel.maximumMessageByteCount - 1
    /// The variables that a program needs to find others, its files, and the user's language.
    private static let environment = ["PATH", "HOME", "LANG"]
    /// The time that remains for the answer to be sent.
    private static let margin = Duration.seconds(1)
    private static let unknownCommand = "a digital credential"

    /// A request that gets no credential: the answer to the client, and the reason for the user.
    private struct Refused: Error {
        let refusal: DigitalCredentialRefusal
        let reason: AgentError

        init(_ refusal: DigitalCredentialRefusal, code: String = "declined", cause: Sentence, remedy: Remedy) {
            self.refusal = refusal
            reason = AgentError(code: code, cause: cause, remedy: remedy)
        }
    }

    /// Makes one.
    ///
    /// - Parameters:
    ///   - program: the program, searched in PATH unless it has a slash.
    ///   - approval: asks the user.
    ///   - timeLimit: the longest time of a request, the user's time included.
    ///   - log: gets the requests and their answers.
    ///   - observe: gets the lines of the program's standard error.
    package init(
        program: String, approval: any UserApproval, timeLimit: Duration, log: SessionLog,
        observe: @escaping EventListener
    ) {
        self.program = program
        self.approval = approval
        self.timeLimit = timeLimit
        self.log = log
        self.observe = observe
    }

    /// Answers a request of the client's.
    ///
    /// - Parameter json: the request.
    /// - Returns: the answer, JSON too: a credential or a refusal.
    package func answer(_ json: String) async -> String {
        var (command, site): (String, String?) = (Self.unknownCommand, nil)
        do {
            let start = ContinuousClock.now
            let received = try Self.request(json)
            (command, site) = (received.kind.rawValue, received.origin)
            let request = try admitted(received)
            try await ask(request)
            let credential = try await credential(for: request, within: timeLimit - (.now - start) - Self.margin)
            log.note(.init(command: command, outcome: .credential, failure: nil, site: request.origin))
            return DigitalCredentialAnswer.credential(credential).json
        } catch {
            let refused = error as? Refused ?? Refused(.deviceAborted, cause: "cancelled", remedy: .startAgain)
            log.note(.init(command: command, outcome: .refusal(refused.refusal), failure: refused.reason, site: site))
            return DigitalCredentialAnswer.refusal(refused.refusal).json
        }
    }

    private static func request(_ json: String) throws(Refused) -> DigitalCredentialRequest {
        do throws(DigitalCredentialError) {
            return try DigitalCredentialRequest(parsing: json)
        } catch {
            throw Refused(
                .invalidRequest, code: error.code.rawValue, cause: "the request is malformed: \(error.reason)",
                remedy: .reportClient)
        }
    }

    /// The part of a request that may be answered: the user agrees to it, and the program gets it.
    private func admitted(_ request: DigitalCredentialRequest) throws(Refused) -> DigitalCredentialRequest {
        do throws(DigitalCredentialError) {
            let (request, leftOut) = try request.admitted()
            for error in leftOut { observe(AgentEvent.optionLeftOut(error)) }
            return request
        } catch {
            throw Refused(
                .invalidRequest, code: error.code.rawValue, cause: "the request is refused: \(error.reason)",
                remedy: error.code == .badOrigin || error.code == .otherOrigin ? .distrustSite : .reportClient)
        }
    }

    private func ask(_ request: DigitalCredentialRequest) async throws {
        let operation: ApprovalQuestion.Operation =
            request.kind == .presentation ? .presentCredential : .receiveCredential
        let question = ApprovalQuestion(operation: operation, rpID: request.origin, details: request.summary)
        do throws(Approval.Refusal) {
            if try await approval.ask(question).isVerified(for: question) { log.noteVerified() }
        } catch {
            try Task.checkCancellation()
            let refusal = error
            let failure = log.takeVerificationFailure()
            throw Refused(
                refusal == .declined ? .userCanceled : .deviceAborted, code: failure?.code.rawValue ?? "declined",
                cause: failure.map { Sentence(reason: $0.reason) } ?? refusal.reason,
                remedy: failure.map { .verification($0.code) } ?? .startAgainUnlessIntended)
        }
        try Task.checkCancellation()
        log.noteSite(request.origin)
    }

    private func credential(
        for request: DigitalCredentialRequest, within limit: Duration
    ) async throws -> DigitalCredential {
        let output = try await output(for: request, within: limit)
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
                let name = CBORValue.text(refusal.rawValue).diagnostic()
                let cause: Sentence =
                    switch refusal {
                    case .userCanceled: "it was declined in \(program)"
                    case .noCredential: "\(program) has no credential for this"
                    default: "\(program) refuses this: \(name)"
                    }
                throw Refused(refusal, cause: cause, remedy: .nothingShown)
            }
        } catch let error as DigitalCredentialError {
            throw handlerFailed("its answer is malformed: \(reason: error.reason)")
        }
    }

    private func output(for request: DigitalCredentialRequest, within limit: Duration) async throws -> [UInt8] {
        do {
            let (output, end) = try await ChildProgram.run(
                [program], input: .bytes(Array((request.json + "\n").utf8)), environment: Self.environment,
                limits: .init(time: limit, length: Self.longestAnswer),
                onErrorLine: { [observe, program] in observe(AgentEvent.handlerLine($0, program: program)) })
            switch end {
            case .exited(0): return output
            case .exited(let status): throw handlerFailed("it ended with exit status \(status)")
            case .stopped, .killed: throw handlerFailed("it ended by a signal")
            }
        } catch let problem as ChildProgram.Problem {
            let cause: Sentence =
                switch problem {
                case .missing: "it is not there"
                case .timeUp: "its time was up"
                case .tooLong: "its answer is too long"
                case .failed(let cause): "it cannot be run: \(cause)"
                }
            throw handlerFailed(cause)
        }
    }

    private func handlerFailed(_ cause: Sentence) -> Refused {
        Refused(
            .deviceAborted, code: "credential-handler", cause: "\(program) gave no answer: \(cause)",
            remedy: .checkHandler)
    }
}

extension Approval.Refusal {
    /// Reason why nothing was approved.
    fileprivate var reason: Sentence {
        switch self {
        case .declined: "declined"
        case .timedOut: "nobody answered in time"
        case .cancelled: "cancelled"
        case .unavailable: "there is no way to ask"
        case .notEnrolled: "no method is set up to verify the user"
        case .failed: "the user could not be verified"
        case .blocked: "too many failed attempts at verification"
        }
    }
}
