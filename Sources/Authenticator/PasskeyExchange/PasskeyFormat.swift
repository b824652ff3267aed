internal import Cryptography
@_exported public import Encodings
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

extension PasskeyFormat {
    /// The first bytes of a vault of this program's.
    private static let vaultMark = Array("hybrid passkey vault".utf8)
    private static let frontByteCount = 256

    /// The format that a file seems to have, by its first bytes or by the names in its outermost JSON object; nil for
    /// none. Only reading it tells whether it is so.
    package init?(recognising bytes: Span<UInt8>) {
        let front = (0..<min(bytes.count, Self.frontByteCount)).map { bytes[$0] }
        if front.indices.contains(where: { front.dropFirst($0).starts(with: Self.vaultMark) }) {
            self = .hybrid
            return
        }
        if front.starts(with: KDBX.signature) {
            self = .kdbx
            return
        }
        let root = "<\(KeePassXML.Element.root)".utf8
        if front.indices.contains(where: { front.dropFirst($0).starts(with: root) }) {
            self = .keepassXML
            return
        }
        var names = OutermostNames(bytes)
        var hasItems = false
        while let name = names.next() {
            switch name {
            case CXF.Name.accounts, CXF.Name.exporterRPID: self = .cxf
            case CXF.Name.items:
                // One account alone, unless a name that follows says that it is Bitwarden's.
                hasItems = true
                continue
            case Bitwarden.Name.encrypted, Bitwarden.Name.folders: self = .bitwarden
            case KeePassXCPasskey.Name.relyingParty, KeePassXCPasskey.Name.privateKey: self = .keepassxcPasskey
            default: continue
            }
            return
        }
        guard hasItems else { return nil }
        self = .cxf
    }
}

/// Failure to read or write a file of passkeys as a whole. A fault of one passkey is a ``PasskeyObstacle``.
package typealias PasskeyFormatError = CodedError<PasskeyFormatErrorCode>

/// Kind of error, as an open set of names.
package struct PasskeyFormatErrorCode: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file is not of the format, or not a whole one.
    package static let malformed = Self(rawValue: "malformed")
    /// The file is larger than any that is read, or has more items.
    package static let tooLarge = Self(rawValue: "too-large")
    /// The file has a version of the format that is not known here.
    package static let unknownVersion = Self(rawValue: "unknown-version")
    /// The file is encrypted for the program that wrote it.
    package static let encrypted = Self(rawValue: "encrypted")
    /// The file uses a cipher, or a derivation of keys, that is not known here.
    package static let unsupported = Self(rawValue: "unsupported")
    /// The file asks for more memory or time than is given to it.
    package static let costly = Self(rawValue: "costly")
    /// The passphrase does not open the file.
    package static let wrongPassphrase = Self(rawValue: "wrong-passphrase")
    /// A library that the file needs is not on this machine.
    package static let missingLibrary = Self(rawValue: "missing-library")
    /// libcrypto failed.
    package static let libraryFailure = Self(rawValue: "library-failure")
}

extension PasskeyFormatError {
    init(_ error: JSONError) {
        self.init(error.code == .tooLong || error.code == .tooMany ? .tooLarge : .malformed, from: error)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, from: error) }
}
