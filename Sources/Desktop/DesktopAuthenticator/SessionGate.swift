package import CTAP
package import HybridProtocol
package import HybridTransport
package import KeyPassthrough
internal import LinuxSupport
package import PasskeyAuthenticator
internal import Synchronization
package import UserVerification

/// Bounds of the requests of one session.
///
/// The user has agreed to one operation, and the client's code says which. A session is complete after one, or after a
/// few sign-ins for which there is no passkey, or nobody was asked: they would otherwise let a client find out which
/// passkeys there are. A request that nobody has answered in time gets an answer all the same.
final class SessionGate: Sendable {
    /// The number of sign-ins without a passkey, or without a question, that a session may ask for.
    static let maxMisses = 3
    /// The time by which each after the first is delayed.
    static let missDelay = Duration.seconds(1)

    private struct State {
        var missCount = 0
        var hasBegun = false
    }

    private let announced: RequestHint
    private let limits: TimeLimits
    private let log: SessionLog
    private let observe: EventListener
    private let state = Mutex(State())

    /// Makes one for a session.
    ///
    /// - Parameters:
    ///   - announced: the kind of operation that the client has announced.
    ///   - limits: the session's time limits.
    ///   - log: the session's answers.
    ///   - observe: is told of another operation than was announced.
    init(announced: RequestHint, limits: TimeLimits, log: SessionLog, observe: @escaping EventListener) {
        self.announced = announced
        self.limits = limits
        self.log = log
        self.observe = observe
    }

    /// Offers passkeys within these bounds, and digital credentials if there is a handler for them.
    func offer(
        passkeys store: any CredentialStore, approval: any UserApproval, credentials: CredentialHandler? = nil
    ) -> SessionOffer {
        let authenticator = PasskeyAuthenticator(store: store, approval: approval) { [log] in log.note($0) }
        return offer(authenticator, credentials: credentials)
    }

    /// Offers an authenticator within these bounds, and digital credentials if there is a handler for them.
    func offer(_ authenticator: some CTAPAuthenticator, credentials: CredentialHandler?) -> SessionOffer {
        SessionOffer(
            getInfo: authenticator.getInfo(), digitalCredentials: credentials.map(responder),
            isComplete: { _, _ in self.isComplete }
        ) { command in
            await self.answer(command) { await authenticator.respond(to: $0) }
        }
    }

    /// Offers digital credentials alone within these bounds.
    func offer(_ credentials: CredentialHandler) -> SessionOffer {
        SessionOffer(isComplete: { _, _ in self.isComplete }, digitalCredentials: responder(credentials))
    }

    private func responder(_ credentials: CredentialHandler) -> SessionOffer.JSONResponder {
        { request in await self.answer(request) { await credentials.answer($0) } }
    }

    /// True if no further request may be served.
    var isComplete: Bool { log.hasCompletedOperation || state.withLock { $0.missCount >= Self.maxMisses } }

    /// Answers a CTAP command.
    func answer(_ command: [UInt8], _ respond: @escaping SessionOffer.CTAPResponder) async -> [UInt8] {
        switch command.first.flatMap(CTAPCommand.init) {
        case .makeCredential: begin(.makeCredential)
        case .getAssertion: begin(.getAssertion)
        default: break
        }
        let response = await inTime(command, respond)
        guard response.first == CTAPStatus.noCredentials.rawValue || log.lastIsSilent else { return response }
        let missCount = state.withLock { state in
            state.missCount += 1
            return state.missCount
        }
        if missCount > 1 { try? await limits.timer.sleep(for: Self.missDelay) }
        return response
    }

    /// Answers a request for a digital credential. Its responder has a time limit of its own.
    func answer(_ request: String, _ respond: SessionOffer.JSONResponder) async -> String {
        if let kind = try? DigitalCredentialRequest(parsing: request).kind {
            begin(kind == .presentation ? .digitalCredentialPresentation : .digitalCredentialIssuance)
        }
        return await respond(request)
    }

    private func begin(_ asked: RequestHint) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst, asked != announced { observe(AgentEvent.otherOperation(announced: announced, asked: asked)) }
    }

    private func inTime(_ command: [UInt8], _ respond: @escaping SessionOffer.CTAPResponder) async -> [UInt8] {
        await withTaskGroup(of: [UInt8]?.self) { [limits] group in
            group.addTask { await respond(command) }
            group.addTask {
                try? await limits.timer.sleep(for: limits.request)
                return nil
            }
            var isLate = false
            for await response in group {
                guard let response else {
                    isLate = !Task.isCancelled
                    group.cancelAll()
                    continue
                }
                group.cancelAll()
                guard isLate, response.first == CTAPStatus.keepaliveCancel.rawValue else { return response }
                log.noteTimeUp()
                return CTAPResponse(status: .userActionTimeout).encoded()
            }
            return CTAPResponse(status: .other).encoded()
        }
    }
}

