internal import Encodings

/// Question to the user: about passkeys, digital credentials and linked clients. All texts but ``rpID`` come from the
/// peer: code that shows them must expect control characters and direction overrides.
public struct ApprovalQuestion: Sendable, Hashable {
    /// The longest name that is kept and shown: 256 bytes of UTF-8.
    public static let maxNameByteCount = 256

    /// The operation to approve.
    public enum Operation: Sendable, Hashable {
        /// A new passkey is made.
        case register
        /// A registration is refused because there is a passkey already; the answer makes no difference to that.
        case alreadyRegistered
        /// Somebody signs in with a passkey.
        case signIn
        /// A sign-in is refused because there is no passkey for it; the answer makes no difference to that.
        case noPasskey
        /// A client asks whether this is the authenticator to use (authenticatorSelection).
        case select
        /// A site is shown a digital credential.
        case presentCredential
        /// A digital credential is taken from a site.
        case receiveCredential
        /// A linked client asks for this machine: nothing has been sent yet, and each of its requests is asked about.
        case answerLink
        /// A program of this machine asks its security key for something, and the key is the user's phone: nothing has
        /// been sent to it yet.
        case usePhone
        /// The private keys of passkeys are written to a file in clear text.
        case exportPasskeys
        /// Passkeys of this machine are copied to the vault of somebody near. ``ApprovalQuestion/rpName`` is the name
        /// of that device for itself; ``ApprovalQuestion/details`` are the passkeys.
        case copyPasskeys
        /// Passkeys of this machine are moved there likewise, and are removed here.
        case movePasskeys
        /// Passkeys in transit to the vault of somebody near are removed here, or in use again, as that device says.
        case settlePasskeys
        /// Passkeys of somebody near are taken into this machine's vault.
        case receivePasskeys
    }

    /// An account that the question is about.
    public struct Account: Sendable, Hashable {
        /// The account's name.
        public let name: String?
        /// The user's name for display.
        public let displayName: String?
        /// The times of its passkey, by which accounts of one name are told apart; nil if they are not known.
        public let passkey: PasskeyTimes?

        /// Makes an account. Names are cut to ``ApprovalQuestion/maxNameByteCount``.
        public init(name: String?, displayName: String?, passkey: PasskeyTimes? = nil) {
            self.name = name?.truncated(toByteCount: ApprovalQuestion.maxNameByteCount)
            self.displayName = displayName?.truncated(toByteCount: ApprovalQuestion.maxNameByteCount)
            self.passkey = passkey
        }
    }

    /// Times at which a passkey was made and used, in seconds since 1970.
    public struct PasskeyTimes: Sendable, Hashable {
        /// The time at which it was made; nil if its file does not say.
        public let created: Int64?
        /// The time of the last sign-in with it; nil if there was none.
        public let lastUsed: Int64?

        /// Makes them of seconds since 1970.
        public init(created: Int64?, lastUsed: Int64?) {
            self.created = created
            self.lastUsed = lastUsed
        }
    }

    /// Holder of the passkeys.
    public enum Holder: Sendable, Hashable {
        /// This machine.
        case machine
        /// A security key that is plugged in here and passed through.
        case securityKey
    }

    /// A passkey that will no longer work.
    public struct ReplacedPasskey: Sendable, Hashable {
        /// The time at which it was made, in seconds since 1970; nil if its file does not say.
        public let created: Int64?

        /// Names a passkey by the time at which it was made, in seconds since 1970.
        public init(created: Int64?) { self.created = created }
    }

    /// A passkey in transit since an earlier hand-over, of which the other device is asked whether it has it.
    public struct InTransit: Sendable, Hashable {
        /// The site and the account.
        public let passkey: String
        /// The name that its receiver gave then.
        public let receiver: String
        /// True if the device that is here has proven that it is that receiver; false if the receiver had no way to, in
        /// an earlier version.
        public let isProven: Bool

        /// Names a passkey in transit.
        public init(passkey: String, receiver: String, isProven: Bool) {
            self.passkey = passkey
            self.receiver = receiver
            self.isProven = isProven
        }
    }

    /// The operation to approve.
    public let operation: Operation
    /// The relying party's identifier, or its origin where a digital credential is meant; empty for
    /// ``Operation/select``, ``Operation/answerLink``, ``Operation/exportPasskeys`` and hand-overs, and for
    /// ``Operation/usePhone`` where a program only wants to know which key to use. It comes from the peer too, and only
    /// its length has been checked.
    public let rpID: String
    /// The relying party's name, if it said one.
    public let rpName: String?
    /// The accounts, the newest first; more than one only for ``Operation/signIn``.
    public let accounts: [Account]
    /// True if the user chooses one of several accounts here; otherwise the client asks afterwards.
    public let choosesAccount: Bool
    /// True if an approval without verification will be refused. If it is false, phones verify nevertheless
    /// (HT-CTAP-11).
    public let requiresVerification: Bool
    /// For ``Operation/register``, the passkey whose place the new one takes; nil if there is none.
    public let replaced: ReplacedPasskey?
    /// For digital credentials, the data that a site requests, in the site's words, line by line; for a linked client,
    /// its name and purpose, and for an export the file and its contents, in this machine's words; for a hand-over, the
    /// passkeys.
    public let details: [String]
    /// For a hand-over, the passkeys in transit that are removed if the other device says that it has them.
    public let inTransit: [InTransit]
    /// The holder of the passkeys that the question is about.
    public let holder: Holder

    /// Makes a question. The name is cut to ``ApprovalQuestion/maxNameByteCount``.
    public init(
        operation: Operation, rpID: String, rpName: String? = nil, accounts: [Account] = [],
        choosesAccount: Bool = true, requiresVerification: Bool = false, replaced: ReplacedPasskey? = nil,
        details: [String] = [], inTransit: [InTransit] = [], holder: Holder = .machine
    ) {
        self.operation = operation
        self.rpID = rpID
        self.rpName = rpName?.truncated(toByteCount: Self.maxNameByteCount)
        self.accounts = accounts
        self.choosesAccount = choosesAccount
        self.requiresVerification = requiresVerification
        self.replaced = replaced
        self.details = details
        self.inTransit = inTransit
        self.holder = holder
    }
}
