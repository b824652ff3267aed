public import CTAP
internal import Glibc
public import UserVerification

/// A CTAP 2 authenticator for passkeys. It knows no transport: request bytes in, response bytes out.
///
/// Passkeys are software's and can be exported, so BE is set, and BS from when there is a copy. There is no signature
/// counter (it is always 0), as with phones, and no PIN. It asks the user about every request, and verifies the user in
/// each if it can: option `alwaysUv`. It is silent only about a request that names its passkeys and wants nobody's
/// presence (HT-CTAP-15).
///
/// Source: CTAP 2.2 section 6; the article CTAPInside of HybridProtocol.
public actor PasskeyAuthenticator: CTAPAuthenticator {
    /// The side that chooses among several passkeys that fit a sign-in without an allow list.
    public enum AccountChoice: Sendable {
        /// The user, here; one assertion is answered, as phones do.
        case authenticator
        /// The client, after it has fetched all of them with authenticatorGetNextAssertion.
        case client
    }

    /// The way by which clients reach an authenticator; getInfo says it, and the lengths that fit through.
    public enum Transport: Sendable {
        /// A hybrid session.
        case hybrid
        /// The reports of a USB device.
        case usb
    }

    /// The make of this authenticator, 16 bytes: 8fec5ed2-f135-48c1-bb48-44fde60ab0ae.
    public static let aaguid: [UInt8] = [
        0x8f, 0xec, 0x5e, 0xd2, 0xf1, 0x35, 0x48, 0xc1, 0xbb, 0x48, 0x44, 0xfd, 0xe6, 0x0a, 0xb0, 0xae,
    ]
    /// The largest request taken: 1 MiB less a transport's own bytes; names of 300 kB, allow lists of thousands.
    public static let maxMessageByteCount = (1 << 20) - (1 << 10)
    /// Longest time between two authenticatorGetNextAssertion commands (CTAP 2.2 section 6.3).
    static let nextAssertionLifetime = Duration.seconds(30)

    let store: any CredentialStore
    let approval: any UserApproval
    let accountChoice: AccountChoice
    let transport: Transport
    let now: @Sendable () -> Int64
    let observer: @Sendable (PasskeyAuthenticatorEvent) -> Void
    package var dispatcher: CTAPDispatcher<NextAssertions>
    /// The key pair that clients encrypt salts under; nil until one asks for it.
    var keyAgreement: KeyAgreement?

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - store: keeps the passkeys.
    ///   - approval: asks the user.
    ///   - accountChoice: the side that chooses among several passkeys.
    ///   - transport: the way by which clients reach it.
    ///   - observer: gets the events, on any thread. It must not wait.
    ///   - now: the time in seconds since 1970; the system's unless said otherwise.
    public init(
        store: any CredentialStore, approval: any UserApproval,
        accountChoice: AccountChoice = .authenticator, transport: Transport = .hybrid,
        observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in },
        now: @escaping @Sendable () -> Int64 = PasskeyAuthenticator.systemTime
    ) {
        self.store = store
        self.approval = approval
        self.accountChoice = accountChoice
        self.transport = transport
        self.now = now
        self.observer = observer
        dispatcher = CTAPDispatcher(maxRequestByteCount: Self.maxMessageByteCount) {
            observer(.answered($0))
        }
    }

    /// The system's time in seconds since 1970.
    public static let systemTime: @Sendable () -> Int64 = { Int64(time(nil)) }

    /// Answers a request. Every failure is a CTAP status; a second request while one is under way is answered with
    /// `CTAP1_ERR_CHANNEL_BUSY`, and one whose task was cancelled with `CTAP2_ERR_KEEPALIVE_CANCEL`.
    ///
    /// - Parameter request: the command byte, then the parameters.
    /// - Returns: the status byte, then the payload.
    public func respond(to request: [UInt8]) async -> [UInt8] { await respond(to: request, status: { _ in }) }
}

/// Event in an authenticator, for logs and progress. It has no secrets, but the relying party is private.
public enum PasskeyAuthenticatorEvent: Sendable {
    /// The request was approved: by the user, or automatically.
    case approved(operation: ApprovalQuestion.Operation, rpID: String, verified: Bool)
    /// The store failed; the request is answered with a status that says less.
    case storeFailed(CredentialStoreError)
    /// A sign-in succeeded, but the store could not be told of it: when the passkey was used, and a large blob.
    case useNotKept(CredentialStoreError)
    /// A sign-in without user presence is answered, and nobody was asked: the client learns which passkey of its list
    /// is here. ``answered(_:)`` follows.
    case answeredSilently(rpID: String)
    /// A request was answered.
    case answered(AnsweredRequest)
}

// Steps of both makeCredential and getAssertion: the checks before, the question, the store.

extension PasskeyAuthenticator {
    /// Refuses a PIN/UV auth parameter: there is no PIN (CTAP 2.2 sections 6.1.2 and 6.2.2, steps 1 and 2).
    func checkPIN(_ pinUvAuthParam: [UInt8]?, _ pinUvAuthProtocol: UInt64?) throws(CTAPFailure) {
        guard pinUvAuthParam == nil else {
            throw CTAPFailure(pinUvAuthProtocol == nil ? .missingParameter : .invalidParameter, "there is no PIN here")
        }
    }

