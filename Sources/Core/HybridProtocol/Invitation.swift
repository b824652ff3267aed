public import Cryptography

/// Contents of a QR code: the client's key, the secret, and the kind of the coming request (HT-QR-11).
///
/// An authenticator gets one by reading `FIDO:/…`. It holds a secret, so it cannot be copied: with it anybody could
/// answer the client in the user's place.
public struct Invitation: ~Copyable, Sendable {
    /// The client's static public key (key 0; HT-QR-20).
    public let clientPublicKey: P256.PublicKey
    let secret: SecretBytes
    /// The fields that are neither secret nor keys.
    public let details: Details
    /// The scheme of the code, and with it the kind of session that the code leads to.
    let scheme: InvitationScheme

    /// The length of the QR secret: 16 bytes (HT-QR-21).
    public static let secretByteCount = 16
    /// The first characters of every invitation's text. Written in upper case (HT-QR-1); read in either (HT-QR-3).
    public static let urlPrefix = "FIDO:/"

    /// The fields of an invitation that are neither secret nor keys.
    public struct Details: Sendable, Equatable {
        /// The number of assigned tunnel domains that the client knows (key 2; HT-QR-28), whatever it is (HT-QR-30);
        /// nil where it does not say (HT-QR-29).
        public let knownDomainCount: UInt64?
        /// The time at which the code was made (key 3; HT-QR-32), in seconds since 1970; nil where it does not say
        /// (HT-QR-33).
        public let timestamp: UInt64?
        /// True if the client can be linked (key 4; HT-QR-37); nil where it does not say (HT-QR-36).
        public let supportsLinking: Bool?
        /// The kind of the coming request (key 5; HT-QR-39).
        public let hint: RequestHint
        /// The channels it offers (key 6; HT-QR-46), of those that are known, in the order of their numbers.
        public let channels: [ChannelIdentifier]

        /// Makes details.
        ///
        /// - Parameters:
        ///   - knownDomainCount: the number of assigned tunnel domains that the client knows.
        ///   - timestamp: seconds since 1970.
        ///   - supportsLinking: always to be stated by a client, since old authenticators take silence for revision 0
        ///     (HT-QR-35).
        ///   - hint: the kind of the coming request.
        ///   - channels: the channels it offers; key 6 is left out for WebSocket alone.
        public init(
            knownDomainCount: UInt64? = UInt64(TunnelDomain.assignedCount),
            timestamp: UInt64?,
            supportsLinking: Bool? = false,
            hint: RequestHint,
            channels: [ChannelIdentifier] = [.webSocket]
        ) {
            self.knownDomainCount = knownDomainCount
            self.timestamp = timestamp
            self.supportsLinking = supportsLinking
            self.hint = hint
            self.channels = Set(channels).sorted()
        }
    }

    /// Makes an invitation from its parts.
    ///
    /// - Parameters:
    ///   - clientPublicKey: the client's static public key.
    ///   - secret: 16 bytes.
    ///   - details: the rest.
    /// - Throws: `wrongLength` for the secret.
    public init(
        clientPublicKey: P256.PublicKey,
        secret: consuming SecretBytes,
        details: Details
    ) throws(HybridProtocolError) {
        try self.init(clientPublicKey: clientPublicKey, secret: secret, details: details, of: .fido)
    }

    init(
        clientPublicKey: P256.PublicKey, secret: consuming SecretBytes, details: Details,
        of scheme: InvitationScheme
    ) throws(HybridProtocolError) {
        guard secret.count == Self.secretByteCount else {
            throw HybridProtocolError(.wrongLength, reason: "a QR secret has \(Self.secretByteCount) bytes")
        }
        self.clientPublicKey = clientPublicKey
        self.secret = consume secret
        self.details = details
        self.scheme = scheme
    }

    private init(cloning other: borrowing Invitation) {
        clientPublicKey = other.clientPublicKey
        secret = other.secret.clone()
        details = other.details
        scheme = other.scheme
    }

