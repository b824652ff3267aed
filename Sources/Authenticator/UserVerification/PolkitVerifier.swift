internal import Glibc
internal import LinuxSupport

/// Verifies the user by a dialogue of the desktop's, which asks for the account's password, or a finger where the
/// desktop does so.
///
/// polkit's approval counts as a verification only if the user was asked for it. polkit does not report that: it
/// answers in the same way if a rule lets everybody pass, if the user is root, or if an earlier authorisation has been
/// kept. So the first question forbids a dialogue. The second, with a dialogue, follows only if polkit answers that one
/// is needed and that its outcome will not be kept.
///
/// It is asked over this machine's own system bus only, and believed if root or polkitd's user answers.
///
/// Source: polkit's D-Bus interface, org.freedesktop.PolicyKit1.Authority; observed with polkit 122.
public struct PolkitVerifier: Verifier {
    /// Name of the action in the policy file.
    public static let action = "io.github.hybrid-transport.verify-user"
    /// The detail that the policy file's message shows.
    private static let questionDetail = "question"

    private static let polkit = TrustedService("polkit", "org.freedesktop.PolicyKit1", user: "polkitd")
    private static let authority = "org.freedesktop.PolicyKit1.Authority"
    private static let allowUserInteraction: UInt32 = 1
    /// Longest time for an answer without a dialogue.
    private static let answerLimit = Duration.seconds(10)

    private let timeout: Duration
    private let retries: VerificationRetries
    private let service: TrustedService
    private let subject: PolkitSubject?

    /// polkit's method.
    public var method: Verified.Method { .polkit }
    /// The dialogue shows the question.
    public var showsQuestion: Bool { true }

    /// True if the question fits into the one sentence of the dialogue.
    public func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool {
        question.isWholeInSentence(account: account)
    }

    /// Makes one that asks the user of this process, over the system bus.
    ///
    /// - Parameters:
    ///   - timeout: the longest time for the answer.
    ///   - retries: counts failed attempts; in memory unless given.
    public init(timeout: Duration, retries: VerificationRetries = VerificationRetries(path: nil)) {
        self.timeout = timeout
        self.retries = retries
        service = Self.polkit
        subject = nil
    }

    /// Makes one for another process and bus, on which the service may be this user's unless `owners` are given: for
    /// tests.
    init(
        timeout: Duration, address: DBusAddress, subject: PolkitSubject?, owners: Set<UInt32>? = nil,
        retries: VerificationRetries = VerificationRetries(path: nil)
    ) {
        self.timeout = timeout
        self.retries = retries
        service = Self.polkit.on(address, owners: owners)
        self.subject = subject
    }

    /// Checks that polkit knows the action, and would ask this user each time.
    ///
    /// - Throws: `VerificationError` as ``verify(_:account:)``, but for the failures of the dialogue.
    public func checkSetUp() async throws(VerificationError) {
        _ = try await connected { inquiry, connection throws(VerificationError) in
            try await checkOutlook(inquiry, over: connection)
        }
    }

    /// Shows the dialogue.
    ///
    /// - Throws: `VerificationError` `declined`, `timeout`, `cancelled`, `no-match`, `too-many-attempts`, `no-agent`,
    ///   `not-installed`, `not-asked`, `not-permitted`, `no-service`, `untrusted-service`, `lost` or `service-failed`.
    public func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant {
        let sentence = question.sentence(account: account)
        var instant = ContinuousClock.now
        var miss: VerificationError?
        _ = try await retries.attempt(method) { () throws(VerificationError) in
            do throws(VerificationError) {
                instant = try await connected(sentence) { inquiry, connection throws(VerificationError) in
                    try await checkOutlook(inquiry, over: connection)
                    try await ask(inquiry, over: connection)
                }
            } catch {
                guard error.code == .noMatch else { throw error }
                miss = error
            }
            return miss == nil
        }
        if let miss { throw miss }
        return instant
    }

    /// Runs `body` with a connection to polkit's bus.
    private func connected(
        _ sentence: String = "",
        _ body: (Inquiry, DBusConnection) async throws(VerificationError) -> Void
    ) async throws(VerificationError) -> ContinuousClock.Instant {
        let subject = if let subject { subject } else { try PolkitSubject.current() }
        let connection = try await service.connect { _ in }
        do throws(VerificationError) {
            let owner = try await service.owner(over: connection)
            try await body(
                Inquiry(service: owner, subject: subject, details: [Self.questionDetail: sentence]), connection)
        } catch {
            await connection.close()
            throw error
        }
        let instant = ContinuousClock.now
        await connection.close()
        return instant
    }

    /// The question to polkit, which is asked twice.
    private struct Inquiry {
        /// polkit's unique name on the bus.
        let service: String
        let subject: PolkitSubject
        let details: [String: String]
        /// Identifies the dialogue when it is cancelled: unique within this connection.
        let cancellationID = "verification"

        func call(interactively: Bool) -> DBusCall {
            call(
                "CheckAuthorization",
                [
                    subject.value, .string(PolkitVerifier.action), .strings(details),
                    .uint32(interactively ? PolkitVerifier.allowUserInteraction : 0),
                    .string(interactively ? cancellationID : ""),
                ])
        }

        /// The call that takes the dialogue away.
        var cancellation: DBusCall { call("CancelCheckAuthorization", [.string(cancellationID)]) }

        private func call(_ member: String, _ body: [DBusValue]) -> DBusCall {
            DBusCall(
                member, of: PolkitVerifier.authority, at: "/org/freedesktop/PolicyKit1/Authority", in: service, body)
        }
    }

