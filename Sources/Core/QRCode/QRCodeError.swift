@_exported public import Encodings

/// A failure to make a symbol or a picture of it.
public typealias QRCodeError = CodedError<QRCodeErrorCode>

/// The kind of failure, as an open set of names.
public struct QRCodeErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The contents do not fit version 40 at the level asked for.
    public static let tooLong = Self(rawValue: "too-long")
    /// There is nothing to encode.
    public static let empty = Self(rawValue: "empty")
    /// The minimum version is not one of 1…40.
    public static let invalidVersion = Self(rawValue: "invalid-version")
    /// The number of pixels per module is outside the renderer's range.
    public static let invalidScale = Self(rawValue: "invalid-scale")
    /// There is too little memory to compress a picture.
    public static let outOfMemory = Self(rawValue: "out-of-memory")
}
