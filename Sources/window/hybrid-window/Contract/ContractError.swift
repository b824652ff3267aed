import Encodings

/// An error of the conversation with `hybrid`, which ends the program.
typealias ContractError = CodedError<ContractErrorCode>

/// The kind of an error of the conversation.
struct ContractErrorCode: ErrorCode {
    let rawValue: String

    /// A line is longer than ``LineReader/longestLine``.
    static let tooLong = Self(rawValue: "too-long")
    /// A line is not JSON, or not a line of the contract.
    static let malformed = Self(rawValue: "malformed")
    /// A line is of another version of the contract.
    static let unsupported = Self(rawValue: "unsupported")
    /// Standard input cannot be read, or standard output cannot be written.
    static let closed = Self(rawValue: "closed")
}
