/// Error of a module: a code for programs, a reason for users, and the place in our sources that made it.
///
/// Each module names its own, with the codes that it has: `CBORError` is `CodedError<CBORErrorCode>`. Two errors are
/// equal if their codes are.
public struct CodedError<Kind: ErrorCode>: Error, Sendable, Equatable, CustomStringConvertible {
    /// The codes of this kind of error.
    public typealias Code = Kind

    /// The kind of fault.
    public let code: Code
    /// The fault, for users: lower case, one line, without secrets and without contents of the input.
    public let reason: String
    /// The place that made the error, or the error that it comes from.
    public let place: SourcePlace

    /// Makes an error at the place that calls this.
    public init(_ code: Code, reason: String, fileID: StaticString = #fileID, line: Int = #line) {
        self.init(code, reason: reason, place: SourcePlace(fileID: fileID, line: line))
    }

    /// Makes an error that comes from another one, made at `place`.
    public init(_ code: Code, reason: String, place: SourcePlace) {
        self.code = code
        self.reason = reason
        self.place = place
    }

    /// Makes an error with the reason and the place of another one.
    public init<Other>(_ code: Code, from cause: CodedError<Other>) {
        self.init(code, reason: cause.reason, place: cause.place)
    }

    /// The same error, whose reason begins with its subject, such as the path of a file.
    package func naming(_ subject: String) -> Self { Self(code, reason: "\(subject): \(reason)", place: place) }

    /// True if both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

extension Error {
    /// A value, whose error is thrown as one of another kind, such as that of the module that calls.
    ///
    /// - Parameters:
    ///   - value: throws errors of this kind.
    ///   - other: makes the error of the other kind.
    package static func rethrown<Value: ~Copyable, Other: Error>(
        _ value: @autoclosure () throws(Self) -> Value, as other: (Self) -> Other
    ) throws(Other) -> Value {
        do throws(Self) { return try value() } catch { throw other(error) }
    }
}

/// Kind of fault: its raw value is its name for programs, in lower case with hyphens.
///
/// Codes of a public error are an open set: a structure with static members, to which a version may add.
public protocol ErrorCode: RawRepresentable<String>, Hashable, Sendable {}

/// Place in the sources of this project, for reports of faults.
public struct SourcePlace: Sendable, CustomStringConvertible {
    /// The module and the file, such as `Vault/VaultFile.swift`.
    public let fileID: StaticString
    /// The line.
    public let line: Int

    /// Makes the place of a call.
    public init(fileID: StaticString = #fileID, line: Int = #line) {
        self.fileID = fileID
        self.line = line
    }

    /// The file and the line, such as `Vault/VaultFile.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
