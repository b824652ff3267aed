@_exported public import Encodings

/// A directory of vectors that cannot be read, or a case in it that is not understood.
///
/// A case that is understood and does not hold is not an error: it is a failure in the ``VectorReport``.
package typealias VectorError = CodedError<VectorErrorCode>

/// The kind of error, as an open set of names.
package struct VectorErrorCode: ErrorCode {
    /// The name.
    package let rawValue: String

    /// Makes a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A directory or a file that cannot be read, or is larger than any file of vectors.
    package static let unreadable = Self(rawValue: "unreadable")
    /// A directory without vectors.
    package static let noVectors = Self(rawValue: "no-vectors")
    /// A file that is not JSON of the shape that vectors have.
    package static let malformedFile = Self(rawValue: "malformed-file")
    /// A case whose parts do not fit together: no failure kind, an input of another type, an identifier used twice.
    package static let malformedCase = Self(rawValue: "malformed-case")
    /// A layer that is not known here.
    package static let unknownLayer = Self(rawValue: "unknown-layer")
    /// An operation that is not known here, or belongs to another layer.
    package static let unknownOperation = Self(rawValue: "unknown-operation")
    /// An index that says something other than the files.
    package static let indexMismatch = Self(rawValue: "index-mismatch")
    /// A case whose outcome is not the one that was written down for it.
    package static let unexpectedOutcome = Self(rawValue: "unexpected-outcome")
}
