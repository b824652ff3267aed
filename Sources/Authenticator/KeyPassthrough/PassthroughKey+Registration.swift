package import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator
internal import UserVerification

// authenticatorMakeCredential. Source: CTAP 2.2 section 6.1.2.

extension PassthroughKey {
    package func makeCredential(_ request: MakeCredentialRequest) async throws(CTAPFailure) -> MakeCredentialResponse {
        guard !request.isTouchRequest else {
            try await askForTouch()
            throw CTAPFailure(MakeCredentialRequest.touched, "the client only wanted a touch: nothing was made")
        }
        let registration = try registration(request)
        try await approve(
            ApprovalQuestion(
                operation: .register, rpID: request.rp.id, rpName: request.rp.name,
                accounts: [.init(name: request.user.name, displayName: request.user.displayName)],
                holder: .securityKey))
        let excluded = try ids(request.excludeList)
        let key = key
        let listSize = information.listSize
        var (response, isVerified) = try await verified { (verification) throws(KeyFailure) in
            // A key that takes shorter lists is asked first which of them it has, and then to refuse that one: it is
            // touched before the client learns of it.
            let excluded =
                try await excluded.count <= listSize
                ? excluded
                : PassthroughKey.present(excluded, of: request.rp.id, on: key, by: listSize, verification).map { [$0] }
                    ?? []
            let made = try await key.makeCredential(registration.with(verification, excluding: excluded))
            return (made, verification.isVerification)
        }
        let data = try check(response, request, registration.algorithm, isVerified: isVerified)
        observer(.approved(operation: .register, rpID: request.rp.id, verified: isVerified))
        if registration.wantsPRF {
            let isEnabled = data.extensions?[ExtensionIdentifier.hmacSecret]?.boolValue == true
            response.unsignedExtensionOutputs[ExtensionIdentifier.prf] =
                PRFExtensionOutput(enabled: isEnabled).value
        }
        return response
    }

    /// A registration's request to the key, without verification and exclude list.
    private struct Draft: Sendable {
        let request: MakeCredentialRequest
        let algorithm: COSEAlgorithm
        let protection: CredentialProtection?
        let wantsPRF: Bool
        let hmacSecret: Bool

        func with(_ verification: KeyVerification, excluding excluded: [[UInt8]]) -> KeyRegistration {
            KeyRegistration(
                clientDataHash: request.clientDataHash,
                rp: .init(id: request.rp.id, name: request.rp.name.map(PassthroughKey.cut)),
                user: .init(
                    id: request.user.id, name: request.user.name.map(PassthroughKey.cut),
                    displayName: request.user.displayName.map(PassthroughKey.cut)),
                algorithm: algorithm,
                excluded: excluded, isDiscoverable: request.options.residentKey == true, protection: protection,
                hmacSecret: hmacSecret, verification: verification)
        }
    }

    private func registration(_ request: MakeCredentialRequest) throws(CTAPFailure) -> Draft {
        try check(
            request.options, pinUvAuthParam: request.pinUvAuthParam, pinUvAuthProtocol: request.pinUvAuthProtocol)
        let asked = request.parameters.lazy.filter { $0.type == PublicKeyCredentialDescriptor.publicKey }
            .map(\.algorithm)
        guard let algorithm = asked.first(where: information.algorithms.contains) else {
            throw CTAPFailure(.unsupportedAlgorithm, "the key supports none of the algorithms")
        }
        guard request.options.userPresence != false else {
            throw CTAPFailure(.invalidOption, "option up is false")
        }
        guard request.options.residentKey != true || information.isDiscoverable else {
            throw CTAPFailure(.unsupportedOption, "the key makes no passkeys that can be found without a list")
        }
        guard request.enterpriseAttestation == nil else {
            throw CTAPFailure(.invalidParameter, "enterprise attestation is not supported")
        }
        try check([request.rp.name, request.user.name, request.user.displayName], rpID: request.rp.id)
        do throws(CTAPError) {
            let wantsPRF = try PRFExtensionInput(request.extensions) != nil && canEvaluate
            let protects = information.extensions.contains(ExtensionIdentifier.credProtect)
            return Draft(
                request: request, algorithm: algorithm,
                protection: protects ? try CredentialProtection(request.extensions) : nil, wantsPRF: wantsPRF,
                hmacSecret: wantsPRF)
        } catch {
            throw CTAPFailure(error)
        }
    }

    /// The beginning of a name, as much as every key takes: whole characters, ``maxNameByteCount``. Keys cut the rest
    /// themselves, or refuse it (CTAP 2.2 section 6.1.2).
    private static func cut(_ name: String) -> String {
        var kept = ""
        for character in name {
            guard kept.utf8.count + character.utf8.count <= maxNameByteCount else { break }
            kept.append(character)
        }
        return kept
    }

    /// Holds the key's answer against the request.
    private func check(
        _ response: MakeCredentialResponse, _ request: MakeCredentialRequest, _ algorithm: COSEAlgorithm,
        isVerified: Bool
    ) throws(CTAPFailure) -> AuthenticatorData {
        let data = try check(response.authenticatorData, rpID: request.rp.id, isVerified: isVerified)
        guard let credential = data.attestedCredential, !credential.credentialID.isEmpty else {
            throw refusal(for: .fault("a registration without a credential"))
        }
        guard credential.publicKey.algorithm == algorithm else {
            throw refusal(for: .fault("a credential of another algorithm"))
        }
        return data
    }

    /// Holds authenticator data of the key's against the request.
    func check(
        _ bytes: [UInt8], rpID: String, isPresent: Bool = true, isVerified: Bool
    ) throws(CTAPFailure) -> AuthenticatorData {
        let data: AuthenticatorData
        do throws(CTAPError) {
            data = try AuthenticatorData(decoding: bytes.span)
        } catch {
            throw refusal(for: .fault(error.reason))
        }
        guard data.rpIDHash == SHA256.hash(rpID.utf8.span) else { throw refusal(for: .fault("it is for another site")) }
        guard !isPresent || data.flags.contains(.userPresent) else {
            throw refusal(for: .fault("it says that nobody touched it"))
        }
        guard !isVerified || data.flags.contains(.userVerified) else {
            throw refusal(for: .fault("it says that the user was not verified"))
        }
        return data
    }
}
