package import CTAP
internal import LinuxSupport
package import PasskeyAuthenticator
package import UserVerification

/// A phone as a security key: it answers the requests of programs that know USB keys by a ceremony with the phone.
///
/// The touch is a question, and nothing is sent to the phone before its yes. getInfo and touches are answered without
/// the phone. Silent probes are, too, where that is possible; see the article UsingThePhoneAsAKey of `hybrid`.
///
/// Source: CTAP 2.2 section 6; what the programs do, in the comments of each part.
package actor PhoneKey: CTAPAuthenticator, SecurityKeyApplication {
    /// Time for which an answer or an approval waits for the request that it is for. Programs send that at once.
    static let followUpLifetime = Duration.seconds(30)

    let ceremony: any PhoneCeremony
    let approval: any UserApproval
    let list: PhoneCredentialList?
    let observe: @Sendable (PhoneKeyEvent) -> Void
    let now: @Sendable () -> ContinuousClock.Instant
    package var dispatcher: CTAPDispatcher<UnnamedPasskeys>
    /// The phone's answer to a probe, for the request that follows.
    var probeAnswer: ProbeAnswer?
    /// The list of the last probe that was answered without the phone.
    var probed: ProbedList?
    /// Time of a yes from which nothing has come yet: a touch, or a probe for which the phone had no passkey.
    var unusedApproval: ContinuousClock.Instant?

    /// Makes a security key.
    ///
    /// - Parameters:
    ///   - ceremony: the way to the phone.
    ///   - approval: asks the user for permission to use the phone.
    ///   - list: the passkeys that were used here; nil to remember none.
    ///   - now: the clock.
    ///   - observe: gets the events. It must not wait.
    package init(
        ceremony: any PhoneCeremony, approval: any UserApproval, list: PhoneCredentialList?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        observe: @escaping @Sendable (PhoneKeyEvent) -> Void = { _ in }
    ) {
        self.ceremony = ceremony
        self.approval = approval
        self.list = list
        self.now = now
        self.observe = observe
        dispatcher = CTAPDispatcher(
            maxRequestByteCount: CTAPHIDMessage.maximumByteCount, maxAnswerByteCount: CTAPHIDMessage.maximumByteCount
        ) { observe(.answered(command: $0, status: $1, reason: $2)) }
    }

    package func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        throw CTAPFailure(.invalidCommand, "this key has no PIN")
    }

    /// Asks for permission to use the phone, unless the user has just given it.
    ///
    /// - Parameter rpID: the relying party; empty for a touch.
    func ask(for rpID: String) async throws(CTAPFailure) {
        guard !Task.isCancelled else { throw .cancelled }
        let earlier = unusedApproval
        unusedApproval = nil
        dispatcher.tell(.userPresenceNeeded)
        if let earlier, now() < earlier + Self.followUpLifetime { return }
        let answer = await approval.ask(ApprovalQuestion(operation: .usePhone, rpID: rpID))
        do throws(Approval.Refusal) {
            _ = try answer.yes()
        } catch {
            throw CTAPFailure(error)
        }
        guard !Task.isCancelled else { throw .cancelled }
    }

    /// Asks whether this is the key to use: the yes is for the request that follows, too.
    package func askForTouch() async throws(CTAPFailure) {
        try await ask(for: "")
        unusedApproval = now()
    }

    /// Answers a request that only wants a touch: always a refusal, which programs take for one.
    func answerTouch() async throws(CTAPFailure) {
        try await askForTouch()
        throw CTAPFailure(MakeCredentialRequest.touched, "the program only wanted to know which key to use")
    }

    /// Sends the phone a request.
    ///
    /// - Returns: the payload of its answer.
    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] {
        let answer = try await ceremony.send(request)
        guard !Task.isCancelled else { throw .cancelled }
        guard let status = answer.first.map(CTAPStatus.init) else { throw .damaged("it is empty") }
        guard status.isSuccess else { throw CTAPFailure(ofPhone: status) }
        return Array(answer.dropFirst())
    }

    /// The passkeys among some that were used here.
    func known(_ ids: [[UInt8]], of rpID: String) -> [[UInt8]] {
        do throws(AtomicFileError) {
            return try list?.known(ids, of: rpID) ?? []
        } catch {
            observe(.listFailed(reason: error.reason))
            return []
        }
    }

    /// Remembers a passkey.
    func remember(_ id: [UInt8], of rpID: String) {
        do throws(AtomicFileError) {
            try list?.add(id, of: rpID)
        } catch {
            observe(.listFailed(reason: error.reason))
        }
    }
}

extension CTAPFailure {
    static let cancelled = Self(.keepaliveCancel, "the program cancelled")

    static func damaged(_ what: String) -> Self { Self(.other, "the phone's answer cannot be used: \(what)") }

    fileprivate init(_ refusal: Approval.Refusal) {
        switch refusal {
        case .cancelled: self = .cancelled
        case .timedOut: self.init(.userActionTimeout, "nobody answered the question in time")
        case .declined: self.init(.operationDenied, "the phone was not to be used")
        case .unavailable, .notEnrolled, .failed, .blocked:
            self.init(.operationDenied, "the question could not be asked")
        }
    }

    /// A phone's refusal, as a program is told of it. One about PINs would have it ask for one that there is not.
    fileprivate init(ofPhone status: CTAPStatus) {
        let passedOn: Set<CTAPStatus> = [
            .credentialExcluded, .noCredentials, .operationDenied, .userActionTimeout, .actionTimeout,
            .unsupportedAlgorithm, .keyStoreFull,
        ]
        let told: CTAPStatus =
            switch status {
            // The program has not cancelled: the phone's user has.
            case .keepaliveCancel: .operationDenied
            case .invalidCredential: .noCredentials
            default: passedOn.contains(status) ? status : .other
            }
        self.init(told, "the phone answered \(status)")
    }
}