    fileprivate func clone() -> Invitation { Invitation(cloning: self) }

    /// The name of the tunnel that both ends use (HT-KEY-5).
    ///
    /// - Throws: `cryptographyFailed`.
    public func tunnelID() throws(HybridProtocolError) -> TunnelID {
        let secret = sessionSecret()
        return try KeySchedule.tunnelID(from: secret.span)
    }

    /// The key of this session's advert (HT-KEY-4).
    ///
    /// - Throws: `cryptographyFailed`.
    public func advertKey() throws(HybridProtocolError) -> AdvertKey {
        let secret = sessionSecret()
        return try KeySchedule.advertKey(from: secret.span)
    }

    /// The secret that the session's keys come from.
    private func sessionSecret() -> SecretBytes { scheme.sessionSecret(of: secret) }

    /// The pre-shared key of the handshake that follows an advert (HT-KEY-6).
    func presharedKey(_ plaintext: AdvertPlaintext) -> SecretBytes {
        let secret = sessionSecret()
        return KeySchedule.derive(
            .presharedKey, from: secret.span, salt: plaintext.bytes.span, byteCount: presharedKeyByteCount)
    }
}

/// The length of a handshake's pre-shared key: 32 bytes.
let presharedKeyByteCount = 32

/// The client's own invitation: with the private key of its static key pair, for one session
/// (HT-QR-22).
public struct ClientInvitation: ~Copyable, Sendable {
    /// The contents of the QR code.
    public let invitation: Invitation
    let privateKey: P256.PrivateKey

    /// Makes an invitation for one session.
    ///
    /// - Parameters:
    ///   - privateKey: a new key pair.
    ///   - secret: 16 new random bytes.
    ///   - details: the rest.
    /// - Throws: `wrongLength` for the secret.
    public init(
        privateKey: consuming P256.PrivateKey,
        secret: consuming SecretBytes,
        details: Invitation.Details
    ) throws(HybridProtocolError) {
        try self.init(privateKey: privateKey, secret: secret, details: details, of: .fido)
    }

    /// Makes an invitation for one session of any scheme.
    package init(
        privateKey: consuming P256.PrivateKey, secret: consuming SecretBytes, details: Invitation.Details,
        of scheme: InvitationScheme
    ) throws(HybridProtocolError) {
        invitation = try Invitation(
            clientPublicKey: privateKey.publicKey, secret: secret, details: details, of: scheme)
        self.privateKey = privateKey
    }

    private init(cloning other: borrowing ClientInvitation) {
        invitation = other.invitation.clone()
        privateKey = other.privateKey.clone()
    }

    /// A second owner of the same invitation: for a handshake that may fail on one channel and be begun anew, with
    /// another ephemeral key, on the next.
    public func clone() -> ClientInvitation { ClientInvitation(cloning: self) }

    /// The verifier for linking data of the session with this invitation; nil if it offers no linking.
    func linkVerifier(domain: TunnelDomain) -> LinkVerifier? {
        guard invitation.details.supportsLinking == true else { return nil }
        return LinkVerifier(privateKey: privateKey.clone(), domain: domain)
    }
}

/// Kind of the coming request, so that the authenticator can prepare its screen (HT-QR-39): no limit
/// (HT-QR-43).
public enum RequestHint: String, Sendable, CaseIterable {
    /// Sign in with a passkey.
    case getAssertion = "ga"
    /// Make a passkey.
    case makeCredential = "mc"
    /// Present a digital credential.
    case digitalCredentialPresentation = "dcp"
    /// Be issued a digital credential.
    case digitalCredentialIssuance = "dci"
}

/// A way to carry a session's messages (CTAP 2.3; HT-QR-46).
public enum ChannelIdentifier: UInt64, Sendable, CaseIterable, Comparable {
    /// A WebSocket through a tunnel service: the only channel where key 6 is absent (HT-QR-47).
    case webSocket = 0
    /// An L2CAP channel over Bluetooth LE.
    case ble = 1

    /// In the order of their numbers.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
