internal import CTAP
internal import UserVerification

// Steps of both makeCredential and getAssertion: the checks before, the question, the store.

extension PasskeyAuthenticator {
    /// Refuses what an authenticator without PIN cannot do (CTAP 2.2 sections 6.1.2 and 6.2.2, steps 1 and 2).
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
