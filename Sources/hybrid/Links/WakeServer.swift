import Edges
import HybridProtocol
import HybridTransport
import Links
import PasskeyAuthenticator
import Synchronization

/// Answers the wakes of linked clients, one at a time, and each only after the person has agreed.
final class WakeServer: Sendable {
    private let file: AuthenticatorLinkFile
    private let service: TunnelURL.Service
    private let opener: any TunnelOpener
    private let advertiser: any Advertiser
    private let passkeys: PasskeyStoreOptions
    private let verification: any UserVerification
    /// Who asks whether a wake is answered; nil if nobody is asked.
    private let consent: (any UserVerification)?
    private let limits: TimeLimits
    private let reporter: Reporter
    private let gate = Mutex(WakeGate())
    private let isBusy = Atomic(false)
    private let log = CurrentLog()

    /// The log of the session that runs.
    private final class CurrentLog: Sendable {
        private let log = Mutex<CommandLog?>(nil)

        var now: CommandLog? {
            get { log.withLock { $0 } }
            set { log.withLock { $0 = newValue } }
        }
    }

    /// - Throws: ``Failure`` if the person could not be asked; ``VaultError``.
    init(
        file: AuthenticatorLinkFile, service: TunnelURL.Service, opener: any TunnelOpener, advertiser: any Advertiser,
        passkeys: PasskeyStoreOptions, verification: VerificationOption, limits: TimeLimits, reporter: Reporter
    ) throws {
        self.file = file
        self.service = service
        self.opener = opener
        self.advertiser = advertiser
        self.passkeys = passkeys
        self.limits = limits
        self.reporter = reporter
        self.verification = try verification.verification(
            vault: passkeys.isVault ? passkeys.vault.path() : nil, timeout: limits.command, reporter
        ) { [log] in log.now?.note($0) }
        // A yes is enough here: who is there is verified for the request itself.
        consent =
            if verification.yes {
                nil
            } else if StandardStreams.hasControllingTerminal {
                TerminalUserVerification(countsAsVerification: false, timeout: limits.command)
            } else {
                self.verification
            }
    }

    /// Answers a wake, or turns it away.
    ///
    /// - Parameter decline: tells the tunnel service that nobody will come.
    func serve(_ wake: ContactWake, decline: () async -> Void) async {
        guard !isBusy.exchange(true, ordering: .relaxed) else {
            reporter.warn(
                "wake-refused", "another linked client asked meanwhile; it was turned away", role: .authenticator)
            return await decline()
        }
        defer { isBusy.store(false, ordering: .relaxed) }
        var line: WakeLine?
        do {
            let (request, contents, entry) = try examine(wake)
            line = WakeLine(entry, request.hint)
            try await ask(request, entry)
            report(line, .approved)
            try await answer(request, wake, contents)
            gate.withLock { $0.succeeded(request) }
            try file.markUsed(entry.linkID, at: LinkTime.now)
        } catch let refusal as Refusal {
            report(line, refusal.outcome)
            await decline()
        } catch {
            await decline()
            let failure = Failure(error)
            guard failure.status != .interrupted else { return }
            reporter.warn(failure.code, "the linked client got no answer: \(failure.cause)", role: .authenticator)
        }
    }

    /// Why a wake is turned away.
    private struct Refusal: Error {
        let outcome: WakeLine.Outcome
    }

    /// Which link the wake is of, and whether the person may be troubled with it.
    private func examine(
        _ wake: ContactWake
    ) throws -> (ContactRequest, AuthenticatorLinkFile.Contents, AuthenticatorLinkFile.Entry) {
        guard let request = try? ContactRequest(decoding: wake.clientPayload.span), request.linkID == wake.linkID else {
            throw Refusal(outcome: .invalid)
        }
        guard let contents = try file.contents(),
            let entry = contents.entries.first(where: { $0.linkID == wake.linkID && $0.contactID == wake.contactID })
        else { throw Refusal(outcome: .unknownLink) }
        switch gate.withLock({ $0.admit(request) }) {
        case .admitted: return (request, contents, entry)
        case .replayed: throw Refusal(outcome: .replayed)
        case .tooMany: throw Refusal(outcome: .tooMany)
        }
    }

    private func ask(_ request: ContactRequest, _ entry: AuthenticatorLinkFile.Entry) async throws {
        guard let consent else { return }
        let question = ApprovalQuestion(
            operation: .answerLink, rpID: "",
            details: [
                "\(entry.name), linked on \(LinkTime.text(entry.created).prefix(10))", WakeLine.purpose(request.hint),
            ])
        switch await consent.ask(question) {
        case .approved: return
        case .timedOut: throw Refusal(outcome: .timedOut)
        case .cancelled: throw CancellationError()
        default: throw Refusal(outcome: .declined)
        }
    }

    private func answer(
        _ request: ContactRequest, _ wake: ContactWake, _ contents: AuthenticatorLinkFile.Contents
    ) async throws {
        let progress = CeremonyReporter(reporter, .authenticator)
        let log = CommandLog(reporter)
        self.log.now = log
        defer { self.log.now = nil }
        try await passkeys.withStore(reporter) { store in
            let authenticator = PasskeyAuthenticator(
                store: store, userVerification: verification, observer: { log.note($0, progress) })
            let offer = SessionOffer(getInfo: authenticator.getInfo()) { await authenticator.respond(to: $0) }
            try await progress.during { observer in
                let ceremony = WokenCeremony(
                    advertiser: advertiser, opener: opener, service: service, limits: limits, observe: observer)
                let session = try contents.withRootSecret { root throws(HybridProtocolError) in
                    try WokenSession(request, contactID: wake.contactID, root: root)
                }
                _ = try await ceremony.run(
                    session, tunnelID: wake.tunnelID, routingID: wake.routingID, offer: offer)
            }
        }
        try log.report()
    }

    private func report(_ line: WakeLine?, _ outcome: WakeLine.Outcome) {
        let line = line ?? WakeLine()
        reporter.write(line.with(outcome), orSay: "\(line.summary): \(outcome.text)")
    }
}

/// A linked client that asked, and what became of that.
struct WakeLine: Encodable {
    let event = "wake"
    let link: String?
    let name: String?
    /// `ga` or `mc`.
    let hint: String?
    var outcome: Outcome?

    enum Outcome: String, Encodable {
        case approved, declined, timedOut, invalid, unknownLink, replayed, tooMany

        /// The outcome in words.
        var text: String {
            switch self {
            case .approved: "it is answered"
            case .declined: "declined"
            case .timedOut: "nobody answered in time"
            case .invalid: "what it sent makes no sense"
            case .unknownLink: "its link was revoked"
            case .replayed: "its request has been here before"
            case .tooMany: "it asked in vain too often; it is not let through for some minutes"
            }
        }
    }

    init() { (link, name, hint, outcome) = (nil, nil, nil, nil) }

    init(_ entry: AuthenticatorLinkFile.Entry, _ hint: RequestHint) {
        (link, name, self.hint, outcome) = (entry.linkID.hex, entry.name, hint.rawValue, nil)
    }

    func with(_ outcome: Outcome) -> Self {
        var line = self
        line.outcome = outcome
        return line
    }

    /// Who asks, and for what.
    var summary: String {
        guard let name, let hint = hint.flatMap(RequestHint.init) else { return "a linked client asks" }
        return "\(quoted(name)) asks \(Self.purpose(hint))"
    }

    /// What a hint means, in words.
    static func purpose(_ hint: RequestHint) -> String { hint == .makeCredential ? "to make a passkey" : "to sign in" }
}