    /// Asks whether there would be a dialogue, and one each time.
    private func checkOutlook(_ inquiry: Inquiry, over connection: DBusConnection) async throws(VerificationError) {
        let outlook: PolkitAnswer
        do throws(DBusError) {
            outlook = try PolkitAnswer(
                await connection.call(inquiry.call(interactively: false), within: Self.answerLimit))
        } catch {
            throw Self.refusal(error)
        }
        guard !outlook.isAuthorized else {
            throw VerificationError(
                .notAsked, reason: "polkit approves without asking: by a rule, or because this user is root")
        }
        guard outlook.needsDialogue else {
            throw VerificationError(.notPermitted, reason: "polkit denies without asking: by a rule")
        }
        guard !outlook.keepsAuthorization else {
            throw VerificationError(.notAsked, reason: "polkit is set up to ask once and keep the answer")
        }
    }

    private func ask(_ inquiry: Inquiry, over connection: DBusConnection) async throws(VerificationError) {
        let answer: PolkitAnswer
        do throws(DBusError) {
            answer = try PolkitAnswer(await connection.call(inquiry.call(interactively: true), within: timeout))
        } catch {
            guard error.code == .cancelled || error.code == .timeout else { throw Self.refusal(error) }
            // The dialogue must not outlive its question.
            await connection.tidy(inquiry.cancellation)
            guard error.code == .timeout else { throw VerificationError(.cancelled, reason: "cancelled") }
            throw VerificationError(.timeout, reason: "nobody answered the desktop's dialogue in time")
        }
        try answer.verdict()
    }

    private static func refusal(_ error: DBusError) -> VerificationError {
        switch error.name {
        // polkit has one name for many failures.
        case "org.freedesktop.PolicyKit1.Error.Failed" where error.reason.contains("is not registered"):
            VerificationError(.notInstalled, reason: "polkit does not know the action \(action)")
        case "org.freedesktop.PolicyKit1.Error.NotAuthorized":
            VerificationError(
                .notPermitted,
                reason: "polkit does not let this user word the question: the policy file does not name the user")
        case "org.freedesktop.PolicyKit1.Error.Cancelled":
            VerificationError(.declined, reason: "the desktop's dialogue was taken away")
        default: VerificationError(error, of: polkit.name)
        }
    }
}

/// An answer to CheckAuthorization: `(bba{ss})`.
private struct PolkitAnswer {
    let isAuthorized: Bool
    /// A dialogue could lead to an approval, but was not shown.
    let needsDialogue: Bool
    /// The details of the answer, beside those that were sent.
    private let details: [String: DBusValue]

    private static let memberCount = 3

    init(_ body: [DBusValue]) throws(DBusError) {
        guard body.count == 1, let members = body.first?.structureValue, members.count == Self.memberCount,
            let isAuthorized = members[0].boolValue, let needsDialogue = members[1].boolValue,
            let details = members[2].dictionaryValue
        else { throw DBusError(.wrongType, reason: "CheckAuthorization returned an unexpected type") }
        self.isAuthorized = isAuthorized
        self.needsDialogue = needsDialogue
        self.details = details
    }

    /// True if polkit keeps the dialogue's outcome, and answers later questions with it.
    var keepsAuthorization: Bool {
        details["polkit.retains_authorization_after_challenge"] != nil
            || details["polkit.temporary_authorization_id"] != nil
    }

    /// Evaluates the answer after a dialogue.
    func verdict() throws(VerificationError) {
        if isAuthorized {
            guard !keepsAuthorization else {
                throw VerificationError(.notAsked, reason: "polkit returned an authorisation that it had kept")
            }
            return
        }
        guard details["polkit.dismissed"] == nil else {
            throw VerificationError(.declined, reason: "the desktop's dialogue was closed")
        }
        guard !needsDialogue else {
            throw VerificationError(
                .noAgent, reason: "the desktop has no authentication agent to show polkit's dialogue")
        }
        // polkit says the same of an authentication agent that dies.
        throw VerificationError(
            .noMatch, reason: "the input in the desktop's dialogue was wrong, or the dialogue broke off")
    }
}

/// Subject of a polkit question: a process, by which polkit finds the session and the user.
///
/// Source: polkit's D-Bus interface, "Subject", `unix-process`.
struct PolkitSubject: Sendable, Hashable {
    /// The process's number.
    let process: UInt32
    /// Start time, in the kernel's ticks since boot: with the number, it identifies a process.
    let startTime: UInt64
    /// Its user.
    let user: Int32

    /// Index of the start time among the fields after the process's name (proc_pid_stat(5): field 22, the name is field
    /// 2).
    private static let startTimeIndex = 19

    init(process: UInt32, startTime: UInt64, user: Int32) {
        self.process = process
        self.startTime = startTime
        self.user = user
    }

    /// This process.
    ///
    /// - Throws: ``VerificationError`` with `service-failed` without /proc.
    static func current() throws(VerificationError) -> Self {
        let fields = SystemFile.firstLine(of: "/proc/self/stat").flatMap { line in
            line.lastIndex(of: ")").map { line[line.index(after: $0)...].split(separator: " ") }
        }
        // There must be a field after it: otherwise the line may have been cut within it.
        guard let fields, fields.count > startTimeIndex + 1, let startTime = UInt64(fields[startTimeIndex]) else {
            throw VerificationError(
                .serviceFailed, reason: "/proc/self/stat does not say when this process was started")
        }
        return Self(
            process: UInt32(bitPattern: getpid()), startTime: startTime, user: Int32(bitPattern: getuid()))
    }

    var value: DBusValue {
        .structure([
            .string("unix-process"),
            .dictionary(["pid": .uint32(process), "start-time": .uint64(startTime), "uid": .int32(user)]),
        ])
    }
}
