/// A format in which passkeys are moved from one program to another.
package enum PasskeyFormat: String, Sendable, CaseIterable {
    /// Credential Exchange Format 1.0 of the FIDO Alliance, not encrypted.
    case cxf
    /// A file of KeePassXC's with one passkey, not encrypted.
    case keepassxcPasskey = "keepassxc-passkey"
    /// An export of Bitwarden's, not encrypted.
    case bitwarden
    /// An encrypted vault of this program's.
    case hybrid
}
