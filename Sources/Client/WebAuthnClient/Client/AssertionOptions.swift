internal import CTAP
internal import Cryptography
internal import Encodings

/// A site's options for a sign-in. Source: WebAuthn Level 3 section 5.1.10,
/// `PublicKeyCredentialRequestOptionsJSON`.
struct AssertionOptions: Sendable {
    let relyingPartyID: String?
    let challenge: [UInt8]
    let timeout: Duration
    private let allow: [PublicKeyCredentialDescriptor]
    private let userVerification: RelyingParty.UserVerification
    private let extensions: AssertionExtensions

    /// Reads options.
    ///
    /// - Throws: `TypeError`, `EncodingError`, `NotSupportedError`, `SyntaxError`.
    init(_ json: String) throws(WebAuthnClientError) {
        let options = try OptionsObject(parsing: json)
        relyingPartyID = try options.string("rpId")
        challenge = try options.required("challenge", options.bytes)
        timeout = try options.timeout()
        allow = try options.descriptors("allowCredentials")
        userVerification = try options.userVerification()
        extensions = try AssertionExtensions(options.object("extensions"), allow: allow.map(\.id))
    }

    /// The secrets for hmac-secret, which are agreed on with a command of its own before the sign-in; nil where the
    /// extension is not used.
    func keyAgreement(_ info: GetInfoResponse, _ session: some WebAuthnSession) async throws -> ClientKeyAgreement? {
        guard extensions.needsHMACSecret(info) else { return nil }
        let request = ClientPINRequest(
            subcommand: ClientPINRequest.getKeyAgreement, pinUvAuthProtocol: KeyAgreement.pinUvAuthProtocol)
        let answer = try await session.payload(of: .clientPIN(request))
        return try ClientKeyAgreement(
            with: reading { () throws(CTAPError) in try KeyAgreementResponse(decoding: answer.span) })
    }

    /// The request for an authenticator.
    ///
    /// - Throws: `NotAllowedError` if it cannot verify its user and has to.
    func request(
        _ id: String, clientDataHash: [UInt8], _ info: GetInfoResponse, _ secrets: ClientKeyAgreement?
    ) throws(WebAuthnClientError) -> GetAssertionRequest {
        GetAssertionRequest(
            rpID: id, clientDataHash: clientDataHash, allowList: allow,
            extensions: try extensions.inputs(info, secrets, allow: allow.map(\.id)),
            options: .init(userVerification: try userVerification.option(info)))
    }

    /// The response to a page.
    ///
    /// - Throws: `UnknownError` for an answer that does not fit the request.
    func response(
        _ answer: GetAssertionResponse, to request: GetAssertionRequest, _ clientData: ClientDataAndHash,
        _ secrets: ClientKeyAgreement?
    ) throws(WebAuthnClientError) -> AuthenticationResponseJSON {
        let data = try AuthenticatorData(
            answer.authenticatorData, for: request.rpID, userVerification: userVerification)
        // An answer to one ID may leave it out (CTAP 2.2 section 6.2.2).
        let named = answer.credential?.id ?? (allow.count == 1 ? allow[0].id : nil)
        guard let id = named, allow.isEmpty || allow.contains(where: { $0.id == id }) else {
            throw WebAuthnClientError(.unknown, reason: "the answer is of no passkey that was asked for")
        }
        return AuthenticationResponseJSON(
            id: id, clientDataJSON: clientData.json, answer,
            extensions: try extensions.results(answer, data, secrets))
    }
}

/// The client's part of PIN/UV auth protocol two, for the salts of hmac-secret. Source: CTAP 2.2 sections 6.5.7 and
/// 12.7.
struct ClientKeyAgreement: Sendable {
    private let point: [UInt8]
    private let secrets: SharedSecrets

    /// Agrees on secrets with an authenticator.
    ///
    /// - Throws: `UnknownError` for a key that is none.
    init(with authenticator: KeyAgreementResponse) throws(WebAuthnClientError) {
        do {
            let key = try KeyAgreement()
            guard let other = authenticator.keyAgreement.keyAgreementPoint,
                let point = try key.publicKey().keyAgreementPoint
            else { throw Self.badKey }
            secrets = try key.secrets(with: other)
            self.point = point
        } catch {
            throw Self.badKey
        }
    }

    /// The extension's input for some salts.
    func input(_ salts: PRFValues) throws(WebAuthnClientError) -> CBORValue {
        do {
            let encrypted = try secrets.encrypt(salts.first + (salts.second ?? []))
            return try HMACSecretExtension.Input(
                keyAgreement: point, saltEnc: encrypted, saltAuth: secrets.authenticationCode(for: encrypted),
                pinUvAuthProtocol: KeyAgreement.pinUvAuthProtocol
            ).value()
        } catch {
            throw WebAuthnClientError(.unknown, reason: "the salts of hmac-secret cannot be encrypted: \(error)")
        }
    }

    /// The values of the function in an answer.
    func values(_ output: [UInt8]) throws(WebAuthnClientError) -> PRFValues {
        do {
            let decrypted = try secrets.decrypt(output)
            let bytes = decrypted.span.withUnsafeBufferPointer { [UInt8]($0) }
            let second = Array(bytes.dropFirst(PRFValues.byteCount))
            return try PRFValues(
                first: Array(bytes.prefix(PRFValues.byteCount)), second: second.isEmpty ? nil : second)
        } catch {
            throw WebAuthnClientError(.unknown, reason: "the output of hmac-secret is malformed")
        }
    }

    private static var badKey: WebAuthnClientError {
        WebAuthnClientError(.unknown, reason: "the authenticator's key for hmac-secret is not a point on P-256")
    }
}
