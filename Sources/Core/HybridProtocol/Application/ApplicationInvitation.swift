/// Contents of a QR code of an application's own scheme.
///
/// It has the fields of an ``Invitation``, and leads to a session of another kind, for which it is a type of its own.
/// The hint and the offer of a link mean nothing here.
public struct ApplicationInvitation: ~Copyable, Sendable {
    private let invitation: Invitation

    /// The fields that are neither secret nor keys.
    public var details: Invitation.Details { invitation.details }

    /// Reads the text of a QR code.
    ///
    /// - Parameters:
    ///   - url: the scheme's prefix, in either case, and digits.
    ///   - scheme: the application's.
    /// - Throws: `otherPurpose` for the text of a code of FIDO, `notFIDOURL` for another beginning; otherwise as
    ///   ``Invitation/init(url:)``.
    public init(url: String, scheme: InvitationScheme) throws(HybridProtocolError) {
        invitation = try Invitation(url: url, of: scheme)
    }

    /// Consumes it into the fields alone, which keep the scheme.
    package consuming func intoInvitation() -> Invitation { invitation }
}
