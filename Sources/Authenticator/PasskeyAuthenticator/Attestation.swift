internal import CTAP
internal import Cryptography
internal import Encodings

/// Attestation of a new credential: self attestation, or none.
///
/// Source: WebAuthn Level 3 sections 8.2 (packed, self attestation) and 8.7 (none).
enum Attestation {
    private enum Key {
        static let algorithm: CBORValue = "alg"
        static let signature: CBORValue = "sig"
    }

    /// The formats that there are here, the most wanted first.
    static let formats = [AttestationObject.packedFormat, AttestationObject.noneFormat]

    /// The answer for a new credential.
    static func make(
        for credential: Credential, request: MakeCredentialRequest, _ inputs: RegistrationInputs,
        approved: Approved
    ) throws(CTAPFailure) -> MakeCredentialResponse {
        do {
            let data = try AuthenticatorData(
                rpIDHash: SHA256.hash(request.rp.id.utf8.span),
                flags: .init(approved, credential), signCount: 0,
                attestedCredential: AttestedCredential(
                    aaguid: PasskeyAuthenticator.aaguid, credentialID: credential.id,
                    publicKey: credential.key.publicKey),
                extensions: signedOutputs(inputs)
            ).encoded()
            let format = format(for: request.attestationFormatsPreference)
            let statement: CBORMap =
                format == AttestationObject.packedFormat
                ? [
                    Key.algorithm: CBORValue(credential.key.algorithm.rawValue),
                    Key.signature: .bytes(try credential.key.sign(data + request.clientDataHash)),
                ] : [:]
            return MakeCredentialResponse(
                format: format, authenticatorData: data, attestationStatement: statement,
                unsignedExtensionOutputs: try unsignedOutputs(for: credential, inputs, approved))
        } catch {
            throw CTAPFailure(.other, "\(error)")
        }
    }

    private static func signedOutputs(_ inputs: RegistrationInputs) -> CBORMap? {
        var outputs = CBORMap()
        if let protection = inputs.protection { outputs[ExtensionIdentifier.credProtect] = protection.value }
        if inputs.hmacSecret { outputs[ExtensionIdentifier.hmacSecret] = true }
        return outputs.isEmpty ? nil : outputs
    }

    private static func unsignedOutputs(
        for credential: Credential, _ inputs: RegistrationInputs, _ approved: Approved
    ) throws -> CBORMap {
        var outputs = CBORMap()
        if let prf = inputs.prf {
            let results = try credential.results(of: prf, approved)
            outputs[ExtensionIdentifier.prf] = PRFExtensionOutput(enabled: true, results: results).value
        }
        if inputs.largeBlob != nil {
            outputs[ExtensionIdentifier.largeBlob] = LargeBlobExtension.Supported(true).value
        }
        return outputs
    }

    /// The first format of the relying party's that there is here; packed if it has no preference, or none that can be
    /// met (CTAP 2.2 section 6.1.2 step 19).
    private static func format(for preference: [String]) -> String {
        preference.first(where: formats.contains) ?? AttestationObject.packedFormat
    }
}
