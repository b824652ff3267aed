import CommandLine
import DesktopAuthenticator
import FoundationEssentials
import HybridProtocol
import HybridTransport
import LinuxSupport
import UserVerification
import Vault

/// The ceremonies of the agent: of QR codes, and of linked clients.
struct AgentCeremonies: Sendable {
    let options: AgentRunCommand
    let questions: AgentQuestions
    let gate: QuestionGate
    let reporter: Reporter

    /// Answers a QR code, and tells the desktop the outcome.
    func answer(_ code: String, _ source: AgentWork.CodeSource, _ vault: OpenVault) async throws -> String {
        let outcome = try await AgentNotice.telling(reporter) {
            let invitation = try Invitation(scanned: code)
            let details = invitation.details
            _ = try CodeAge.check(details, now: UInt64(max(0, Date().timeIntervalSince1970)))
            try await parts().check(as: .authenticator, offered: details.channels)
            return try await vault.endingWithLock {
                try await questions.confirm(CodeConfirmation.Source(source))
                return try await answer(code, vault)
            }
        }
        return outcome.english
    }

    private func answer(_ code: String, _ vault: OpenVault) async throws -> Sentence {
        let observe = reporter.listener(for: .authenticator)
        let log = SessionLog(observe: observe)
        let typed = TypedPassphrase()
        let approval = try await approval(typed, log, observe)
        let answerer = CodeAnswerer(
            parts: try parts(), approval: approval, credentials: nil, offerer: try offerer(log, observe), log: log,
            observe: observe)
        // Before the tunnel: the client does not wait while a passphrase is typed.
        try await open(vault, noting: typed)
        try await vault.with(.changing) { store in
            try await answerer.answer(Invitation(scanned: code, observe: observe), with: store)
        }
        return try log.answers().sentence
    }

    /// Waits for linked clients.
    func listen(_ vault: OpenVault, _ reachable: @escaping @Sendable (Int) -> Void) async throws {
        let report = reporter.listener(for: .authenticator)
        let observe: EventListener = { event in
            switch event {
            case ContactEvent.registered(let contactIDs): reachable(contactIDs.count)
            case ContactEvent.reconnecting: reachable(0)
            default: break
            }
            report(event)
        }
        let file = try options.place.file()
        guard let contents = try await WakeListener.contents(of: file) else { return }
        let listener = try WakeListener(
            file: file, contents: contents, parts: try parts(), server: try server(file, vault, observe),
            observe: observe)
        try await listener.run()
    }

    private func server(
        _ file: AuthenticatorLinkFile, _ vault: OpenVault, _ observe: @escaping EventListener
    ) throws -> WakeServer {
        let log = SessionLog(observe: observe)
        let typed = TypedPassphrase()
        // The question about the client comes first, and is for the user at the screen; nothing is opened before.
        let consent = WakeServer.Consent(
            asking: NotifyingApproval(
                timeout: options.time.limits.question, notification: Self.notification,
                dialogue: { [questions] in try questions.approval() }, reporter: reporter),
            details: \.details)
        let late = LateApproval { [self] in
            try await approval(typed, log, observe)
        } report: {
            log.note($0)
        }
        return WakeServer(
            file: file, parts: try parts(), consent: consent, approval: late, log: log, observe: observe
        ) { body in
            _ = try await AgentNotice.telling(reporter) {
                try await vault.endingWithLock {
                    try await gate.alone(isCounted: false) {
                        try await open(vault, noting: typed)
                        try await vault.with(.changing) { try await body($0) }
                    }
                }
                return try log.answers().sentence
            }
        }
    }

    /// The client, and its request in this machine's words.
    private static func notification(of question: ApprovalQuestion) -> DesktopNotification {
        let client: [Sentence] = question.details.prefix(1).map { "\(quoted($0))" }
        let lines = client + question.details.dropFirst().map { "asks \($0)." }
        return DesktopNotification(
            summary: "A linked client asks for a passkey", body: lines.joined("\n"), withoutButtons: "")
    }

    /// Makes the link with the client of a QR code; nil if it is not to be linked.
    private func offerer(_ log: SessionLog, _ observe: @escaping EventListener) throws -> LinkOfferer? {
        let linking = options.linking
        guard linking.link != .no else { return nil }
        let ask: @Sendable () async throws -> Bool = { [questions] in try await questions.link() }
        return LinkOfferer(
            file: try options.place.file(), parts: try parts(), names: linking.names, log: log, observe: observe,
            ask: linking.link == .ask ? ask : nil)
    }

    /// The parts of the ceremonies, by the options.
    private func parts() throws -> CeremonyParts { try options.authenticatorParts(options.domain) }

    /// Opens the vault, unless it is open. A passphrase that was typed for that counts for one approval.
    private func open(_ vault: OpenVault, noting typed: TypedPassphrase) async throws {
        let wasTyped = try await vault.unlock(
            for: nil, asking: { try await questions.passphraseToOpen($0) },
            making: { try await questions.newPassphrase() })
        if wasTyped, questions.passphraseFile == nil { typed.note() }
    }

    /// The way in which the user is asked and verified.
    private func approval(
        _ typed: TypedPassphrase, _ log: SessionLog, _ observe: @escaping EventListener
    ) async throws -> any UserApproval {
        try await VerificationSetup(
            option: options.verification, subject: .init(vault: questions.path), questions: questions,
            timeout: options.time.limits.question, typed: typed, reporter: reporter, observe: observe
        ) { log.note($0) }.approval()
    }
}

/// An approval whose way is chosen at each question: the setup changes while the agent waits for days.
struct LateApproval: UserApproval {
    let choose: @Sendable () async throws -> any UserApproval
    /// Is told why the user could not be verified.
    let report: @Sendable (VerificationError) -> Void

    /// Always true: an approval without verification is no way here, unless its user has chosen that.
    var canVerify: Bool { true }

    init(
        _ choose: @escaping @Sendable () async throws -> any UserApproval,
        report: @escaping @Sendable (VerificationError) -> Void
    ) {
        self.choose = choose
        self.report = report
    }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        do {
            return await (try choose()).ask(question)
        } catch {
            guard !Task.isCancelled else { return .refused(.cancelled) }
            report(VerificationError(.notEnrolled, reason: Failure(error).cause.english))
            return .refused(.notEnrolled)
        }
    }
}
