/// A refusal of bytes as reports or messages of CTAPHID, or of values as parts of one.
///
/// Two errors are equal if their codes are: ``reason`` is for people. The codes' names are the failure kinds of the
/// vectors.
package struct CTAPHIDError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Sendable {
        /// A payload of more than 7,609 bytes.
        case tooLong = "too-long"
        /// Fewer bytes than the smallest possible.
        case tooShort = "too-short"
        /// A value of fixed length has another length.
        case wrongLength = "wrong-length"
        /// A continuation packet that is not the next one.
        case wrongSequence = "wrong-sequence"
        /// A message that may not come from this side, or not at this time.
        case unexpectedMessage = "unexpected-message"
    }

    /// The kind of fault.
    package let code: Code
    /// The fault, for people: lower case, one line.
    package let reason: String

    init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// True if both errors have the same code.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code and the reason.
    package var description: String { "\(code.rawValue): \(reason)" }
}
