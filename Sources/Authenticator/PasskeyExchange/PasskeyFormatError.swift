internal import Cryptography
internal import Encodings

/// Failure to read or write a file of passkeys as a whole. What is wrong with one passkey is a ``PasskeyObstacle``.
///
/// Two errors are equal if their codes are: ``reason`` is for people.
package struct PasskeyFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of error, as an open set of names.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        package let rawValue: String

        /// Makes a code from its name.
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Kind of error.
    package let code: Code
    /// Description of the problem, for people: lower case, one line, nothing of the contents.
    package let reason: String

    /// Makes an error.
    package init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    package var description: String { "\(code.rawValue): \(reason)" }
}

extension PasskeyFormatError.Code {
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
        self.init(error.code == .tooLong || error.code == .tooMany ? .tooLarge : .malformed, reason: error.reason)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, reason: error.reason) }
}
