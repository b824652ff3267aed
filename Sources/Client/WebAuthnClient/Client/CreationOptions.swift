internal import CTAP
internal import Cryptography
internal import Encodings

/// A site's options for a new passkey. Source: WebAuthn Level 3 section 5.1.9,
/// `PublicKeyCredentialCreationOptionsJSON`.
struct CreationOptions: Sendable {
    let relyingPartyID: String?
    let challenge: [UInt8]
    let timeout: Duration
    private let relyingPartyName: String
    private let user: PublicKeyCredentialUserEntity
    private let algorithms: [COSEAlgorithm]
    private let exclude: [PublicKeyCredentialDescriptor]
    private let residentKey: ResidentKey
    private let userVerification: RelyingParty.UserVerification
    private let conveyance: RelyingParty.AttestationConveyance
    private let attestationFormats: [String]
    private let extensions: CreationExtensions

    /// The requirement for a discoverable credential. Source: WebAuthn Level 3 section 5.4.6.
    private enum ResidentKey: String {
        case discouraged
        case preferred
        case required
    }

    /// The algorithms of a site that names none. Source: WebAuthn Level 3 section 5.1.3 step 10.
    private static let standardAlgorithms: [COSEAlgorithm] = [.es256, .rs256]
    private static let platform = "platform"
    /// The conveyance without a statement. Any other passes the statement on; enterprise attestation is not asked for.
    private static let noAttestation = "none"

    /// Reads options.
    ///
    /// - Throws: `TypeError`, `EncodingError`, `NotSupportedError`, `NotAllowedError`.
    init(_ json: String) throws(WebAuthnClientError) {
        let options = try OptionsObject(parsing: json)
        let rp = try options.required("rp", options.object)
        relyingPartyID = try rp.string("id")
        relyingPartyName = try rp.required("name", rp.string)
        user = try Self.user(options.required("user", options.object))
        challenge = try options.required("challenge", options.bytes)
        algorithms = try Self.algorithms(options.required("pubKeyCredParams", options.objects))
        timeout = try options.timeout()
        exclude = try options.descriptors("excludeCredentials")
        let selection = try options.object("authenticatorSelection")
        guard try selection?.string("authenticatorAttachment") != Self.platform else {
            throw WebAuthnClientError(
                .notAllowed, reason: "the site wants the authenticator of the machine that the page is on")
        }
        let requires = try selection?.bool("requireResidentKey") ?? false
        residentKey = try selection?.word("residentKey") ?? (requires ? .required : .discouraged)
        userVerification = try selection?.userVerification() ?? .preferred
        conveyance = try options.string("attestation") ?? Self.noAttestation == Self.noAttestation ? .none : .direct
        attestationFormats = try options.strings("attestationFormats")
        extensions = try CreationExtensions(options.object("extensions"))
    }

    private static func user(_ object: OptionsObject) throws(WebAuthnClientError) -> PublicKeyCredentialUserEntity {
        let id = try object.required("id", object.bytes)
        guard (1...PublicKeyCredentialUserEntity.maxIDByteCount).contains(id.count) else {
            throw WebAuthnClientError(
                .type, reason: "user.id needs 1 to \(PublicKeyCredentialUserEntity.maxIDByteCount) bytes")
        }
        return PublicKeyCredentialUserEntity(
            id: id, name: try object.required("name", object.string),
            displayName: try object.required("displayName", object.string))
    }

    private static func algorithms(_ list: [OptionsObject]) throws(WebAuthnClientError) -> [COSEAlgorithm] {
        guard !list.isEmpty else { return standardAlgorithms }
        var algorithms: [COSEAlgorithm] = []
        for entry in list {
            let algorithm = COSEAlgorithm(rawValue: try entry.required("alg", entry.integer))
            guard try entry.required("type", entry.string) == PublicKeyCredentialDescriptor.publicKey else { continue }
            algorithms.append(algorithm)
        }
        guard !algorithms.isEmpty else {
            throw WebAuthnClientError(.notSupported, reason: "pubKeyCredParams has no entry of type public-key")
        }
        return algorithms
    }

    /// The request for an authenticator.
    ///
    /// - Throws: `ConstraintError`, `NotAllowedError` for a requirement that the authenticator cannot meet.
    func request(
        _ id: String, clientDataHash: [UInt8], _ info: GetInfoResponse
    ) throws(WebAuthnClientError) -> MakeCredentialRequest {
        let canKeep = info.options["rk"] == true
        guard canKeep || residentKey != .required else {
            throw WebAuthnClientError(
                .constraint, reason: "the site requires a discoverable passkey, and the authenticator keeps none")
        }
        let keeps = canKeep && residentKey != .discouraged
        return MakeCredentialRequest(
            clientDataHash: clientDataHash, rp: .init(id: id, name: relyingPartyName), user: user,
            parameters: algorithms.map { .init(algorithm: $0) }, excludeList: exclude,
            extensions: try extensions.inputs(info, keeps: keeps),
            options: .init(
                residentKey: keeps ? true : nil, userVerification: try userVerification.option(info, creates: true)),
            attestationFormatsPreference:
                conveyance == .none || info.attestationFormats.isEmpty ? [] : attestationFormats)
    }

    /// The response to a page.
    ///
    /// - Throws: `UnknownError` for an answer that does not fit the request.
    func response(
        _ answer: MakeCredentialResponse, to request: MakeCredentialRequest, _ clientData: ClientDataAndHash,
        _ info: GetInfoResponse
    ) throws(WebAuthnClientError) -> RegistrationResponseJSON {
        let data = try AuthenticatorData(
            answer.authenticatorData, for: request.rp.id, userVerification: userVerification)
        guard let made = data.attestedCredential,
            request.parameters.contains(where: { $0.algorithm == made.publicKey.algorithm })
        else {
            throw WebAuthnClientError(
                .unknown, reason: "the answer holds no new passkey of an algorithm that was asked for")
        }
        let object = conveyance == .none ? answer.attestationObject.withoutAttestation : answer.attestationObject
        return RegistrationResponseJSON(
            id: made.credentialID, clientDataJSON: clientData.json, object,
            transports: info.transports.isEmpty ? Transports.standard : Transports.normalized(info.transports),
            subjectPublicKeyInfo: (try? PublicKey(made.publicKey))?.subjectPublicKeyInfo, made.publicKey.algorithm,
            extensions: extensions.results(answer, data, request))
    }
}

extension AuthenticatorData {
    /// Authenticator data that a client passes on: of the RP ID that it asked for, with the user present and, if that
    /// is required, verified.
    ///
    /// - Throws: `UnknownError`.
    init(
        _ bytes: [UInt8], for relyingPartyID: String, userVerification: RelyingParty.UserVerification
    ) throws(WebAuthnClientError) {
        self = try reading { () throws(CTAPError) in try AuthenticatorData(decoding: bytes.span) }
        guard rpIDHash == SHA256.hash(relyingPartyID.utf8.span) else {
            throw WebAuthnClientError(.unknown, reason: "the answer is for another RP ID")
        }
        guard flags.contains(userVerification == .required ? [.userPresent, .userVerified] : .userPresent) else {
            throw WebAuthnClientError(
                .unknown, reason: "the answer does not say that the user was there, and verified if that was required")
        }
    }
}
