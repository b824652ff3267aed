internal import CTAP
internal import Cryptography

// authenticatorGetAssertion and authenticatorGetNextAssertion. Source: CTAP 2.2 sections 6.2.2 and 6.3; the comments give
// the former's steps.

/// What authenticatorGetNextAssertion still has to give, and until when.
struct NextAssertions {
    let request: GetAssertionRequest
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
        // Step 7.
        let stored = try await storedCredentials(request.rpID)
        let applicable =
            request.allowList.isEmpty
            ? stored.filter(\.isDiscoverable) : credentials(stored, in: request.allowList)
        guard let newest = applicable.first else { throw Refusal(.noCredentials, "no credential fits") }
        // Steps 6, 9 and 11.
        let clientChooses = accountChoice == .client && request.allowList.isEmpty && applicable.count > 1
        let question = ApprovalQuestion(
            operation: .signIn, rpID: request.rpID, rpName: newest.rpName,
            accounts: applicable.map { .init(name: $0.userName, displayName: $0.userDisplayName) },
            choosesAccount: !clientChooses, requiresVerification: request.options.userVerification == true)
        let approved = try await ask(question)
        if clientChooses {
            var response = try assertion(newest, request, approved, isOneOfSeveral: true)
            response.numberOfCredentials = UInt64(applicable.count)
            keepNext(applicable.dropFirst(), request, approved)
            return response
        }
        guard let chosen = approved.account.map({ applicable.indices.contains($0) ? applicable[$0] : nil }) ?? newest
        else { throw Refusal(.operationDenied, "an account was chosen that there is not") }
        var response = try assertion(chosen, request, approved, isOneOfSeveral: false)
        // Clients refuse it where they sent an allow list (PROTOCOL.md 9).
        if request.allowList.isEmpty, approved.account != nil { response.userSelected = true }
        return response
    }

    /// The next assertion, if the last command was authenticatorGetAssertion or this one, and not too long ago.
    func getNextAssertion(_ assertions: NextAssertions?) throws(Refusal) -> GetAssertionResponse {
        guard let assertions, let credential = assertions.remaining.first, assertions.expiry > .now else {
            throw Refusal(.notAllowed, "there is no next assertion")
        }
        let response = try assertion(credential, assertions.request, assertions.approved, isOneOfSeveral: true)
        keepNext(assertions.remaining.dropFirst(), assertions.request, assertions.approved)
        return response
    }

    private func keepNext(_ remaining: ArraySlice<Credential>, _ request: GetAssertionRequest, _ approved: Approved) {
        nextAssertions = NextAssertions(
            request: request, approved: approved, remaining: remaining, expiry: .now + Self.nextAssertionLifetime)
    }

    /// Step 13: signs for one credential.
    private func assertion(
        _ credential: Credential, _ request: GetAssertionRequest, _ approved: Approved, isOneOfSeveral: Bool
    ) throws(Refusal) -> GetAssertionResponse {
        do {
            let data = try AuthenticatorData(
                rpIDHash: SHA256.hash(request.rpID.utf8.span),
                flags: .init(approved, userPresence: request.options.userPresence != false), signCount: 0
            ).encoded()
            return GetAssertionResponse(
                credential: .init(id: credential.id), authenticatorData: data,
                signature: try credential.key.sign(data + request.clientDataHash),
                user: credential.isDiscoverable ? user(of: credential, approved, named: isOneOfSeveral) : nil)
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
