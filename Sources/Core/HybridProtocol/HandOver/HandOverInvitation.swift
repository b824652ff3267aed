/// Contents of the QR code of a device that takes passkeys over (HT-HOV-1).
///
/// It has the fields of an ``Invitation``, and leads to a session of another kind, for which it is a type of its own.
public struct HandOverInvitation: ~Copyable, Sendable {
    package let invitation: Invitation

    /// The first characters of every such code's text: no scheme that any phone knows. Written in upper case, and read
    /// in either (HT-HOV-2).
    public static let urlPrefix = "HYBRID-HANDOVER:/"

    /// The fields that are neither secret nor keys. The hint and the offer of a link mean nothing here (HT-HOV-3).
    public var details: Invitation.Details { invitation.details }

    /// Reads the text of a QR code.
    ///
    /// - Parameter url: ``urlPrefix``, in either case, and digits.
    /// - Throws: `notFIDOURL` for another beginning; otherwise as ``Invitation/init(url:)``.
    public init(url: String) throws(HybridProtocolError) { invitation = try Invitation(url: url, for: .handOver) }

    /// Hands over the fields. The session stays one of this kind.
    package consuming func intoInvitation() -> Invitation { invitation }
}
