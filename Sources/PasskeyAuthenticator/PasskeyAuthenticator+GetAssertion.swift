internal import CBOR
internal import CTAP
internal import Cryptography

// authenticatorGetAssertion and authenticatorGetNextAssertion. Source: CTAP 2.2 sections 6.2.2 and 6.3; the comments give
// the former's steps.

/// What a sign-in asks for beyond a signature, checked.
struct SignInWishes {
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

/// What authenticatorGetNextAssertion still has to give, and until when.
struct NextAssertions {
    let request: GetAssertionRequest
    let wishes: SignInWishes
    let approved: PasskeyAuthenticator.Approved
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
        let wishes = try SignInWishes(request)
        // Step 7. Who asks for no verification may get one all the same, so that only what can never be verified counts here.
        let isNamed = !request.allowList.isEmpty
        let stored = try await storedCredentials(request.rpID)
        let applicable = (isNamed ? credentials(stored, in: request.allowList) : stored.filter(\.isDiscoverable))
            .filter {
                userVerification.canVerify || $0.protection.allowsUseWithoutVerification(named: isNamed)
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
            var response = try assertion(first, request, wishes, approved, isOneOfSeveral: true)
            response.numberOfCredentials = UInt64(usable.count)
            keepNext(usable.dropFirst(), request, wishes, approved)
            return response
        }
        let chosen = try choose(among: applicable, usable, approved)
        var response = try assertion(chosen, request, wishes, approved, isOneOfSeveral: false)
        // Clients refuse it where they sent an allow list (PROTOCOL.md 9).
        if !isNamed, approved.account != nil { response.userSelected = true }
        if let outcome = await use(chosen, wishes.largeBlob) {
            response.unsignedExtensionOutputs[ExtensionIdentifier.largeBlob] = outcome.value
        }
        return response
    }

    /// The credential that the person chose, or the newest if nobody did.
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
            credential, assertions.request, assertions.wishes, assertions.approved, isOneOfSeveral: true)
        keepNext(assertions.remaining.dropFirst(), assertions.request, assertions.wishes, assertions.approved)
        return response
    }

    private func keepNext(
        _ remaining: ArraySlice<Credential>, _ request: GetAssertionRequest, _ wishes: SignInWishes,
        _ approved: Approved
    ) {
        nextAssertions = NextAssertions(
            request: request, wishes: wishes, approved: approved, remaining: remaining,
            expiry: .now + Self.nextAssertionLifetime)
    }

    /// Step 13: signs for one credential.
    private func assertion(
        _ credential: Credential, _ request: GetAssertionRequest, _ wishes: SignInWishes, _ approved: Approved,
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
            if let results = try credential.results(of: wishes.prf, approved) {
                response.unsignedExtensionOutputs[ExtensionIdentifier.prf] = PRFExtensionOutput(results: results).value
            }
            return response
        } catch {
            throw Refusal(.other, "\(error)")
        }
    }

    /// The account; with its names only for a client that has to show a choice to somebody who was verified (CTAP 2.2
    /// section 6.2.2, on `user`).
    private func user(
        of credential: Credential, _ approved: Approved, named: Bool
    ) -> PublicKeyCredentialUserEntity {
        let isNamed = named && approved.isVerified
        return PublicKeyCredentialUserEntity(
            id: credential.userHandle, name: isNamed ? credential.userName : nil,
            displayName: isNamed ? credential.userDisplayName : nil)
    }
}