    /// Refuses to verify the user where that is not set up (CTAP 2.2 sections 6.1.2 step 5 and 6.2.2 step 4).
    func checkVerification(_ options: RequestOptions) throws(CTAPFailure) {
        if options.userVerification == true, !approval.canVerify {
            throw CTAPFailure(.invalidOption, "option uv is true, and users cannot be verified here")
        }
    }

    /// Refuses a relying party identifier that is none: by its length, or neither a domain name nor a program's.
    func checkRPID(_ rpID: String) throws(CTAPFailure) {
        guard (1...Credential.maxRPIDByteCount).contains(rpID.utf8.count) else {
            throw CTAPFailure(.invalidLength, "a relying party identifier of \(rpID.utf8.count) bytes")
        }
        guard RelyingPartyKind(rpID) != nil else {
            throw CTAPFailure(.invalidParameter, "a relying party identifier that is neither a domain name nor a URI")
        }
    }

    /// Asks whether this is the authenticator to use.
    package func askForTouch() async throws(CTAPFailure) {
        _ = try await ask(ApprovalQuestion(operation: .select, rpID: ""))
    }

    /// Asks, and takes every answer but a yes for a refusal.
    func ask(_ question: ApprovalQuestion) async throws(CTAPFailure) -> Approved {
        let approved: Approved
        do throws(Approval.Refusal) {
            approved = try await answer(to: question)
        } catch {
            throw CTAPFailure(error)
        }
        guard approved.isVerified || !question.requiresVerification else {
            throw CTAPFailure(.operationDenied, "approved, but the user was not verified")
        }
        observer(.approved(operation: question.operation, rpID: question.rpID, verified: approved.isVerified))
        return approved
    }

    /// Asks. The answer's proof of verification is consumed.
    ///
    /// - Throws: the answer if it is not a yes.
    func answer(to question: ApprovalQuestion) async throws(Approval.Refusal) -> Approved {
        dispatcher.tell(.userPresenceNeeded)
        let answer = await approval.ask(question)
        dispatcher.tell(.processing)
        guard !Task.isCancelled else { throw .cancelled }
        return Approved(
            try answer.yes(), for: question, canVerify: approval.canVerify, protecting: store.protectsCredentials)
    }

    /// The stored credentials of a relying party, the newest first.
    func storedCredentials(_ rpID: String) async throws(CTAPFailure) -> [Credential] {
        do throws(CredentialStoreError) {
            return try await store.credentials(rpID: rpID)
        } catch {
            throw refusal(for: error)
        }
    }

    /// The status for a failure of the store, which is reported to the observer.
    func refusal(for error: CredentialStoreError) -> CTAPFailure {
        observer(.storeFailed(error))
        return CTAPFailure(error.code == .full ? .keyStoreFull : .other, error.description)
    }

    /// The credentials that a list names.
    func credentials(
        _ credentials: [Credential], in list: [PublicKeyCredentialDescriptor]
    ) -> [Credential] {
        let named = Set(list.lazy.filter { $0.type == PublicKeyCredentialDescriptor.publicKey }.map(\.id))
        return credentials.filter { named.contains($0.id) }
    }
}

extension AuthenticatorData.Flags {
    /// The flags for an approval and a credential.
    init(_ approved: Approved, _ credential: Credential) {
        self = approved.isVerified ? .userVerified : []
        if approved.isPresent { insert(.userPresent) }
        if credential.isBackupEligible { insert(.backupEligible) }
        if credential.isBackedUp { insert(.backupState) }
    }
}

extension CTAPFailure {
    /// The refusal for an answer that is not a yes.
    ///
    /// Source: CTAP 2.2 sections 6.1.2, steps 5, 11.2.3 and 14, and 6.2.2, steps 4, 6.2 and 9.
    init(_ answer: Approval.Refusal) {
        switch answer {
        case .declined: self.init(.operationDenied, "declined")
        case .unavailable: self.init(.operationDenied, "there is no way to ask")
        case .timedOut: self.init(.userActionTimeout, "nobody answered in time")
        case .cancelled: self.init(.keepaliveCancel, "cancelled")
        case .notEnrolled: self.init(.invalidOption, "no method is set up to verify the user")
        case .failed: self.init(.operationDenied, "the user could not be verified")
        case .blocked: self.init(.pinBlocked, "too many failed attempts at verification")
        }
    }
}

/// An approved request, as it goes into the flags of the authenticator data and decides about prf and credProtect.
///
/// ``isVerified`` is true for a ``Verified`` only, which is consumed here.
struct Approved {
    /// The outcome of a request for which nobody is asked.
    static let silently = Approved()

    /// True if the user was asked.
    let isPresent: Bool
    /// True if the user was verified for this request.
    let isVerified: Bool
    /// The account that the user chose; nil if there was no choice.
    let account: Int?

    /// Makes one of an answer to a question.
    ///
    /// - Parameters:
    ///   - yes: the answer, whose proof of verification is consumed. It counts if it is for this very question and not
    ///     old, and if getInfo has said that there is verification; a lab's counts only where nothing protects the
    ///     passkeys.
    ///   - question: the question that was asked.
    ///   - canVerify: true if a method of verification is set up.
    ///   - isProtected: true if the store protects its passkeys.
    init(
        _ yes: consuming Approval.Yes, for question: ApprovalQuestion, canVerify: Bool, protecting isProtected: Bool
    ) {
        isPresent = true
        account = yes.account
        isVerified = canVerify && yes.isVerified(for: question) && !(isProtected && yes.method == .lab)
    }

    private init() {
        isPresent = false
        isVerified = false
        account = nil
    }
}
