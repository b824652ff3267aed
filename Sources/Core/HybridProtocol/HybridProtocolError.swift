@_exported public import Cryptography
@_exported public import Encodings

/// Violation of the protocol by bytes from the other side or by a step of ours.
///
/// The codes' names are the failure kinds of the vectors.
public typealias HybridProtocolError = CodedError<HybridProtocolErrorCode>

/// Kind of failure, as an open set of names.
public struct HybridProtocolErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text does not start with `FIDO:/`.
    public static let notFIDOURL = Self(rawValue: "not-fido-url")
    /// A QR code of another scheme, which leads to another kind of session.
    public static let otherPurpose = Self(rawValue: "other-purpose")
    /// A character that is not an ASCII digit.
    public static let nonDigit = Self(rawValue: "non-digit")
    /// A number of digits that no byte string encodes to.
    public static let digitCount = Self(rawValue: "digit-count")
    /// A group of digits whose value does not fit its bytes.
    public static let digitRange = Self(rawValue: "digit-range")
    /// More than the protocol can ever need.
    public static let tooLong = Self(rawValue: "too-long")
    /// Fewer bytes than the smallest possible.
    public static let tooShort = Self(rawValue: "too-short")
    /// A value of fixed length has another length.
    public static let wrongLength = Self(rawValue: "wrong-length")
    /// Not canonical CBOR, or bytes left over after it.
    public static let invalidCBOR = Self(rawValue: "invalid-cbor")
    /// CBOR, but not a map where a map must be.
    public static let notAMap = Self(rawValue: "not-a-map")
    /// A required key is absent.
    public static let missingField = Self(rawValue: "missing-field")
    /// A key is present with a value of another type.
    public static let wrongType = Self(rawValue: "wrong-type")
    /// Not a point on P-256 in the required form.
    public static let invalidPoint = Self(rawValue: "invalid-point")
    /// A tunnel domain number from 2 to 255.
    public static let unassignedDomain = Self(rawValue: "unassigned-domain")
    /// An authentication tag does not match.
    public static let badTag = Self(rawValue: "bad-tag")
    /// The first byte of an advert's plaintext is not zero.
    public static let reservedByte = Self(rawValue: "reserved-byte")
    /// The padding count is larger than the plaintext.
    public static let badPadding = Self(rawValue: "bad-padding")
    /// No bytes where at least one is needed.
    public static let empty = Self(rawValue: "empty")
    /// A direction has used up its 2^24 messages.
    public static let counterExhausted = Self(rawValue: "counter-exhausted")
    /// A message type other than 0 to 3.
    public static let unknownType = Self(rawValue: "unknown-type")
    /// A message that may not come from this side, or not at this time.
    public static let unexpectedMessage = Self(rawValue: "unexpected-message")
    /// A step in a session that has ended: by a shutdown, or by an error before.
    public static let sessionEnded = Self(rawValue: "session-ended")
    /// getInfo without the feature `ctap`, or the feature without getInfo.
    public static let featureMismatch = Self(rawValue: "feature-mismatch")
    /// A payload where none may be.
    public static let nonEmptyPayload = Self(rawValue: "non-empty-payload")
    /// Text that is not UTF-8.
    public static let invalidText = Self(rawValue: "invalid-text")
    /// Text that is not hexadecimal digits of the right number.
    public static let invalidHex = Self(rawValue: "invalid-hex")
    /// Text that is not base64url without padding, or not in its one form.
    public static let invalidBase64 = Self(rawValue: "invalid-base64")
    /// A linking map whose signature is not that of its key for this session.
    public static let badSignature = Self(rawValue: "bad-signature")
    /// Linking data in a session whose client did not offer to be linked, or that is state-assisted itself.
    public static let linkingNotOffered = Self(rawValue: "linking-not-offered")
    /// Linking data in a session that has brought a link before.
    public static let alreadyLinked = Self(rawValue: "already-linked")
    /// A hint that a state-assisted transaction cannot carry: neither `ga` nor `mc`.
    public static let unsupportedHint = Self(rawValue: "unsupported-hint")
    /// A stored link of an unsupported version.
    public static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// A key that may not be there.
    public static let unknownField = Self(rawValue: "unknown-field")
    /// A channel brought a message cut so often that its end could not be found at a bearable cost.
    public static let noEnd = Self(rawValue: "no-end")
    /// libcrypto failed: no fault of the peer.
    public static let cryptographyFailed = Self(rawValue: "cryptography-failed")
}

extension HybridProtocolError {
    /// The meaning of a failure of the cryptography, or of the handshake, to the protocol.
    package init(_ error: CryptographyError) {
        let code: Code =
            switch error.code {
            case .authenticationFailed: .badTag
            case .invalidPoint: .invalidPoint
            case .wrongLength: .wrongLength
            default: .cryptographyFailed
            }
        self.init(code, from: error)
    }

    /// The meaning of bad CBOR to the protocol.
    package init(_ error: CBORError, in what: StaticString) {
        self.init(.invalidCBOR, reason: "\(what): \(error.reason)", place: error.place)
    }
}
