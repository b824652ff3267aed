/// The scheme of a QR code, and with it the kind of session that the code leads to: requests of FIDO, or the messages
/// of an application that has a code of its own.
///
/// Two schemes differ in the text of the code, in every key, and in the prologue of the handshake: ends of different
/// schemes cannot hear each other's adverts, do not find each other's tunnels, and complete no handshake, even if
/// somebody gives both the same text or the same keys.
public struct InvitationScheme: Sendable, Hashable {
    /// The first characters of the code's text, in upper case. Read in either case.
    public let urlPrefix: String
    /// The code in words, for errors.
    public let codeName: String
    /// The bytes that keep the scheme's keys and handshakes apart from those of all others; nil for FIDO's.
    let label: [UInt8]?

    /// Names a scheme of an application.
    ///
    /// - Parameters:
    ///   - urlPrefix: the first characters of the code's text, such as `EXAMPLE-CHAT:/`: letters, digits, `-`, `:` and
    ///     `/`, which a QR code holds densely, and none that a phone's camera opens.
    ///   - label: the application and the version of its messages, such as `example chat 1`. No other application may
    ///     have it.
    ///   - codeName: the code in words, such as `chat code`.
    public init(urlPrefix: String, label: String, codeName: String) {
        self.init(urlPrefix: urlPrefix.uppercased(), codeName: codeName, label: Array(label.utf8))
    }

    private init(urlPrefix: String, codeName: String, label: [UInt8]?) {
        self.urlPrefix = urlPrefix
        self.codeName = codeName
        self.label = label
    }

    /// Requests of a client to an authenticator.
    package static let fido = Self(urlPrefix: Invitation.urlPrefix, codeName: "hybrid QR code", label: nil)

    /// True if a text begins as the code does, in either case.
    public func isBeginning(of text: some StringProtocol) -> Bool {
        let prefix = urlPrefix.utf8
        return text.utf8.count >= prefix.count
            && zip(text.utf8, prefix).allSatisfy { $0 == $1 || $0 == $1 | ASCII.caseBit }
    }

    /// The pattern of the handshake.
    var pattern: HandshakePattern { label.map { .knPSK0(prologue: $0) } ?? .knPSK0 }
}

extension HybridProtocolError {
    /// The error of a code that was read where one of another scheme is wanted.
    package static func otherPurpose(_ found: InvitationScheme, instead wanted: InvitationScheme) -> Self {
        Self(.otherPurpose, reason: "this is a \(found.codeName), and no \(wanted.codeName)")
    }
}

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
