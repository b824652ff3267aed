package import CTAP
internal import Cryptography
internal import Encodings
internal import UserVerification

// authenticatorGetAssertion and authenticatorGetNextAssertion. Source: CTAP 2.2 sections 6.2.2 and 6.3; the comments
// give the former's steps.

/// The checked extension inputs of a sign-in.
struct SignInInputs {
    /// The extension prf's input.
    let prf: PRFExtensionInput?
    /// The extension largeBlob's input.
    let largeBlob: LargeBlobExtension.Access?
    /// The extension hmac-secret's input.
    let hmacSecret: HMACSecretSalts?

    init(_ request: GetAssertionRequest, hmacSecret: HMACSecretSalts?) throws(CTAPFailure) {
        self.hmacSecret = hmacSecret
        do throws(CTAPError) {
            prf = try PRFExtensionInput(request.extensions)
            largeBlob = try LargeBlobExtension.Access(request.extensions)
        } catch {
            throw CTAPFailure(error)
        }
    }

    /// True if nobody is asked: the client wants to know which passkey of a list is here (steps 6 and 9). It must name
    /// them, or it could find out for which sites there are passkeys, and must want nothing else (HT-CTAP-15).
    func isSilent(_ request: GetAssertionRequest) -> Bool {
        request.options.userPresence == false && request.options.userVerification != true
            && !request.allowList.isEmpty && prf == nil && largeBlob == nil
    }
}

/// The assertions that remain for authenticatorGetNextAssertion, and their expiry.
package struct NextAssertions: Sendable {
    let request: GetAssertionRequest
    let inputs: SignInInputs
    let approved: Approved
    let remaining: ArraySlice<Credential>
    let expiry: ContinuousClock.Instant
}

extension PasskeyAuthenticator {
    package func getAssertion(_ request: GetAssertionRequest) async throws(CTAPFailure) -> GetAssertionResponse {
        // Steps 1 and 2.
        try checkPIN(request.pinUvAuthParam, request.pinUvAuthProtocol)
        // Step 4.
        try checkVerification(request.options)
        guard request.options.residentKey == nil else { throw CTAPFailure(.unsupportedOption, "option rk is given") }
        try checkRPID(request.rpID)
        let inputs = try SignInInputs(request, hmacSecret: hmacSecretSalts(request))
        // Step 7, except that nobody is asked yet: an account is chosen before the user is verified for it.
        let isNamed = !request.allowList.isEmpty
        let isSilent = inputs.isSilent(request)
        let stored = try await storedCredentials(request.rpID)
        let applicable = (isNamed ? credentials(stored, in: request.allowList) : stored.filter(\.isDiscoverable))
            .filter {
                approval.canVerify && !isSilent || $0.protection.allowsUseWithoutVerification(named: isNamed)
            }
        guard let newest = applicable.first else { throw await missing(request.rpID, isSilent: isSilent) }
        guard !isSilent else {
            observer(.answeredSilently(rpID: request.rpID))
            return try await assertion(
                of: newest, for: request, inputs: inputs, approved: .silently, isOneOfSeveral: false)
        }
        // Steps 5, 6, 9 and 11.
        let clientChooses = accountChoice == .client && !isNamed && applicable.count > 1
        let question = ApprovalQuestion(
            operation: .signIn, rpID: request.rpID, rpName: newest.rpName,
            accounts: applicable.map(\.account),
            choosesAccount: !clientChooses, requiresVerification: approval.canVerify)
        let approved = try await ask(question)
        if clientChooses {
            var response = try await assertion(
                of: newest, for: request, inputs: inputs, approved: approved, isOneOfSeveral: true)
            response.numberOfCredentials = UInt64(applicable.count)
            keepNext(applicable.dropFirst(), for: request, inputs: inputs, approved: approved)
            return response
        }
        let index = approved.account ?? 0
        guard applicable.indices.contains(index) else {
            throw CTAPFailure(.operationDenied, "an account was chosen that does not exist")
        }
        let chosen = applicable[index]
        dispatcher.account = chosen.account
        var response = try await assertion(
            of: chosen, for: request, inputs: inputs, approved: approved, isOneOfSeveral: false)
        // Clients refuse it where they sent an allow list (HT-CTAP-25).
        if !isNamed, approved.account != nil { response.userSelected = true }
        return response
    }

    /// The refusal where no credential fits. The user sees that a site asks before the client learns that it asks in
    /// vain, and is verified as for a credential that does fit (step 6.2).
    private func missing(_ rpID: String, isSilent: Bool) async -> CTAPFailure {
        let refusal = CTAPFailure(.noCredentials, "no passkey here fits")
        guard !isSilent else { return refusal }
        let question = ApprovalQuestion(
            operation: .noPasskey, rpID: rpID, requiresVerification: approval.canVerify)
        do throws(Approval.Refusal) {
            let approved = try await answer(to: question)
            return approved.isVerified || !approval.canVerify ? refusal : CTAPFailure(.declined)
        } catch {
            return CTAPFailure(error)
        }
    }

