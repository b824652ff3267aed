package import Cryptography

/// Kind of session that a QR code leads to.
///
/// The two kinds differ in the text of the code, in every key, and in the prologue of the handshake: ends of different
/// kinds cannot hear each other's adverts, do not find each other's tunnels, and complete no handshake.
package enum InvitationPurpose: Sendable, Hashable, CaseIterable {
    /// Requests of a client to an authenticator.
    case requests
    /// Passkeys that are handed over from one vault to another (HT-HOV-1).
    case handOver

    /// The label of everything that belongs to a hand-over alone (HT-HOV-4, HT-HOV-5): 26 ASCII characters.
    static let label = Array("hybrid passkey hand-over 1".utf8)

    /// The first characters of the code's text.
    package var urlPrefix: String {
        switch self {
        case .requests: Invitation.urlPrefix
        case .handOver: HandOverInvitation.urlPrefix
        }
    }

    /// The code in words.
    package var name: String {
        switch self {
        case .requests: "hybrid QR code"
        case .handOver: "hand-over code"
        }
    }

    /// True if a text begins as the code does, in either case.
    package func isBeginning(of text: some StringProtocol) -> Bool {
        let prefix = urlPrefix.utf8
        return text.utf8.count >= prefix.count
            && zip(text.utf8, prefix).allSatisfy { $0 == $1 || $0 == $1 | ASCII.caseBit }
    }

    /// True if a text begins as a code of any kind does. Which one it is, its parser says.
    package static func isBeginning(ofAny text: some StringProtocol) -> Bool {
        allCases.contains { $0.isBeginning(of: text) }
    }

    /// The pattern of the handshake.
    var pattern: HandshakePattern {
        switch self {
        case .requests: .knPSK0
        case .handOver: .knPSK0(prologue: Self.label)
        }
    }

    /// The secret that the session's keys come from: the QR secret itself, or one that is derived from it.
    ///
    /// - Throws: `cryptographyFailed`.
    package func sessionSecret(of secret: borrowing SecretBytes) throws(HybridProtocolError) -> SecretBytes {
        switch self {
        case .requests: return secret.clone()
        case .handOver:
            do throws(CryptographyError) {
                return try HKDFSHA256.derive(
                    secret: secret.span, salt: Span(), info: Self.label.span, byteCount: Invitation.secretByteCount)
            } catch { throw HybridProtocolError(error) }
        }
    }
}
