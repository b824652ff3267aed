/// A failure to make a symbol or a picture of it.
///
/// Two errors are equal if their codes are: ``reason`` is for users and never quotes the contents.
public struct QRCodeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, as an open set of names.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name, in lower case with hyphens.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, for users: lower case, one line, without the contents.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension QRCodeError.Code {
    /// The contents do not fit version 40 at the level asked for.
    public static let tooLong = Self(rawValue: "too-long")
    /// There is nothing to encode.
    public static let empty = Self(rawValue: "empty")
    /// The minimum version is not one of 1…40.
    public static let invalidVersion = Self(rawValue: "invalid-version")
    /// The number of pixels a module is outside what the renderer draws.
    public static let invalidScale = Self(rawValue: "invalid-scale")
    /// There is too little memory to compress a picture.
    public static let outOfMemory = Self(rawValue: "out-of-memory")
}
