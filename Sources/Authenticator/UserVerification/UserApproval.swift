/// Asks the user of this machine to approve something.
public protocol UserApproval: Sendable {
    /// True if a method of verification is set up, so that an approval can come with a ``Verified``. If not, getInfo
    /// does not list `uv`, and requests that need verification are refused.
    var canVerify: Bool { get }

    /// Asks, and waits for the answer. Returns ``Approval/Refusal/cancelled`` soon after its task is cancelled.
    func ask(_ question: ApprovalQuestion) async -> Approval
}

/// Answer to a question. It cannot be copied, since a ``Verified`` counts once.
public enum Approval: ~Copyable, Sendable {
    /// Yes.
    ///
    /// - `verified`: Proof that the user was verified for this question; nil if the answer shows presence alone.
    /// - `account`: The index of the chosen account; nil if there was no choice, and the first one is used.
    case approved(verified: Verified?, account: Int?)
    /// Anything else.
    case refused(Refusal)

    /// Answer that is not a yes. The client is told `OPERATION_DENIED`, `USER_ACTION_TIMEOUT`, `KEEPALIVE_CANCEL`,
    /// `INVALID_OPTION` (nothing set up), `OPERATION_DENIED` (failed) or `PIN_BLOCKED` (no more tries).
    public enum Refusal: Error, Sendable, Hashable {
        /// No: the user refused, or closed the dialogue.
        case declined
        /// Nobody answered in time.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// There is no way to ask: no terminal, no agent, no device.
        case unavailable
        /// The user has not set up this method of verification, for instance no finger.
        case notEnrolled
        /// The verification failed: a wrong passphrase, another's finger. Another try is possible.
        case failed
        /// The verification failed too often: for now there are no more tries.
        case blocked
    }
}

extension Approval {
    /// Parts of a yes.
    package struct Yes: ~Copyable {
        /// Proof that the user was verified; nil if the answer shows presence alone.
        fileprivate let verified: Verified?
        /// The index of the chosen account; nil if there was no choice.
        package let account: Int?

        /// Method of the verification; nil without one.
        package var method: Verified.Method? {
            switch verified {
            case .some(let verified): verified.method
            case .none: nil
            }
        }

        /// True if the user was verified for a question, and not too long ago.
        package func isVerified(for question: ApprovalQuestion) -> Bool {
            switch verified {
            case .some(let verified): verified.covers(question)
            case .none: false
            }
        }
    }

    /// Consumes the answer.
    ///
    /// - Throws: the answer if it is not a yes.
    // Inlined, it crashes the optimizer of Swift 6.3.1 ("load [take]" of the account).
    @inline(never)
    package consuming func yes() throws(Refusal) -> Yes {
        switch consume self {
        case .refused(let refusal): throw refusal
        case .approved(verified: let verified, account: let account):
            return Yes(verified: verified, account: account)
        }
    }

    /// Consumes the answer, where nothing is signed and no account is chosen.
    ///
    /// - Returns: true if the user was verified for the question.
    /// - Throws: the answer if it is not a yes.
    package consuming func isVerified(for question: ApprovalQuestion) throws(Refusal) -> Bool {
        let yes = try yes()
        return yes.isVerified(for: question)
    }
}

/// Proof that a verifier has verified the user for one question.
///
/// Only this module makes one: ``VerifiedApproval`` does, when its ``Verifier`` has returned. It cannot be copied, and
/// signing consumes it. So user verification is reported, and a value that needs it is released, only where a
/// verifier has run for that very question.
public struct Verified: ~Copyable, Sendable {
    /// Method of verification.
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method's name, for programs.
        public let rawValue: String

        /// Makes a method of its name: for verifiers of an embedder's own.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Subject of a verification: the operation that was approved by it, and the relying party.
    public struct Subject: Sendable, Hashable {
        /// The operation.
        public let operation: ApprovalQuestion.Operation
        /// The relying party's identifier; empty where the question has none.
        public let rpID: String

        init(_ question: ApprovalQuestion) {
            operation = question.operation
            rpID = question.rpID
        }
    }

    /// Longest time between a verification and its use: 2 minutes, of which a passphrase that was typed before the
    /// question may take the first.
    public static let lifetime = Duration.seconds(120)

    /// The method.
    public let method: Method
    /// Time of the verification.
    public let instant: ContinuousClock.Instant
    /// The subject.
    public let subject: Subject

    init(_ question: ApprovalQuestion, by method: Method, at instant: ContinuousClock.Instant) {
        self.method = method
        self.instant = instant
        subject = Subject(question)
    }

