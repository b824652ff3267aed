internal import Cryptography

/// Updates that an authenticator may send in a session (HT-LNK-1, HT-LNK-10, HT-STA-39).
enum UpdatePolicy: Sendable {
    /// None: the session is state-assisted.
    case none
    /// Only filler: the client's QR code did not offer linking.
    case filler
    /// A link too, to the client with this QR key.
    case linking(P256.PublicKey)
    /// Only filler: a link was offered already.
    case linked

    /// Checks that an update may be sent.
    ///
    /// - Throws: `unexpectedMessage`.
    func check() throws(HybridProtocolError) {
        if case .none = self {
            throw HybridProtocolError(.unexpectedMessage, reason: "an update in a state-assisted session")
        }
    }

    /// The client's QR key, if it may be offered a link.
    ///
    /// - Throws: `unexpectedMessage`, `linkingNotOffered`, `alreadyLinked`.
    func clientKey() throws(HybridProtocolError) -> P256.PublicKey {
        try check()
        switch self {
        case .linking(let clientKey): return clientKey
        case .linked: throw HybridProtocolError(.alreadyLinked, reason: "a second link in one session")
        case .none, .filler:
            throw HybridProtocolError(.linkingNotOffered, reason: "the client's QR code did not offer linking")
        }
    }
}
