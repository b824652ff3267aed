/// Asks the person at this machine whether something may happen.
public protocol UserVerification: Sendable {
    /// Whether an approval can come with ``Approval/approved(verified:account:)``'s `verified` set. If not, getInfo
    /// does not list `uv`, and requests that need verification are refused.
    var canVerify: Bool { get }

    /// Asks, and waits for the answer. Returns ``Approval/cancelled`` soon after its task is cancelled.
    func ask(_ question: ApprovalQuestion) async -> Approval
}

/// What a person is asked to approve: of passkeys, and of digital credentials, which are another authenticator's but the same
/// person's. All texts but ``rpID`` are free words of the peer's: whoever shows them must expect control characters and direction
/// overrides.
public struct ApprovalQuestion: Sendable, Hashable {
    /// What is about to happen.
    public enum Operation: Sendable, Hashable {
        /// A new passkey is made.
        case register
        /// A registration is refused because there is a passkey already; the answer makes no difference to that.
        case alreadyRegistered
        /// Somebody signs in with a passkey.
        case signIn
        /// A client asks whether this is the authenticator to use (authenticatorSelection).
        case select
        /// A site is shown a digital credential.
        case presentCredential
        /// A digital credential is taken from a site.
        case receiveCredential
        /// A linked client asks for this machine: nothing has been sent yet, and what it will ask for is asked again.
        case answerLink
    }

    /// An account that the question is about.
    public struct Account: Sendable, Hashable {
        /// The account's name.
        public let name: String?
        /// The person's name.
        public let displayName: String?

        /// Makes an account. Names are cut to ``Credential/maxNameByteCount``.
        public init(name: String?, displayName: String?) {
            self.name = name.map(Credential.cut)
            self.displayName = displayName.map(Credential.cut)
        }
    }

    /// What is about to happen.
    public let operation: Operation
    /// The relying party's identifier, or its origin where a digital credential is meant; empty for ``Operation/select`` and ``Operation/answerLink``. It comes
    /// from the peer too, and only its length has been checked.
    public let rpID: String
    /// The relying party's name, if it said one.
    public let rpName: String?
    /// The accounts, the newest first; more than one only for ``Operation/signIn``.
    public let accounts: [Account]
    /// Whether the person chooses one of several accounts here; otherwise the client asks afterwards.
    public let choosesAccount: Bool
    /// Whether an approval without verification will be refused. Where it is not set, verifying all the same is what
    /// phones do (PROTOCOL.md 9).
    public let requiresVerification: Bool
    /// For digital credentials, what a site wants to know, in lines of its own words; for a linked client, who it is and what it
    /// wants, in words of this machine's.
    public let details: [String]

    /// Makes a question. The name is cut to ``Credential/maxNameByteCount``.
    public init(
        operation: Operation, rpID: String, rpName: String? = nil, accounts: [Account] = [],
        choosesAccount: Bool = true, requiresVerification: Bool = false, details: [String] = []
    ) {
        self.operation = operation
        self.rpID = rpID
        self.rpName = rpName.map(Credential.cut)
        self.accounts = accounts
        self.choosesAccount = choosesAccount
        self.requiresVerification = requiresVerification
        self.details = details
    }
}

/// What came of a question. Those but a yes are answered with `OPERATION_DENIED`, `USER_ACTION_TIMEOUT`, `KEEPALIVE_CANCEL`,
/// `INVALID_OPTION` (nothing set up), `UV_INVALID` (failed) and `UV_BLOCKED`.
public enum Approval: Sendable, Hashable {
    /// Yes.
    ///
    /// - `verified`: whether it was verified who said so. Never set without that having happened.
    /// - `account`: the index of the account that a person chose; nil if nobody chose, and the first one is to be used.
    case approved(verified: Bool, account: Int?)
    /// No: the person refused, or closed the dialogue.
    case declined
    /// Nobody answered in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// There is no way to ask: no terminal, no agent, no device.
    case unavailable
    /// It could be asked, but this person has nothing set up to be verified by, such as a finger.
    case notEnrolled
    /// The verification failed: a wrong passphrase, another's finger. Another try is possible.
    case failed
    /// The verification failed too often: for now there are no more tries.
    case blocked
}
