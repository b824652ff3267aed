@_exported public import CTAP
@_exported public import Encodings
@_exported public import HybridProtocol
@_exported public import HybridTransport

/// A failure of a client's ceremony. Its code is the name of the exception that a page would see.
public typealias WebAuthnClientError = CodedError<WebAuthnExceptionName>

/// Name of a DOM exception, or of JavaScript's `TypeError`. Source: WebAuthn Level 3 sections 5.1.3 and 5.1.4; Web IDL
/// section 2.8.1.
public struct WebAuthnExceptionName: ErrorCode {
    /// The name, such as `NotAllowedError`.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The ceremony was cancelled by its caller.
    public static let abort = Self(rawValue: "AbortError")
    /// The authenticator cannot meet a requirement of the site for a new passkey: to keep it, or to verify the user.
    public static let constraint = Self(rawValue: "ConstraintError")
    /// A text of the options is not base64url.
    public static let encoding = Self(rawValue: "EncodingError")
    /// The authenticator has one of the passkeys that are excluded.
    public static let invalidState = Self(rawValue: "InvalidStateError")
    /// The user, the authenticator or the time decided against it; a page is told no more.
    public static let notAllowed = Self(rawValue: "NotAllowedError")
    /// No algorithm that will do, or an extension's input that this ceremony has not.
    public static let notSupported = Self(rawValue: "NotSupportedError")
    /// The page may not ask in the name of this RP ID.
    public static let security = Self(rawValue: "SecurityError")
    /// A name in the options does not have the form of one.
    public static let syntax = Self(rawValue: "SyntaxError")
    /// The options do not have the form of such options.
    public static let type = Self(rawValue: "TypeError")
    /// The authenticator's answer is none to this request.
    public static let unknown = Self(rawValue: "UnknownError")

    /// The name that a page would see of any error that a client or its authenticator throws.
    public init(of error: any Error) {
        self =
            switch error {
            case let error as WebAuthnClientError: error.code
            case is CancellationError: .abort
            case let error as HybridTransportError where error.code == .cancelled: .abort
            default: .notAllowed
            }
    }

    /// The name for an authenticator's refusal. Source: WebAuthn Level 3 section 5.1.3 step 22: of all refusals a page
    /// learns of one.
    init(_ status: CTAPStatus) { self = status == .credentialExcluded ? .invalidState : .notAllowed }
}
