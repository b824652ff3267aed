/// Why a directory of vectors could not be read, or a case in it not be understood.
///
/// A case that is understood and does not hold is no error: it is a failure in the ``VectorReport``. Two errors are equal
/// if their codes are: ``reason`` is for people.
public struct ConformanceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, for people: lower case, one line, with the file or the case.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension ConformanceError.Code {
    /// A directory or a file that cannot be read, or is larger than any file of vectors.
    public static let unreadable = Self(rawValue: "unreadable")
    /// A directory without vectors.
    public static let noVectors = Self(rawValue: "no-vectors")
    /// A file that is not JSON of the shape that vectors have.
    public static let malformedFile = Self(rawValue: "malformed-file")
    /// A case whose parts do not fit together: no failure kind, an input of another type, an identifier used twice.
    public static let malformedCase = Self(rawValue: "malformed-case")
    /// A layer that is not known here.
    public static let unknownLayer = Self(rawValue: "unknown-layer")
    /// An operation that is not known here, or belongs to another layer.
    public static let unknownOperation = Self(rawValue: "unknown-operation")
    /// An index that says something else than the files.
    public static let indexMismatch = Self(rawValue: "index-mismatch")
    /// A case that comes out differently than whoever wrote it down says.
    public static let unexpectedOutcome = Self(rawValue: "unexpected-outcome")
}
