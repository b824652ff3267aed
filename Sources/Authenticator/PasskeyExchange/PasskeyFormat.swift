package import PasskeyAuthenticator

/// A format in which passkeys are moved from one program to another.
package enum PasskeyFormat: String, Sendable, CaseIterable {
    /// Credential Exchange Format 1.0 of the FIDO Alliance, not encrypted.
    case cxf
    /// A file of KeePassXC's with one passkey, not encrypted.
    case keepassxcPasskey = "keepassxc-passkey"
    /// An export of Bitwarden's, not encrypted.
    case bitwarden
    /// A database of KeePass 2, KeePassXC or KeePassDX, encrypted (KDBX 4).
    case kdbx
    /// The XML of such a database, not encrypted.
    case keepassXML = "keepass-xml"
    /// An encrypted vault of this program's.
    case hybrid

    /// The formats that are not encrypted.
    package enum ClearText: Sendable {
        case cxf, keepassxcPasskey, bitwarden, keepassXML

        /// Reads the passkeys of a file.
        ///
        /// - Throws: ``PasskeyFormatError``.
        package func read(
            _ bytes: Span<UInt8>, _ take: (PasskeyRecord) -> Void
        ) throws(PasskeyFormatError) -> PasskeyFileCounts {
            switch self {
            case .cxf: try CXF.read(bytes, take)
            case .keepassxcPasskey: try KeePassXCPasskey.read(bytes, take)
            case .bitwarden: try Bitwarden.read(bytes, take)
            case .keepassXML: try KeePassXML.read(bytes, take)
            }
        }

        /// A file with passkeys.
        ///
        /// - Parameter time: the time of the export, in seconds since 1970.
        /// - Throws: ``PasskeyFormatError`` `library-failure`.
        package func encode(_ credentials: [Credential], at time: Int64) throws(PasskeyFormatError) -> PasskeyExport {
            switch self {
            case .cxf: try CXF.encode(credentials, at: time)
            case .keepassxcPasskey: try KeePassXCPasskey.encode(credentials)
            case .bitwarden: try Bitwarden.encode(credentials, at: time)
            case .keepassXML: try KeePassXML.encode(credentials, at: time)
            }
        }
    }

    /// The format without encryption; nil for one that is encrypted.
    package var clearText: ClearText? {
        switch self {
        case .cxf: .cxf
        case .keepassxcPasskey: .keepassxcPasskey
        case .bitwarden: .bitwarden
        case .keepassXML: .keepassXML
        case .kdbx, .hybrid: nil
        }
    }

    /// The largest file of any format: 256 MiB.
    package static let maxByteCount = CXF.maxByteCount
}
