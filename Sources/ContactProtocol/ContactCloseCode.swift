/// The codes of a Close frame with which a service ends an authenticator's connection, besides those of RFC 6455.
///
/// They are of the range that anybody may define (RFC 6455 section 7.4.2).
public enum ContactCloseCode {
    /// The proof is wrong, or is for another host. Trying again without a change does not help.
    public static let wrongProof: UInt16 = 4401
    /// No registration came in time.
    public static let registrationTimeout: UInt16 = 4408
    /// Another connection has registered with the same key. To connect again would throw that one out.
    public static let replaced: UInt16 = 4409
    /// More messages or registrations than are allowed.
    public static let tooManyMessages: UInt16 = 4429
}
