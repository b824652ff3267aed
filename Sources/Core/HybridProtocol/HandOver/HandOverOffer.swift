internal import Cryptography

/// Offer of a hand-over, by the sender's user.
public struct HandOverOffer: Sendable, Hashable {
    /// Mode of a hand-over: the sender keeps the passkeys or removes them.
    public enum Mode: UInt64, Sendable, CaseIterable {
        /// Both have them afterwards.
        case copy = 1
        /// The receiver alone has them afterwards.
        case move = 2
    }

    /// A passkey, as it is shown to the receiver's user.
    public struct Passkey: Sendable, Hashable {
        /// The relying party's identifier: 1 to 253 bytes.
        public let rpID: String
        /// The account's name: at most 256 bytes.
        public let userName: String?
        /// The user's name for display: at most 256 bytes.
        public let userDisplayName: String?

        /// Describes a passkey.
        public init(rpID: String, userName: String?, userDisplayName: String?) {
            self.rpID = rpID
            self.userName = userName
            self.userDisplayName = userDisplayName
        }
    }

    /// The mode: the sender keeps them or removes them.
    public let mode: Mode
    /// The passkeys, in the payload's order: at most ``maxCount``, and none where only what is in transit is settled.
    public let passkeys: [Passkey]
    /// The passkeys that are in transit to this receiver since an earlier session, by ``digest(of:)``.
    public let inTransit: [[UInt8]]

    /// The most passkeys of one hand-over: 100 (HT-HOV-14).
    public static let maxCount = 100
    /// The most passkeys in transit that are asked about: 1024.
    public static let maxInTransitCount = 1024
    /// The longest relying party identifier: 253 bytes, the longest domain name.
    public static let maxRPIDByteCount = 253
    /// The longest name of an account or a user: 256 bytes.
    public static let maxNameByteCount = 256
    /// The length of a passkey's digest: 32 bytes.
    public static let digestByteCount = SHA256.byteCount

    /// Makes an offer.
    public init(mode: Mode, passkeys: [Passkey], inTransit: [[UInt8]] = []) {
        self.mode = mode
        self.passkeys = passkeys
        self.inTransit = inTransit
    }

    /// The name of a passkey before it is handed over: a digest of its credential ID (HT-HOV-16).
    ///
    /// - Returns: 32 bytes.
    /// - Throws: `cryptographyFailed`.
    public static func digest(of credentialID: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        let label = InvitationPurpose.label + Array(" credential".utf8)
        do throws(CryptographyError) {
            return try SHA256.hash(label.span, credentialID.span)
        } catch { throw HybridProtocolError(error) }
    }
}