    /// The next assertion, if the last one was not too long ago.
    package func getNextAssertion(_ assertions: NextAssertions) async throws(CTAPFailure) -> GetAssertionResponse {
        guard let credential = assertions.remaining.first, assertions.expiry > .now else {
            throw CTAPFailure(.notAllowed, "there is no next assertion")
        }
        let response = try await assertion(
            of: credential, for: assertions.request, inputs: assertions.inputs, approved: assertions.approved,
            isOneOfSeveral: true)
        keepNext(
            assertions.remaining.dropFirst(), for: assertions.request, inputs: assertions.inputs,
            approved: assertions.approved)
        return response
    }

    private func keepNext(
        _ remaining: ArraySlice<Credential>, for request: GetAssertionRequest, inputs: SignInInputs, approved: Approved
    ) {
        dispatcher.nextAssertions = NextAssertions(
            request: request, inputs: inputs, approved: approved, remaining: remaining,
            expiry: .now + Self.nextAssertionLifetime)
    }

    /// Step 13: signs for one credential, and notes that it was used if somebody was asked.
    private func assertion(
        of credential: Credential, for request: GetAssertionRequest, inputs: SignInInputs, approved: Approved,
        isOneOfSeveral: Bool
    ) async throws(CTAPFailure) -> GetAssertionResponse {
        var response = try signed(
            by: credential, for: request, inputs: inputs, approved: approved, isOneOfSeveral: isOneOfSeveral)
        if approved.isPresent,
            let outcome = await use(credential, inputs.largeBlob, isNamed: !request.allowList.isEmpty)
        {
            response.unsignedExtensionOutputs[ExtensionIdentifier.largeBlob] = outcome.value
        }
        return response
    }

    private func signed(
        by credential: Credential, for request: GetAssertionRequest, inputs: SignInInputs, approved: Approved,
        isOneOfSeveral: Bool
    ) throws(CTAPFailure) -> GetAssertionResponse {
        do {
            var outputs: CBORMap?
            if let input = inputs.hmacSecret,
                let values = try credential.results(of: PRFExtensionInput(eval: input.salts), approved)
            {
                let encrypted = try input.secrets.encrypt(values.first + (values.second ?? []))
                outputs = [.text(ExtensionIdentifier.hmacSecret): .bytes(encrypted)]
            }
            let data = try AuthenticatorData(
                rpIDHash: SHA256.hash(request.rpID.utf8.span), flags: .init(approved, credential), signCount: 0,
                extensions: outputs
            ).encoded()
            var response = GetAssertionResponse(
                credential: .init(id: credential.id), authenticatorData: data,
                signature: try credential.key.sign(data + request.clientDataHash),
                user: credential.isDiscoverable ? user(of: credential, approved, named: isOneOfSeveral) : nil)
            if let results = try credential.results(of: inputs.prf, approved) {
                response.unsignedExtensionOutputs[ExtensionIdentifier.prf] = PRFExtensionOutput(results: results).value
            }
            return response
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    /// The account; with its names only for a client that has to show a choice to a verified user (CTAP 2.2 section
    /// 6.2.2, on `user`).
    private func user(
        of credential: Credential, _ approved: Approved, named: Bool
    ) -> PublicKeyCredentialUserEntity {
        let isNamed = named && approved.isVerified
        return PublicKeyCredentialUserEntity(
            id: credential.userHandle, name: isNamed ? credential.userName : nil,
            displayName: isNamed ? credential.userDisplayName : nil)
    }
}

// Effects of a sign-in beside the signature: prf's values, largeBlob's contents, and the time.

extension PasskeyAuthenticator {
    /// Notes that a credential was used, and reads or writes its blob for the extension largeBlob. Contents are written
    /// only if the request has an allow list (HT-CTAP-62).
    ///
    /// A store that cannot be written does not undo a sign-in: the observer is told, and a blob counts as not written.
    ///
    /// - Returns: the extension's output; nil if it asks for nothing, or for a blob that there is not.
    func use(
        _ credential: Credential, _ access: LargeBlobExtension.Access?, isNamed: Bool
    ) async -> LargeBlobExtension.Outcome? {
        var used = credential
        used.lastUsed = now()
        var isAcceptable = false
        if isNamed, case .write(let contents) = access,
            let blob = LargeBlob(compressed: contents.compressed, originalByteCount: contents.originalSize)
        {
            used.largeBlob = blob
            isAcceptable = true
        }
        let isKept = await keepUse(of: used)
        switch access {
        case nil: return nil
        case .write: return .written(isAcceptable && isKept)
        case .read:
            return credential.largeBlob.map {
                .contents(.init(compressed: $0.compressed, originalSize: $0.originalByteCount))
            }
        }
    }

    private func keepUse(of credential: Credential) async -> Bool {
        do throws(CredentialStoreError) {
            try await store.update(credential)
            return true
        } catch {
            observer(.useNotKept(error))
            return false
        }
    }
}

extension Credential {
    /// The account, for a question.
    fileprivate var account: ApprovalQuestion.Account {
        ApprovalQuestion.Account(
            name: userName, displayName: userDisplayName, passkey: .init(created: created, lastUsed: lastUsed))
    }

    /// The values of the credential's function for a request's salts; nil if there are no salts for it, if it has no
    /// function, or if the user was not verified (``PRFSecret``).
    func results(
        of input: PRFExtensionInput?, _ approved: Approved
    ) throws -> PRFValues? {
        guard approved.isVerified, let prf, let salts = input?.salts(for: id) else { return nil }
        return try PRFValues(first: prf.evaluate(salts.first), second: salts.second.map(prf.evaluate))
    }
}
