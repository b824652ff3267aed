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
    consuming func intoInvitation() -> ApplicationInvitation { invitation }
}