/// The requests of a session and the answers to them: commands and statuses, no contents.
package final class SessionLog: Sendable {
    /// An answer to a request.
    package struct Answer: Sendable {
        /// The request's name.
        package let command: String
        /// The answer to the client.
        package let outcome: Outcome
        /// Reason for a refusal; nil for a success.
        package let failure: AgentError?
        /// True if nobody was asked.
        package var isSilent = false
        /// The site of the request: the peer's text.
        package var site: String?
        /// The name of the account of the passkey that was made or used: the peer's text.
        package var account: String?

        private static let operations: Set<String> = [
            "\(CTAPCommand.makeCredential)", "\(CTAPCommand.getAssertion)",
        ]

        /// True if a passkey was made or used, or a digital credential was given.
        var hasCompletedOperation: Bool {
            switch outcome {
            case .status: failure == nil && !isSilent && Self.operations.contains(command)
            case .credential: true
            case .refusal: false
            }
        }

        /// Content of an answer, without secrets.
        package enum Outcome: Sendable {
            case status(CTAPStatus)
            case credential
            case refusal(DigitalCredentialRefusal)
        }
    }

    private struct Entries {
        var answers: [Answer] = []
        var storeFailure: CredentialStoreError?
        var lastSite: String?
        /// True if the answer that is being made is one for which nobody was asked.
        var isSilent = false
        /// Failure of a verification since the last answer.
        var verificationFailure: VerificationError?
        /// Failure of a request to a security key since the last answer.
        var keyFailure: KeyPassthroughError?
    }

    private let observe: EventListener
    private let entries = Mutex(Entries())

    /// Makes an empty log.
    ///
    /// - Parameter observe: is told that the user was verified, and that the use of a passkey could not be kept.
    package init(observe: @escaping EventListener) { self.observe = observe }

    /// Empties the log: a session begins.
    func begin() { entries.withLock { $0 = Entries() } }

    /// Notes why the user was not verified.
    package func note(_ error: VerificationError) { entries.withLock { $0.verificationFailure = error } }

    /// Notes why a request to a security key failed.
    package func note(_ error: KeyPassthroughError) { entries.withLock { $0.keyFailure = error } }

    /// Notes an event of the authenticator.
    package func note(_ event: PasskeyAuthenticatorEvent) {
        switch event {
        case .approved(operation: _, rpID: let site, verified: let isVerified):
            entries.withLock { $0.lastSite = site }
            if isVerified { noteVerified() }
        case .storeFailed(let error): entries.withLock { $0.storeFailure = error }
        case .useNotKept: observe(event)
        case .answeredSilently: entries.withLock { $0.isSilent = true }
        case .answered(let request):
            let failure = failure(request.status, request.reason)
            let isSilent = entries.withLock { entries in
                defer { entries.isSilent = false }
                return entries.isSilent
            }
            note(
                Answer(
                    command: request.commandName, outcome: .status(request.status),
                    failure: request.status.isSuccess ? nil : failure, isSilent: isSilent, site: request.rpID,
                    account: request.account?.anyName))
        }
    }

    /// The failure of a request that was answered with a status, if that is none of success.
    private func failure(_ status: CTAPStatus, _ reason: String?) -> AgentError {
        if let key = takeKeyFailure() {
            return AgentError(
                code: key.code.rawValue, cause: Sentence(reason: key.reason), remedy: .securityKey(key.code),
                ctapStatus: status)
        }
        let verification = takeVerificationFailure()
        let remedy =
            verification.map { .verification($0.code) }
            ?? Remedy.refusal(status)
        return AgentError(
            code: verification?.code.rawValue ?? "declined",
            cause: (verification?.reason ?? reason).map(Sentence.init(reason:)) ?? "refused",
            remedy: remedy, ctapStatus: status)
    }

    private func takeKeyFailure() -> KeyPassthroughError? {
        entries.withLock { entries in
            defer { entries.keyFailure = nil }
            return entries.keyFailure
        }
    }

    /// Notes an answer.
    func note(_ answer: Answer) { entries.withLock { $0.answers.append(answer) } }

    /// Notes the site of a digital credential that the user has approved.
    func noteSite(_ site: String) { entries.withLock { $0.lastSite = site } }

    /// Notes that the last answer was given because the time for it was up.
    func noteTimeUp() {
        entries.withLock { entries in
            guard let last = entries.answers.popLast() else { return }
            let failure = AgentError(
                code: "declined", cause: "nobody answered in time", remedy: .startAgainWithMoreTime,
                ctapStatus: .userActionTimeout)
            entries.answers.append(
                Answer(
                    command: last.command, outcome: .status(.userActionTimeout), failure: failure, site: last.site,
                    account: last.account))
        }
    }

    /// Notes that the user was verified.
    func noteVerified() {
        CeremonyLog.note(.userVerified, of: .authenticator)
        observe(CeremonyEvent.stage(.userVerified))
    }

    /// Takes the reason why the user was not verified, if no answer has told it yet.
    func takeVerificationFailure() -> VerificationError? {
        entries.withLock { entries in
            defer { entries.verificationFailure = nil }
            return entries.verificationFailure
        }
    }

    /// True if a passkey was made or used, or a digital credential was given.
    var hasCompletedOperation: Bool { entries.withLock { $0.answers.contains(where: \.hasCompletedOperation) } }

    /// True if nobody was asked for the last answer.
    var lastIsSilent: Bool { entries.withLock { $0.answers.last?.isSilent == true } }

    /// The site that was approved last.
    package var lastSite: String? { entries.withLock { $0.lastSite } }

    /// The answers of a session that has ended.
    ///
    /// - Throws: `CredentialStoreError` if the store failed; ``RequestRefused`` if the last request was refused.
    package func answers() throws -> [Answer] {
        let entries = entries.withLock { $0 }
        if let failure = entries.storeFailure { throw failure }
        if let last = entries.answers.last, let failure = last.failure {
            throw RequestRefused(answer: last, reason: failure)
        }
        return entries.answers
    }
}

extension AnsweredRequest {
    /// The command's name, for programs.
    package var commandName: String { command.map { "\($0)" } ?? "unknown" }

    /// The same with another reason.
    package func refused(for reason: String) -> Self {
        Self(command: command, status: status, reason: reason, rpID: rpID, account: account)
    }
}

extension ApprovalQuestion.Account {
    /// The account's name, or its user's; nil without one.
    package var anyName: String? { [name, displayName].compactMap(\.self).first { !$0.isEmpty } }
}
