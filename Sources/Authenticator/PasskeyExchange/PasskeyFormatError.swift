internal import Cryptography
internal import Encodings
@_exported public import Errors

/// Failure to read or write a file of passkeys as a whole. What is wrong with one passkey is a ``PasskeyObstacle``.
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
