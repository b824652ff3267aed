internal import CTAP
internal import HybridProtocol
internal import HybridTransport
internal import LinuxSupport
internal import PasskeyAuthenticator
internal import Synchronization
internal import UserVerification

/// Bounds of what one session may ask for.
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
