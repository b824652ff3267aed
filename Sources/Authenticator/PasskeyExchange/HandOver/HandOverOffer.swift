internal import Cryptography

/// Offer of a hand-over, by the sender's user.
package struct HandOverOffer: Sendable, Hashable {
    /// Mode of a hand-over: the sender keeps the passkeys or removes them.
    package enum Mode: UInt64, Sendable, CaseIterable {
        /// Both have them afterwards.
        case copy = 1
        /// The receiver alone has them afterwards.
        case move = 2
    }

    /// A passkey, as it is shown to the receiver's user.
    package struct Passkey: Sendable, Hashable {
        /// The relying party's identifier: 1 to 253 bytes.
        package let rpID: String
        /// The account's name: at most 256 bytes.
        package let userName: String?
        /// The user's name for display: at most 256 bytes.
        package let userDisplayName: String?

        /// Describes a passkey.
        package init(rpID: String, userName: String?, userDisplayName: String?) {
            self.rpID = rpID
            self.userName = userName
            self.userDisplayName = userDisplayName
        }
    }

    /// The mode: the sender keeps them or removes them.
    package let mode: Mode
    /// The passkeys, in the payload's order: at most ``maxCount``, and none where only what is in transit is settled.
    package let passkeys: [Passkey]
    /// The passkeys that are in transit to this receiver since an earlier session, by ``digest(of:)``.
    package let inTransit: [[UInt8]]

    /// The most passkeys of one hand-over: 100 (PX-HOV-14).
    package static let maxCount = 100
    /// The most passkeys in transit that are asked about: 1024.
    package static let maxInTransitCount = 1024
    /// The longest relying party identifier: 253 bytes, the longest domain name.
    package static let maxRPIDByteCount = 253
    /// The longest name of an account or a user: 256 bytes.
    package static let maxNameByteCount = 256
    /// The length of a passkey's digest: 32 bytes.
    package static let digestByteCount = SHA256.byteCount

    /// Makes an offer.
    package init(mode: Mode, passkeys: [Passkey], inTransit: [[UInt8]] = []) {
        self.mode = mode
        self.passkeys = passkeys
        self.inTransit = inTransit
    }

    /// The name of a passkey before it is handed over: a digest of its credential ID (PX-HOV-16).
    ///
    /// - Returns: 32 bytes.
    package static func digest(of credentialID: [UInt8]) -> [UInt8] {
        let label = HandOverLabel.bytes(" credential")
        return SHA256.hash(label.span, credentialID.span)
    }
}
