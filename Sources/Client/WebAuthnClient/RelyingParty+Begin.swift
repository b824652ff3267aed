public import CTAP
internal import Cryptography
internal import Encodings

extension RelyingParty {
    /// The algorithms that are verified here, the most wanted first.
    public static let algorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

    /// Asks for a new passkey.
    ///
    /// - Parameters:
    ///   - userName: the account's name, such as a login.
    ///   - displayName: the user's name; the account's name if nil.
    ///   - userID: the user handle, 1…64 bytes; 32 random bytes if nil.
    ///   - exclude: the IDs of credentials of which none may be on the authenticator already.
    ///   - discoverable: true if the authenticator has to find the credential without its ID.
    ///   - userVerification: the requirement for user verification.
    ///   - attestation: the preference for attestation.
    ///   - challenge: 16…1024 bytes of the caller's choice; 32 random bytes if nil.
    ///   - algorithms: those of ``algorithms`` that are accepted, the most wanted first.
    ///   - prf: inputs for the passkey's pseudo-random function; see ``VerifiedRegistration/prf``.
    /// - Throws: ``RelyingPartyError`` `invalid-user-handle`, `invalid-credential-id`, `invalid-challenge` or
    ///   `library-failure`.
    public func beginRegistration(
        userName: String, displayName: String? = nil, userID: [UInt8]? = nil, exclude: [[UInt8]] = [],
        discoverable: Bool = true, userVerification: UserVerification = .required,
        attestation: AttestationConveyance = .none, challenge: [UInt8]? = nil,
        algorithms: [COSEAlgorithm] = [.es256], prf: PRFInputs? = nil
    ) throws(RelyingPartyError) -> Registration {
        let handle = if let userID { userID } else { randomBytes(count: Self.userHandleByteCount) }
        guard (1...PublicKeyCredentialUserEntity.maxIDByteCount).contains(handle.count) else {
            throw RelyingPartyError(
                .invalidUserHandle,
                reason: "a user handle has 1 to \(PublicKeyCredentialUserEntity.maxIDByteCount) bytes")
        }
        let clientData = ClientData(ceremony: .create, challenge: try self.challenge(challenge), origin: origin)
        let clientDataJSON = clientData.encoded()
        let request = MakeCredentialRequest(
            clientDataHash: SHA256.hash(clientDataJSON.span), rp: .init(id: id, name: name),
            user: .init(id: handle, name: userName, displayName: displayName ?? userName),
            parameters: algorithms.map { .init(algorithm: $0) }, excludeList: try Self.descriptors(exclude),
            extensions: try Self.extensions(prf),
            options: .init(residentKey: discoverable, userVerification: userVerification.option))
        return Registration(
            self, clientData, request: request, clientDataJSON: clientDataJSON, userVerification: userVerification,
            attestation: attestation)
    }

    /// Asks for proof of a passkey.
    ///
    /// - Parameters:
    ///   - allow: the IDs of the credentials that are accepted; empty for any discoverable one.
    ///   - userVerification: the requirement for user verification.
    ///   - challenge: 16…1024 bytes of the caller's choice; 32 random bytes if nil.
    ///   - prf: inputs for the passkey's pseudo-random function; see ``VerifiedSignIn/prf``.
    /// - Throws: ``RelyingPartyError`` `invalid-credential-id`, `invalid-challenge` or `library-failure`.
    public func beginSignIn(
        allow: [[UInt8]] = [], userVerification: UserVerification = .required, challenge: [UInt8]? = nil,
        prf: PRFInputs? = nil
    ) throws(RelyingPartyError) -> SignIn {
        let clientData = ClientData(ceremony: .get, challenge: try self.challenge(challenge), origin: origin)
        let clientDataJSON = clientData.encoded()
        let request = GetAssertionRequest(
            rpID: id, clientDataHash: SHA256.hash(clientDataJSON.span), allowList: try Self.descriptors(allow),
            extensions: try Self.extensions(prf), options: .init(userVerification: userVerification.option))
        return SignIn(
            self, clientData, request: request, clientDataJSON: clientDataJSON, userVerification: userVerification)
    }

    private static func extensions(_ prf: PRFInputs?) throws(RelyingPartyError) -> CBORMap {
        guard let prf else { return [:] }
        return [.text(ExtensionIdentifier.prf): try prf.extensionInput().value]
    }
}

extension RelyingParty.UserVerification {
    /// The option `uv` of a request, which is left out where it is not wanted.
    fileprivate var option: Bool? { self == .discouraged ? nil : true }
}
