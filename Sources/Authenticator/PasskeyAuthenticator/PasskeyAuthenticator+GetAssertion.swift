internal import CBOR
internal import CTAP
internal import Cryptography
internal import UserVerification

// authenticatorGetAssertion and authenticatorGetNextAssertion. Source: CTAP 2.2 sections 6.2.2 and 6.3; the comments
// give the former's steps.

/// The checked extension inputs of a sign-in.
struct SignInInputs {
    /// The extension prf's input.
    let prf: PRFExtensionInput?
    /// The extension largeBlob's input.
    let largeBlob: LargeBlobExtension.Access?

    init(_ request: GetAssertionRequest) throws(Refusal) {
        do throws(CTAPError) {
            prf = try PRFExtensionInput(request.extensions)
            largeBlob = try LargeBlobExtension.Access(request.extensions)
        } catch {
            throw Refusal(error.status, error.reason)
        }
    }
}

/// The assertions that remain for authenticatorGetNextAssertion, and their expiry.
struct NextAssertions {
    let request: GetAssertionRequest
    let inputs: SignInInputs
    let approved: Approved
    let remaining: ArraySlice<Credential>
    let expiry: ContinuousClock.Instant
}

extension PasskeyAuthenticator {
    func getAssertion(_ request: GetAssertionRequest) async throws(Refusal) -> GetAssertionResponse {
        // Steps 1, 2 and 4.
        try checkVerification(
            pinUvAuthParam: request.pinUvAuthParam, pinUvAuthProtocol: request.pinUvAuthProtocol,
            options: request.options)
        guard request.options.residentKey == nil else { throw Refusal(.unsupportedOption, "option rk is given") }
        try checkRPID(request.rpID)
        let inputs = try SignInInputs(request)
        // Step 7. A user may be verified although the request does not ask for it, so only credentials that could never
        // be used are left out here.
        let isNamed = !request.allowList.isEmpty
        let stored = try await storedCredentials(request.rpID)
        let applicable = (isNamed ? credentials(stored, in: request.allowList) : stored.filter(\.isDiscoverable))
            .filter {
                approval.canVerify || $0.protection.allowsUseWithoutVerification(named: isNamed)
            }
        guard let newest = applicable.first else { throw Refusal(.noCredentials, "no credential fits") }
        // Steps 6, 9 and 11.
        let clientChooses = accountChoice == .client && !isNamed && applicable.count > 1
        let question = ApprovalQuestion(
            operation: .signIn, rpID: request.rpID, rpName: newest.rpName,
            accounts: applicable.map { .init(name: $0.userName, displayName: $0.userDisplayName) },
            choosesAccount: !clientChooses,
            requiresVerification: request.options.userVerification == true
                || !applicable.contains { $0.protection.allowsUseWithoutVerification(named: isNamed) })
        let approved = try await ask(question)
        let usable = applicable.filter {
            approved.isVerified || $0.protection.allowsUseWithoutVerification(named: isNamed)
        }
        if clientChooses, let first = usable.first, usable.count > 1 {
            var response = try assertion(
                of: first, for: request, inputs: inputs, approved: approved, isOneOfSeveral: true)
            response.numberOfCredentials = UInt64(usable.count)
            keepNext(usable.dropFirst(), for: request, inputs: inputs, approved: approved)
            return response
        }
        let chosen = try choose(among: applicable, usable, approved)
        var response = try assertion(
            of: chosen, for: request, inputs: inputs, approved: approved, isOneOfSeveral: false)
        // Clients refuse it where they sent an allow list (HT-CTAP-25).
        if !isNamed, approved.account != nil { response.userSelected = true }
        if let outcome = await use(chosen, inputs.largeBlob) {
            response.unsignedExtensionOutputs[ExtensionIdentifier.largeBlob] = outcome.value
        }
        return response
    }

    /// The credential that the user chose, or the newest if there was no choice.
    private func choose(
        among applicable: [Credential], _ usable: [Credential], _ approved: Approved
    ) throws(Refusal) -> Credential {
        guard let account = approved.account else {
            guard let newest = usable.first else { throw Refusal(.operationDenied, "no passkey without verification") }
            return newest
        }
        guard applicable.indices.contains(account) else {
            throw Refusal(.operationDenied, "an account was chosen that there is not")
        }
        let chosen = applicable[account]
        guard usable.contains(where: { $0.id == chosen.id }) else {
            throw Refusal(.operationDenied, "the passkey that was chosen is used with verification only")
        }
        return chosen
    }

    /// The next assertion, if the last command was authenticatorGetAssertion or this one, and not too long ago.
    func getNextAssertion(_ assertions: NextAssertions?) throws(Refusal) -> GetAssertionResponse {
        guard let assertions, let credential = assertions.remaining.first, assertions.expiry > .now else {
            throw Refusal(.notAllowed, "there is no next assertion")
        }
        let response = try assertion(
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
        nextAssertions = NextAssertions(
            request: request, inputs: inputs, approved: approved, remaining: remaining,
            expiry: .now + Self.nextAssertionLifetime)
    }

    /// Step 13: signs for one credential.
    private func assertion(
        of credential: Credential, for request: GetAssertionRequest, inputs: SignInInputs, approved: Approved,
        isOneOfSeveral: Bool
    ) throws(Refusal) -> GetAssertionResponse {
        do {
            let data = try AuthenticatorData(
                rpIDHash: SHA256.hash(request.rpID.utf8.span),
                flags: .init(approved, credential, userPresence: request.options.userPresence != false), signCount: 0
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
            throw Refusal(.other, "\(error)")
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
