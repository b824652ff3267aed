public import CTAP
internal import Cryptography
internal import Encodings

/// A relying party of WebAuthn: it asks for passkeys and for proof of them, and verifies the responses.
///
///     let site = try RelyingParty(id: "example.com", name: "Example")
///     let registration = try site.beginRegistration(userName: "alice@example.com")
///     let answer = …                                   // registration.request, sent to an authenticator
///     let verified = try registration.verify(answer)   // keep verified.credential
///
/// Source: WebAuthn Level 3 sections 7.1 and 7.2. It is the page and the browser in one: it writes the client data too.
public struct RelyingParty: Sendable, Hashable {
    /// The relying party's requirement for user verification. Source: WebAuthn Level 3 section 5.8.6.
    public enum UserVerification: String, Sendable, Hashable, CaseIterable {
        /// An answer without it is refused.
        case required
        /// It is asked for, and an answer without it is taken.
        case preferred
        /// It is not asked for. Phones verify all the same (HT-CTAP-11).
        case discouraged
    }

    /// The relying party's preference for attestation. Source: WebAuthn Level 3
    /// section 5.4.7.
    public enum AttestationConveyance: String, Sendable, Hashable, CaseIterable {
        /// The attestation is not passed on.
        case none
        /// The attestation is passed on as the authenticator made it.
        case direct
    }

    /// The identifier: a domain name in lower case, or `localhost`.
    public let id: String
    /// The name that phones show.
    public let name: String
    /// The origin that the client data names.
    public let origin: String
    /// True if the origin is of another domain, and the relying party lists it as related.
    public let isRelatedOrigin: Bool
    /// The SHA-256 of the identifier, 32 bytes.
    let idHash: [UInt8]

    /// The length of a challenge that is drawn here: 32 bytes.
    public static let challengeByteCount = 32
    /// The lengths that a challenge from elsewhere may have: at least 16 bytes (WebAuthn Level 3 section 13.4.3).
    public static let challengeByteCounts = 16...1024
    /// The length of a user handle that is drawn here: 32 bytes.
    public static let userHandleByteCount = 32

    /// Makes a relying party whose origin is of its domain.
    ///
    /// - Parameters:
    ///   - id: a domain name in lower case; `localhost` and other names of one label are taken, addresses are not.
    ///   - name: the name that phones show; the identifier if nil.
    ///   - origin: `https://` and the identifier if nil. Otherwise its host is the identifier or below it, and its
    ///     scheme `https`, or `http` for `localhost`. Nothing is below a public suffix such as `co.uk`.
    ///   - suffixes: the list of public suffixes; this machine's if nil. It is looked at where the host is below the
    ///     identifier.
    /// - Throws: ``RelyingPartyError`` `invalid-rp-id`, `invalid-origin`, `no-suffix-list` or `library-failure`.
    public init(
        id: String, name: String? = nil, origin: String? = nil, suffixes: PublicSuffixList? = nil
    ) throws(RelyingPartyError) {
        let domain = try Self.domain(id)
        if let text = origin {
            let origin = try Origin(text)
            guard try origin.isWithin(domain, suffixes) else { throw origin.isForeign(to: domain) }
        }
        self.init(domain, name, origin, isRelated: false)
    }

    /// Makes a relying party, for an origin of its domain or one that it lists: asks for the list if need be.
    ///
    /// - Parameters:
    ///   - id: a domain name in lower case.
    ///   - name: the name that phones show; the identifier if nil.
    ///   - text: `https://` or, for `localhost` and below, `http://`; and a host that may be of another domain.
    ///   - suffixes: the list of public suffixes; this machine's if nil.
    ///   - related: gets the list.
    /// - Throws: ``RelyingPartyError``: `invalid-rp-id`, `invalid-origin`, `no-suffix-list`, `library-failure`,
    ///   `related-origins-unavailable`, `related-origins-content-type`, `related-origins-malformed`,
    ///   `related-origins-over-limit` or `origin-not-listed`.
    public init(
        id: String, name: String? = nil, origin text: String, suffixes: PublicSuffixList? = nil,
        related: some RelatedOriginsFetcher
    ) async throws(RelyingPartyError) {
        let domain = try Self.domain(id)
        let origin = try Origin(text)
        let isWithin = try await origin.check(domain, suffixes, related)
        self.init(domain, name, text, isRelated: !isWithin)
    }

    private init(
        _ domain: DomainName, _ name: String?, _ origin: String?, isRelated: Bool
    ) {
        id = domain.text
        self.name = name ?? domain.text
        self.origin = origin ?? Origin.standard(for: domain)
        isRelatedOrigin = isRelated
        idHash = SHA256.hash(domain.text.utf8.span)
    }

    /// Reads an RP ID.
    ///
    /// - Throws: ``RelyingPartyError`` `invalid-rp-id`.
    static func domain(_ id: String) throws(RelyingPartyError) -> DomainName {
        do throws(DomainName.Invalid) {
            return try DomainName(id)
        } catch {
            throw RelyingPartyError(
                .invalidRelyingPartyID, reason: "the relying party's identifier is a domain name: \(error.reason)")
        }
    }

    /// A new challenge, or the given one if its length is allowed.
    func challenge(_ given: [UInt8]?) throws(RelyingPartyError) -> [UInt8] {
        guard let given else { return randomBytes(count: Self.challengeByteCount) }
        guard Self.challengeByteCounts.contains(given.count) else {
            let range = Self.challengeByteCounts
            throw RelyingPartyError(
                .invalidChallenge, reason: "a challenge has \(range.lowerBound) to \(range.upperBound) bytes")
        }
        return given
    }

    /// Descriptors as they are sent: without transports, which some phones do not accept (HT-CTAP-24).
    static func descriptors(_ ids: [[UInt8]]) throws(RelyingPartyError) -> [PublicKeyCredentialDescriptor] {
        guard ids.allSatisfy({ (1...AttestedCredential.maxCredentialIDByteCount).contains($0.count) }) else {
            throw RelyingPartyError(
                .invalidCredentialID,
                reason: "a credential ID has 1 to \(AttestedCredential.maxCredentialIDByteCount) bytes")
        }
        return ids.map { PublicKeyCredentialDescriptor(id: $0) }
    }

}

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
        let salts = try CTAPError.rethrown(prf.salts(), as: { RelyingPartyError(.libraryFailure, from: $0) })
        return [.text(ExtensionIdentifier.prf): PRFExtensionInput(eval: salts).value]
    }
}

extension RelyingParty.UserVerification {
    /// The option `uv` of a request, which is left out where it is not wanted.
    fileprivate var option: Bool? { self == .discouraged ? nil : true }
}
