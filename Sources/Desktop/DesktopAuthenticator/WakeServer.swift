internal import HybridProtocol
package import HybridTransport
internal import LinuxSupport
package import PasskeyAuthenticator
internal import Synchronization
package import UserVerification

/// Answers the wakes of linked clients, one at a time, and each only after the user has agreed.
package final class WakeServer: Sendable {
    /// The time for which a wake waits for the session before to end. A client may ask again as soon as it has its
    /// answer, or has cancelled, while that session is still being closed here. A session that is served longer has not
    /// ended.
    static let endLimit = Duration.seconds(2)

    /// Opens the passkeys, runs a body with them, and closes them again.
    package typealias StoreAccess =
        @Sendable (_ body: @escaping @Sendable (any CredentialStore) async throws -> Void) async throws -> Void

    /// Decides whether a wake is answered, before anything else happens.
    package struct Consent: Sendable {
        let approval: any UserApproval
        let details: @Sendable (WakeRequest) -> [String]

        /// Makes one.
        ///
        /// - Parameters:
        ///   - approval: asks the user. A yes suffices: the user is verified for the client's request itself.
        ///   - details: the lines that name the client and its request.
        package init(asking approval: any UserApproval, details: @escaping @Sendable (WakeRequest) -> [String]) {
            self.approval = approval
            self.details = details
        }
    }

    private let file: AuthenticatorLinkFile
    private let parts: CeremonyParts
    private let consent: Consent?
    private let approval: any UserApproval
    private let store: StoreAccess
    private let log: SessionLog
    private let observe: EventListener
    private let gate = Mutex(WakeGate())
    let turn = WakeTurn()

    /// Makes one.
    ///
    /// - Parameters:
    ///   - file: the links.
    ///   - parts: the parts of the ceremonies.
    ///   - consent: decides whether a wake is answered; nil to answer all of them.
    ///   - approval: asks the user for each of the session's requests.
    ///   - log: gets each session's requests and answers. Not to be shared with another session.
    ///   - observe: is told of each wake.
    ///   - store: opens the passkeys, once the user has agreed.
    package init(
        file: AuthenticatorLinkFile, parts: CeremonyParts, consent: Consent?, approval: any UserApproval,
        log: SessionLog, observe: @escaping EventListener, store: @escaping StoreAccess
    ) {
        self.file = file
        self.parts = parts
        self.consent = consent
        self.approval = approval
        self.store = store
        self.log = log
        self.observe = observe
    }

    /// Answers a wake, or declines it: at once if two others are here, and after `endLimit` if the one before has not
    /// ended.
    ///
    /// - Parameters:
    ///   - wake: the wake.
    ///   - decline: tells the tunnel service that the wake is not answered.
    package func serve(_ wake: ContactWake, decline: () async -> Void) async {
        guard await turn.take(within: Self.endLimit, on: parts.limits.timer) else {
            observe(AgentEvent.busy)
            return await decline()
        }
        let used = await serveAlone(wake, decline: decline)
        // A client may ask again at once, and does not wait for the disk.
        turn.giveBack()
        guard let used else { return }
        do throws(LinkFileError) {
            try file.markUsed(used, at: SystemClock.now)
        } catch {
            observe(AgentEvent.wakeFailed(error))
        }
    }

    /// Answers a wake, or declines it, while no other is served.
    ///
    /// - Returns: the link by which a session was held; nil if there was none.
    private func serveAlone(_ wake: ContactWake, decline: () async -> Void) async -> LinkID? {
        var known: WakeRequest?
        do {
            let (contact, request) = try examine(wake)
            known = request
            try await ask(request)
            observe(AgentEvent.wake(request, .approved))
            try await answer(contact, wake)
            gate.withLock { $0.succeeded(contact) }
            return request.link.linkID
        } catch let refusal as WakeRefusal {
            observe(AgentEvent.wake(known, refusal.outcome))
            await decline()
        } catch {
            await decline()
            observe(AgentEvent.wakeFailed(error))
        }
        return nil
    }

    /// Reason to decline a wake.
    private struct WakeRefusal: Error {
        let outcome: WakeOutcome
    }

    /// Finds the link of a wake, and decides whether the user may be asked about it.
    private func examine(_ wake: ContactWake) throws -> (ContactRequest, WakeRequest) {
        guard let contact = try? ContactRequest(decoding: wake.clientPayload.span), contact.linkID == wake.linkID else {
            throw WakeRefusal(outcome: .invalid)
        }
        let link = try file.contents()?.entries.first {
            $0.linkID == wake.linkID && $0.contactID == wake.contactID
        }
        guard let link else { throw WakeRefusal(outcome: .unknownLink) }
        switch gate.withLock({ $0.admit(contact) }) {
        case .admitted: return (contact, WakeRequest(link: link, hint: contact.hint))
        case .replayed: throw WakeRefusal(outcome: .replayed)
        case .tooMany: throw WakeRefusal(outcome: .tooMany)
        }
    }

    private func ask(_ request: WakeRequest) async throws {
        guard let consent else { return }
        let question = ApprovalQuestion(operation: .answerLink, rpID: "", details: consent.details(request))
        do throws(Approval.Refusal) {
            _ = try await consent.approval.ask(question).isVerified(for: question)
        } catch {
            switch error {
            case .timedOut: throw WakeRefusal(outcome: .timedOut)
            case .cancelled: throw CancellationError()
            default: throw WakeRefusal(outcome: .declined)
            }
        }
    }

    private func answer(_ contact: ContactRequest, _ wake: ContactWake) async throws {
        defer { observe(AgentEvent.ceremonyEnded) }
        log.begin()
        try await store { [self] store in
            let ceremony = try parts.woken(observe: observe)
            let root = try await file.open(with: store).rootSecret()
            let session = try WokenSession(contact, contactID: wake.contactID, root: root)
            let gate = SessionGate(
                announced: contact.hint, limits: parts.limits, log: log, observe: observe)
            let offer = gate.offer(passkeys: store, approval: approval)
            _ = try await ceremony.run(session, tunnelID: wake.tunnelID, routingID: wake.routingID, offer: offer)
        }
        observe(AgentEvent.answered(try log.answers()))
    }
}

/// The turn of one of several that must not run at the same time. One more waits for it, for a limited time.
final class WakeTurn: Sendable {
    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var waiting: Waiting?
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// True if somebody has it.
    var isTaken: Bool { state.withLock(\.isTaken) }

    /// True if somebody waits.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Takes the turn, or waits until it is given back.
    ///
    /// - Parameters:
    ///   - limit: the longest time to wait.
    ///   - timer: ends the wait.
    /// - Returns: false if it was not given back in that time, if another one waits, or if the task was cancelled.
    func take(within limit: Duration, on timer: DeadlineTimer) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let token = timer.schedule(at: timer.now + limit) { self.giveUp(number) }
        defer { timer.cancel(token) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = state.withLock { state in
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    guard state.waiting == nil, !Task.isCancelled else { return false }
                    state.waiting = Waiting(number: number, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    /// Gives the turn to the session that waits for it, or to the next who takes it.
    func giveBack() {
        let next = state.withLock { state in
            let next = state.waiting.take()
            state.isTaken = next != nil
            return next
        }
        next?.continuation.resume(returning: true)
    }

    private func giveUp(_ number: Int) {
        let waiting = state.withLock { $0.waiting?.number == number ? $0.waiting.take() : nil }
        waiting?.continuation.resume(returning: false)
    }
}
