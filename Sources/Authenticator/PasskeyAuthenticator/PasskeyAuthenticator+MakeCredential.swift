package import CTAP
internal import Cryptography
internal import UserVerification

// authenticatorMakeCredential. Source: CTAP 2.2 section 6.1.2; the comments give its steps.

/// The checked algorithm and extension inputs of a registration.
struct RegistrationInputs {
    /// The first of the relying party's algorithms that there is here.
    let algorithm: COSEAlgorithm
    /// The extension credProtect's level.
    let protection: CredentialProtection?
    /// True if the extension hmac-secret is there, and wanted.
    let hmacSecret: Bool
    /// The extension prf's input.
    let prf: PRFExtensionInput?
    /// The extension largeBlob's input.
    let largeBlob: LargeBlobExtension.Support?

    init(_ request: MakeCredentialRequest, algorithm: COSEAlgorithm, canVerify: Bool) throws(CTAPFailure) {
        self.algorithm = algorithm
        do throws(CTAPError) {
            hmacSecret = canVerify ? try HMACSecretExtension.isWanted(request.extensions) : false
            protection = try CredentialProtection(request.extensions)
            prf = try PRFExtensionInput(request.extensions)
            largeBlob = try LargeBlobExtension.Support(request.extensions)
        } catch {
            throw CTAPFailure(error)
        }
    }
}

extension PasskeyAuthenticator {
    package func makeCredential(_ request: MakeCredentialRequest) async throws(CTAPFailure) -> MakeCredentialResponse {
        guard !request.isTouchRequest else {
            try await askForTouch()
            throw CTAPFailure(MakeCredentialRequest.touched, "the client only wanted a touch: nothing was made")
        }
        let inputs = try check(request)
        let stored = try await storedCredentials(request.rp.id)
        let account = ApprovalQuestion.Account(name: request.user.name, displayName: request.user.displayName)
        // Step 12.
        try await refuseExcluded(credentials(stored, in: request.excludeList), request, account)
        // An RSA key takes up to a second, in which the user can read the question.
        async let key = Self.newKey(inputs.algorithm)
        // Steps 6, 11 and 14.
        let approved = try await ask(
            ApprovalQuestion(
                operation: .register, rpID: request.rp.id, rpName: request.rp.name, accounts: [account],
                requiresVerification: approval.canVerify,
                replaced: Self.replaced(in: stored, by: request)))
        // Step 16.
        let credential = try newCredential(for: request, inputs, key: await key)
        // Step 19.
        let response = try Attestation.make(for: credential, request: request, inputs, approved: approved)
        // Steps 17 and 18, last, so that nothing is kept that could not be answered.
        try await keep(credential)
        return response
    }

    /// The credential whose place a new one would take; nil if there is none.
    private static func replaced(
        in stored: [Credential], by request: MakeCredentialRequest
    ) -> ApprovalQuestion.ReplacedPasskey? {
        stored.first {
            $0.isReplaced(
                by: request.rp.id, request.user.id, isDiscoverable: request.options.residentKey == true)
        }.map { .init(created: $0.created) }
    }

    private func check(_ request: MakeCredentialRequest) throws(CTAPFailure) -> RegistrationInputs {
        // Steps 1 and 2.
        try checkPIN(request.pinUvAuthParam, request.pinUvAuthProtocol)
        // Step 3.
        let algorithm = try Self.algorithm(for: request)
        // Step 5: a credential is never made without user presence.
        try checkVerification(request.options)
        guard request.options.userPresence != false else { throw CTAPFailure(.invalidOption, "option up is false") }
        // Step 9: there is no enterprise attestation.
        guard request.enterpriseAttestation == nil else {
            throw CTAPFailure(.invalidParameter, "enterprise attestation is not supported")
        }
        try checkRPID(request.rp.id)
        return try RegistrationInputs(request, algorithm: algorithm, canVerify: approval.canVerify)
    }

    /// The first of the relying party's algorithms that there is here.
    private static func algorithm(for request: MakeCredentialRequest) throws(CTAPFailure) -> COSEAlgorithm {
        let asked = request.parameters.lazy.filter { $0.type == PublicKeyCredentialDescriptor.publicKey }
            .map(\.algorithm)
        guard let algorithm = asked.first(where: CredentialKey.algorithms.contains) else {
            throw CTAPFailure(.unsupportedAlgorithm, "none of the algorithms is known here")
        }
        return algorithm
    }

    /// Refuses to make another credential where there is one of the exclude list, once the user was asked. Where users
    /// can be verified, only a verified one's client learns of it (HT-CTAP-59). Where they cannot, it does whether they
    /// agree, refuse or are silent, but not of a credential that requires verification (HT-CTAP-60).
    private func refuseExcluded(
        _ excluded: [Credential], _ request: MakeCredentialRequest, _ account: ApprovalQuestion.Account
    ) async throws(CTAPFailure) {
        let canVerify = approval.canVerify
        guard excluded.contains(where: { canVerify || $0.protection.allowsUseWithoutVerification(named: true) }) else {
            return
        }
        do throws(Approval.Refusal) {
            let approved = try await answer(
                to: ApprovalQuestion(
                    operation: .alreadyRegistered, rpID: request.rp.id, rpName: request.rp.name, accounts: [account],
                    requiresVerification: canVerify))
            if canVerify, !approved.isVerified { throw .declined }
        } catch {
            guard !canVerify, error == .declined || error == .timedOut else { throw CTAPFailure(error) }
        }
        throw CTAPFailure(.credentialExcluded, "a credential of the exclude list is here")
    }

    /// Draws a key, away from this actor.
    @concurrent
    private static func newKey(_ algorithm: COSEAlgorithm) async -> Result<CredentialKey, CryptographyError> {
        do throws(CryptographyError) {
            return .success(try CredentialKey(algorithm))
        } catch {
            return .failure(error)
        }
    }

    private func newCredential(
        for request: MakeCredentialRequest, _ inputs: RegistrationInputs, key: Result<CredentialKey, CryptographyError>
    ) throws(CTAPFailure) -> Credential {
        do throws(CryptographyError) {
            return Credential(
                id: randomBytes(count: Credential.idByteCount), rpID: request.rp.id, rpName: request.rp.name,
                userHandle: request.user.id, userName: request.user.name,
                userDisplayName: request.user.displayName,
                isDiscoverable: request.options.residentKey == true, key: try key.get(),
                protection: inputs.protection ?? .verificationOptional, prf: PRFSecret(),
                isBackupEligible: true, created: now())
        } catch {
            throw CTAPFailure(.other, error.description)
        }
    }

    private func keep(_ credential: Credential) async throws(CTAPFailure) {
        do throws(CredentialStoreError) {
            try await store.add(credential)
        } catch {
            throw refusal(for: error)
        }
    }
}
