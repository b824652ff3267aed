public import CTAP
internal import Encodings

/// A registration that has been asked for. It takes one answer.
///
/// Source: WebAuthn Level 3 section 7.1.
public struct Registration: ~Copyable, Sendable {
    /// The request for the authenticator.
    public let request: MakeCredentialRequest
    /// The client data, JSON in UTF-8, of which the request carries the hash.
    public let clientDataJSON: [UInt8]
    /// The challenge.
    public var challenge: [UInt8] { clientData.challenge }

    private let site: RelyingParty
    private let clientData: ClientData
    private let userVerification: RelyingParty.UserVerification
    private let attestation: RelyingParty.AttestationConveyance

    /// The shortest credential ID: 16 bytes (WebAuthn Level 3 section 4, "credential ID").
    private static let minCredentialIDByteCount = 16

    init(
        _ site: RelyingParty, _ clientData: ClientData, request: MakeCredentialRequest, clientDataJSON: [UInt8],
        userVerification: RelyingParty.UserVerification, attestation: RelyingParty.AttestationConveyance
    ) {
        self.site = site
        self.clientData = clientData
        self.request = request
        self.clientDataJSON = clientDataJSON
        self.userVerification = userVerification
        self.attestation = attestation
    }

    /// Verifies an authenticator's answer to ``request``.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - transports: those of the authenticator's getInfo; see ``RegisteredCredential/transports``.
    /// - Returns: the new credential, and the other results of the registration.
    /// - Throws: ``RelyingPartyError``, the code naming the check.
    public consuming func verify(
        _ response: MakeCredentialResponse, transports: [String] = Transports.standard
    ) throws(RelyingPartyError) -> VerifiedRegistration {
        let clientDataJSON = clientDataJSON
        let prf = asksForPRF ? PRFExtensionOutput(response.unsignedExtensionOutputs) : nil
        return try verify(response.attestationObject, clientDataJSON: clientDataJSON, transports: transports, prf: prf)
    }

    /// Verifies the response that a page got, with the client data that its browser wrote.
    ///
    /// - Parameters:
    ///   - object: the attestation object.
    ///   - clientDataJSON: the client data.
    ///   - transports: those that the page got.
    /// - Returns: the new credential, and the other results of the registration.
    /// - Throws: ``RelyingPartyError``, the code naming the check.
    public consuming func verify(
        _ object: AttestationObject, clientDataJSON: [UInt8], transports: [String] = Transports.standard
    ) throws(RelyingPartyError) -> VerifiedRegistration {
        try verify(object, clientDataJSON: clientDataJSON, transports: transports, prf: nil)
    }

    private var asksForPRF: Bool { request.extensions[ExtensionIdentifier.prf] != nil }

    private consuming func verify(
        _ object: AttestationObject, clientDataJSON: [UInt8], transports: [String], prf: PRFExtensionOutput?
    ) throws(RelyingPartyError) -> VerifiedRegistration {
        try clientData.check(clientDataJSON)
        let answer = try VerifiedAuthenticatorData(
            authenticatorData: object.authenticatorData, clientDataJSON: clientDataJSON, site, userVerification)
        let (made, publicKey) = try newCredential(in: answer.data)
        let evidence = try AttestationStatement(object, credential: made, publicKey)
            .verify(answer.signedBytes, asked: attestation)
        let credential = RegisteredCredential(
            id: made.credentialID, publicKey: publicKey, user: request.user, signCount: answer.data.signCount,
            aaguid: made.aaguid, isBackupEligible: answer.data.flags.contains(.backupEligible),
            isBackedUp: answer.data.flags.contains(.backupState), transports: Transports.normalized(transports))
        let passedOn = attestation == .none ? object.withoutAttestation : object
        return VerifiedRegistration(
            credential: credential, userVerified: answer.data.flags.contains(.userVerified), attestation: evidence,
            prf: prf,
            response: RegistrationResponseJSON(
                id: credential.id, clientDataJSON: clientDataJSON, passedOn, transports: credential.transports,
                subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo, publicKey.algorithm, extensions: .prf(prf)))
    }

    private func newCredential(
        in data: AuthenticatorData
    ) throws(RelyingPartyError) -> (AttestedCredential, PublicKey) {
        guard let made = data.attestedCredential else {
            throw RelyingPartyError(.missingCredential, reason: "the answer holds no new credential")
        }
        guard made.credentialID.count >= Self.minCredentialIDByteCount else {
            throw RelyingPartyError(
                .badCredentialID, reason: "a credential ID of \(made.credentialID.count) bytes can be guessed")
        }
        guard !request.excludeList.contains(where: { $0.id == made.credentialID }) else {
            throw RelyingPartyError(
                .alreadyRegistered, reason: "the authenticator made a credential that it was to have already")
        }
        guard request.parameters.contains(where: { $0.algorithm == made.publicKey.algorithm }) else {
            throw RelyingPartyError(
                .algorithmNotAsked, reason: "the new credential is for algorithm \(made.publicKey.algorithm.rawValue)")
        }
        return (made, try PublicKey(made.publicKey))
    }
}

/// A registration whose answer was verified.
public struct VerifiedRegistration: Sendable, Hashable {
    /// The credential record to keep.
    public let credential: RegisteredCredential
    /// True if the authenticator verified the user.
    public let userVerified: Bool
    /// The type of the attestation.
    public let attestation: AttestationType
    /// Output of the extension prf, if it was asked for. It is not signed.
    public let prf: PRFExtensionOutput?
    /// The answer as a page would send it to its server.
    public let response: RegistrationResponseJSON
}