    /// True if the user was verified for a question, and not too long ago.
    ///
    /// - Parameters:
    ///   - question: the question that was approved.
    ///   - now: the time of the use.
    public borrowing func covers(_ question: ApprovalQuestion, at now: ContinuousClock.Instant = .now) -> Bool {
        let age = now - instant
        return subject == Subject(question) && age >= .zero && age <= Self.lifetime
    }
}

extension Verified.Method {
    /// The desktop's dialogue, by polkit.
    public static let polkit = Self(rawValue: "polkit")
    /// A finger, by fprintd.
    public static let fingerprint = Self(rawValue: "fprintd")
    /// A passphrase.
    public static let passphrase = Self(rawValue: "passphrase")
    /// No verification at all (``LabVerifier``): it counts only for passkeys that nothing protects.
    public static let lab = Self(rawValue: "lab")
}

/// Verifies the user, for instance by a password or a fingerprint.
///
/// A type that conforms vouches for the user: each time that ``verify(_:account:)`` returns, a ``Verified`` is made,
/// and the authenticator signs that the user was verified. A dialogue with a yes and a no is not a verifier; it is a
/// ``UserApproval``.
public protocol Verifier: Sendable {
    /// Name of the method.
    var method: Verified.Method { get }

    /// Checks that the method is set up for this user. Nothing is shown, and nobody is asked.
    ///
    /// - Throws: ``VerificationError``, as ``verify(_:account:)`` would.
    func checkSetUp() async throws(VerificationError)

    /// True if it shows the question itself, so that it need not be shown before.
    var showsQuestion: Bool { get }

    /// True if it shows the whole of this question, with nothing cut. If it does not, the question is shown before.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - account: the index of the chosen account; nil if there was no choice, and the first one is used.
    func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool

    /// Verifies the user for one question. It MUST NOT return unless a verification has happened, by something that the
    /// user knows, has or is.
    ///
    /// - Parameters:
    ///   - question: the question that is approved by it.
    ///   - account: the index of the chosen account; nil if there was no choice, and the first one is used.
    /// - Returns: the time of the verification.
    /// - Throws: ``VerificationError``; `cancelled` soon after its task is cancelled, and nothing is left behind.
    func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant
}

extension Verifier {
    /// Does nothing: the method needs no setting up.
    public func checkSetUp() async throws(VerificationError) {}

    /// As ``showsQuestion`` says: a verifier that shows questions shows them whole.
    public func showsWhole(_ question: ApprovalQuestion, account: Int?) -> Bool { showsQuestion }
}

/// Approvals that count only after a verification of the user.
///
/// The question is always shown first, and whole: by the verifier if it can, otherwise by another approval. That one
/// also comes first if there is an account to choose, since the desktops' dialogues offer no choice.
public struct VerifiedApproval: UserApproval {
    private let asking: any UserApproval
    private let verifier: any Verifier
    private let report: @Sendable (VerificationError) -> Void

    /// Makes one.
    ///
    /// - Parameters:
    ///   - asking: shows the question, and offers the choice of an account. It counts as presence only.
    ///   - verifier: verifies the user afterwards. It must be set up.
    ///   - report: gets the error of a failed verification.
    public init(
        asking: any UserApproval, verifier: any Verifier,
        report: @escaping @Sendable (VerificationError) -> Void = { _ in }
    ) {
        self.asking = asking
        self.verifier = verifier
        self.report = report
    }

    private static let tooLong = VerificationError(
        .tooLong, reason: "the dialogue would cut the question, and there is no other way to show it")

    /// Always true: without verification there is no approval here.
    public var canVerify: Bool { true }

    /// Asks, then verifies.
    public func ask(_ question: ApprovalQuestion) async -> Approval {
        var account: Int?
        let isChoice = question.choosesAccount && question.accounts.count > 1
        let isShown = verifier.showsWhole(question, account: nil)
        if isChoice || !isShown {
            do throws(Approval.Refusal) {
                account = try await asking.ask(question).yes().account
            } catch {
                // The dialogue names the account that is used then.
                guard error == .unavailable, isShown else {
                    if error == .unavailable, verifier.showsQuestion { report(Self.tooLong) }
                    return .refused(error)
                }
            }
        }
        let instant: ContinuousClock.Instant
        do throws(VerificationError) {
            instant = try await verifier.verify(question, account: account)
        } catch {
            report(error)
            return .refused(error.refusal)
        }
        guard !Task.isCancelled else { return .refused(.cancelled) }
        return .approved(verified: Verified(question, by: verifier.method, at: instant), account: account)
    }
}
