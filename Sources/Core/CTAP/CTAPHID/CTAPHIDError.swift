/// A refusal of bytes as reports or messages of CTAPHID, or of values as parts of one.
///
/// The codes' names are the failure kinds of the vectors.
package typealias CTAPHIDError = CodedError<CTAPHIDFault>

/// The kind of fault.
package enum CTAPHIDFault: String, ErrorCode {
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
