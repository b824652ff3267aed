package import CTAP

/// Event in a phone's security key, for logs. None has a secret, but sites are private; their names come from programs,
/// and may hold control characters.
package enum PhoneKeyEvent: Sendable, Hashable {
    /// Extensions of a request were left out: phones do not have them.
    case extensionsDropped([String])
    /// A request was answered by what the phone had answered the probe before it.
    case answeredFromProbe(rpID: String)
    /// A probe was answered without the phone, by the list of passkeys that were used here.
    case answeredProbe(rpID: String)
    /// No linked phone answered; a QR code is shown.
    case noLinkAnswered(reason: String)
    /// The list of passkeys that were used here cannot be read or changed.
    case listFailed(reason: String)
    /// A request was answered. The command is nil if it was none that exists; the reason says why it was refused.
    case answered(command: CTAPCommand?, status: CTAPStatus, reason: String?)
}
