public import CTAP
internal import Encodings

/// A sign-in that has been asked for. It takes one answer.
///
/// Source: WebAuthn Level 3 section 7.2.
public struct SignIn: ~Copyable, Sendable {
    /// The request for the authenticator.
    public let request: GetAssertionRequest
    /// The client data, JSON in UTF-8, of which the request carries the hash.
    public let clientDataJSON: [UInt8]
    /// The challenge.
    public var challenge: [UInt8] { clientData.challenge }

    private let site: RelyingParty
    private let clientData: ClientData
    private let userVerification: RelyingParty.UserVerification

    init(
        _ site: RelyingParty, _ clientData: ClientData, request: GetAssertionRequest, clientDataJSON: [UInt8],
        userVerification: RelyingParty.UserVerification
    ) {
        self.site = site
        self.clientData = clientData
        self.request = request
        self.clientDataJSON = clientDataJSON
        self.userVerification = userVerification
    }

    /// Verifies an authenticator's answer to ``request``.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - credential: finds a credential of this relying party by its ID.
    /// - Returns: the credential, to be kept as it is now, and the other results of the sign-in.
    /// - Throws: ``RelyingPartyError``, the code naming the check.
    public consuming func verify(
        _ response: GetAssertionResponse, credential: (_ id: [UInt8]) -> RegisteredCredential?
    ) throws(RelyingPartyError) -> VerifiedSignIn {
        let clientDataJSON = clientDataJSON
        return try verify(response, clientDataJSON: clientDataJSON, credential: credential)
    }

    /// Verifies the response that a page got, with the client data that its browser wrote.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - clientDataJSON: the client data.
    ///   - credential: finds a credential of this relying party by its ID.
    /// - Returns: the credential, to be kept as it is now, and the other results of the sign-in.
    /// - Throws: ``RelyingPartyError``, the code naming the check.
    public consuming func verify(
        _ response: GetAssertionResponse, clientDataJSON: [UInt8],
        credential: (_ id: [UInt8]) -> RegisteredCredential?
    ) throws(RelyingPartyError) -> VerifiedSignIn {
        let id = try credentialID(response)
        guard var known = credential(id), known.id == id else {
            throw RelyingPartyError(
                .unknownCredential, reason: "the answer is of a credential that is not registered with \(site.id)")
        }
        try checkUser(response, known)
        // Client data that we wrote ourselves need not be read.
        if clientDataJSON != self.clientDataJSON { try clientData.check(clientDataJSON) }
        let answer = try VerifiedAuthenticatorData(
            authenticatorData: response.authenticatorData, clientDataJSON: clientDataJSON, site, userVerification)
        guard answer.data.attestedCredential == nil else {
            throw RelyingPartyError(.malformedResponse, reason: "a sign-in came back with a new credential")
        }
        guard answer.data.flags.contains(.backupEligible) == known.isBackupEligible else {
            throw RelyingPartyError(
                .backupStateInconsistent, reason: "the credential's eligibility for backup changed, which it never does"
            )
        }
        guard try known.publicKey.verify(response.signature, of: answer.signedBytes) else {
            throw RelyingPartyError(.badSignature, reason: "the signature is not of this credential over this answer")
        }
        try Self.check(answer.data.signCount, after: known.signCount)
        known.signCount = answer.data.signCount
        known.isBackedUp = answer.data.flags.contains(.backupState)
        let isPRFAsked = request.extensions[ExtensionIdentifier.prf] != nil
        let prf = isPRFAsked ? PRFExtensionOutput(response.unsignedExtensionOutputs) : nil
        return VerifiedSignIn(
            credential: known, userVerified: answer.data.flags.contains(.userVerified),
            userSelected: response.userSelected ?? false, prf: prf?.results,
            response: AuthenticationResponseJSON(
                id: id, clientDataJSON: clientDataJSON, response, extensions: .prf(prf)))
    }

    /// The ID of the credential that was used, one of those allowed (HT-CTAP-27). It may be left out where only one was
    /// allowed (CTAP 2.2 section 6.2.2).
    private func credentialID(_ response: GetAssertionResponse) throws(RelyingPartyError) -> [UInt8] {
        let allowed = request.allowList
        guard response.userSelected != true || allowed.isEmpty else {
            throw RelyingPartyError(
                .unexpectedUserSelected, reason: "the answer says that the user chose among the credentials listed")
        }
        guard let named = response.credential else {
            guard let only = allowed.first, allowed.count == 1 else {
                throw RelyingPartyError(
                    .credentialNotNamed, reason: "the answer does not say which credential it is of")
            }
            return only.id
        }
        guard named.type == PublicKeyCredentialDescriptor.publicKey else {
            throw RelyingPartyError(.malformedResponse, reason: "the answer's credential is of another type")
        }
        guard allowed.isEmpty || allowed.contains(where: { $0.id == named.id }) else {
            throw RelyingPartyError(
                .credentialNotAllowed, reason: "the answer is of a credential that was not among those allowed")
        }
        return named.id
    }

    /// Checks the user handle. Without an allow list the answer must have one.
    private func checkUser(
        _ response: GetAssertionResponse, _ known: RegisteredCredential
    ) throws(RelyingPartyError) {
        guard let user = response.user else {
            guard !request.allowList.isEmpty else {
                throw RelyingPartyError(.userHandleMismatch, reason: "the answer does not say whose account it is of")
            }
            return
        }
        guard user.id == known.user.id else {
            throw RelyingPartyError(.userHandleMismatch, reason: "the answer is of another account than the credential")
        }
    }

    /// Zero before and after is an authenticator that does not count; otherwise each signature counts.
    static func check(_ count: UInt32, after last: UInt32) throws(RelyingPartyError) {
        guard count > last || (count == 0 && last == 0) else {
            throw RelyingPartyError(
                .counterWentBack,
                reason: "the signature counter is \(count) after \(last): there may be a copy of the credential")
        }
    }
}

/// A sign-in whose answer was verified.
public struct VerifiedSignIn: Sendable, Hashable {
    /// The credential as it must be kept from now on: with its new counter and backup state.
    public let credential: RegisteredCredential
    /// True if the authenticator verified the user.
    public let userVerified: Bool
    /// True if the user chose the credential on the authenticator.
    public let userSelected: Bool
    /// The values of the passkey's pseudo-random function, if they were asked for. They are not signed.
    public let prf: PRFValues?
    /// The answer as a page would send it to its server.
    public let response: AuthenticationResponseJSON
}
