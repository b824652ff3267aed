internal import CTAP
internal import Cryptography

// authenticatorMakeCredential. Source: CTAP 2.2 section 6.1.2; the comments give its steps.

extension PasskeyAuthenticator {
    func makeCredential(_ request: MakeCredentialRequest) async throws(Refusal) -> MakeCredentialResponse {
        try check(request)
        let stored = try await storedCredentials(request.rp.id)
        let account = ApprovalQuestion.Account(name: request.user.name, displayName: request.user.displayName)
        // Step 12: whatever the person answers, but not before there is an answer.
        guard credentials(stored, in: request.excludeList).isEmpty else {
            let question = ApprovalQuestion(
                operation: .alreadyRegistered, rpID: request.rp.id, rpName: request.rp.name, accounts: [account])
            guard await userVerification.ask(question) != .cancelled, !Task.isCancelled else {
                throw Refusal(.keepaliveCancel, "cancelled")
            }
            throw Refusal(.credentialExcluded, "a credential of the exclude list is here")
        }
        // Steps 11 and 14.
        let approved = try await ask(
            ApprovalQuestion(
                operation: .register, rpID: request.rp.id, rpName: request.rp.name, accounts: [account],
                requiresVerification: request.options.userVerification == true))
        // Step 16.
        let credential = try newCredential(for: request)
        // Step 19.
        let response = try Attestation.make(for: credential, request: request, approved: approved)
        // Steps 17 and 18, last, so that nothing is kept that could not be answered.
        try await keep(credential)
        return response
    }

    private func check(_ request: MakeCredentialRequest) throws(Refusal) {
        // Steps 1 and 2.
        try checkVerification(
            pinUvAuthParam: request.pinUvAuthParam, pinUvAuthProtocol: request.pinUvAuthProtocol,
            options: request.options)
        // Step 3.
        let es256 = PublicKeyCredentialParameters(algorithm: .es256)
        guard request.parameters.contains(es256) else {
            throw Refusal(.unsupportedAlgorithm, "ES256 is not among the algorithms")
        }
        // Step 5: a credential is never made without somebody there.
        guard request.options.userPresence != false else { throw Refusal(.invalidOption, "option up is false") }
        // Step 9: there is no enterprise attestation.
        guard request.enterpriseAttestation == nil else {
            throw Refusal(.invalidParameter, "enterprise attestation is not supported")
        }
        try checkRPID(request.rp.id)
    }

    private func newCredential(for request: MakeCredentialRequest) throws(Refusal) -> Credential {
        do throws(CryptographyError) {
            return Credential(
                id: try randomBytes(count: Credential.idByteCount), rpID: request.rp.id, rpName: request.rp.name,
                userHandle: request.user.id, userName: request.user.name,
                userDisplayName: request.user.displayName,
                isDiscoverable: request.options.residentKey == true, key: try CredentialKey())
        } catch {
            throw Refusal(.other, error.description)
        }
    }

    private func keep(_ credential: Credential) async throws(Refusal) {
        do throws(CredentialStoreError) {
            try await store.add(credential)
        } catch {
            throw refusal(for: error)
        }
    }
}
