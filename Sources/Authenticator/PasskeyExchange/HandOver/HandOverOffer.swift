internal import Cryptography
package import HybridProtocol

extension InvitationScheme {
    /// The scheme of a hand-over's code (PX-HOV-1, PX-HOV-4, PX-HOV-5): one that no phone knows.
    package static let handOver = InvitationScheme(
        urlPrefix: "HYBRID-HANDOVER:/", label: HandOverLabel.text, codeName: "hand-over code")

    /// True if a text begins as a code that this project's programs answer. Which one it is, its parser says.
    package static func isBeginning(ofAnyCode text: some StringProtocol) -> Bool {
        [fido, handOver].contains { $0.isBeginning(of: text) }
    }
}

/// The label of everything that belongs to a hand-over alone (PX-HOV-4).
enum HandOverLabel {
    /// 26 ASCII characters.
    static let text = "hybrid passkey hand-over 1"

    /// The bytes of the label, and those of a purpose behind it.
    static func bytes(_ purpose: String) -> [UInt8] { Array((text + purpose).utf8) }
}

/// Contents of the QR code of a device that takes passkeys over (PX-HOV-1).
///
/// A type of its own, so that no other code is answered by a hand-over, nor this one by anything else.
package struct HandOverInvitation: ~Copyable, Sendable {
    private let invitation: ApplicationInvitation

    /// The fields that are neither secret nor keys. The hint and the offer of a link mean nothing here (PX-HOV-3).
    package var details: Invitation.Details { invitation.details }

    /// Reads the text of a QR code.
    ///
    /// - Parameter url: `HYBRID-HANDOVER:/`, in either case (PX-HOV-2), and digits.
    /// - Throws: as ``ApplicationInvitation/init(url:scheme:)``.
    package init(url: String) throws(HybridProtocolError) {
        invitation = try ApplicationInvitation(url: url, scheme: .handOver)
    }

    /// Consumes it into an invitation of any application's.
    package consuming func intoInvitation() -> ApplicationInvitation { invitation }
}

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
    /// The passkeys, in the payload's order: at most ``maxCount``, and none where only those in transit are settled.
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

/// The number that the receiver shows, and that is typed at the sender, before passkeys are handed over: six digits
/// (PX-HOV-12).
///
/// It comes from the handshake hash, which names the session, and from one number of each side. The receiver has
/// committed itself to its number before it learns the sender's, and opens it when the sender has committed itself to
/// the digits that were typed. So neither somebody between the two, who has a session with each, nor somebody who
/// answers in the sender's place, has more than one attempt in a million, and none to search for.
package struct ComparisonCode: Sendable, Hashable {
    /// The digits, with zeros at the left.
    package let digits: String

    /// The number of digits.
    package static let digitCount = 6
    /// The length of each side's number: 32 bytes.
    package static let nonceByteCount = 32
    /// The length of a commitment: 32 bytes.
    package static let commitmentByteCount = SHA256.byteCount

    private static let codeInfo = HandOverLabel.bytes(" code")
    private static let commitmentLabel = HandOverLabel.bytes(" commitment")
    private static let typedLabel = HandOverLabel.bytes(" typed")
    private static let modulus: UInt64 = 1_000_000
    private static let derivedByteCount = 8

    /// Computes a code.
    ///
    /// - Parameters:
    ///   - handshakeHash: 32 bytes.
    ///   - receiver: the receiver's number, 32 bytes.
    ///   - sender: the sender's number, 32 bytes.
    package init(handshakeHash: [UInt8], receiver: [UInt8], sender: [UInt8]) {
        let salt = receiver + sender
        let derived = HKDFSHA256.derive(
            secret: handshakeHash.span, salt: salt.span, info: Self.codeInfo.span, byteCount: Self.derivedByteCount)
        let span = derived.span
        var number: UInt64 = 0
        for index in span.indices { number = number << 8 | UInt64(span[index]) }
        let digits = String(number % Self.modulus)
        self.digits = String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }

    /// The digits in two groups, for people: `123 456`.
    package var grouped: String { "\(digits.prefix(Self.digitCount / 2)) \(digits.suffix(Self.digitCount / 2))" }

    /// The receiver's commitment to its number (PX-HOV-11).
    ///
    /// - Parameters:
    ///   - nonce: the number, 32 bytes.
    ///   - handshakeHash: 32 bytes.
    /// - Returns: 32 bytes.
    package static func commitment(to nonce: [UInt8], handshakeHash: [UInt8]) -> [UInt8] {
        let session = commitmentLabel + handshakeHash
        return SHA256.hash(session.span, nonce.span)
    }

    /// The sender's commitment to the digits that were typed there (PX-HOV-27).
    ///
    /// - Parameters:
    ///   - digits: 6 ASCII digits.
    ///   - nonce: the number that opens it, 32 random bytes.
    ///   - handshakeHash: 32 bytes.
    /// - Returns: 32 bytes.
    package static func commitment(toDigits digits: String, nonce: [UInt8], handshakeHash: [UInt8]) -> [UInt8] {
        let session = typedLabel + handshakeHash
        let opened = Array(digits.utf8) + nonce
        return SHA256.hash(session.span, opened.span)
    }

    /// True if these digits are the code's. The time that it takes does not depend on them.
    package func matches(_ digits: String) -> Bool {
        let (own, typed) = (Array(self.digits.utf8), Array(digits.utf8))
        return constantTimeEquals(own.span, typed.span)
    }
}
