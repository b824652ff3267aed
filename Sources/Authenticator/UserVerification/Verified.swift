/// Proof that a verifier has verified the user for one question.
///
/// Only this module makes one: ``VerifiedApproval`` does, when its ``Verifier`` has returned. It cannot be copied, and
/// what signs consumes it. So user verification is reported, and what needs it is released, only where a verifier has
/// run for that very question.
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
