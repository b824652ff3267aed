/// A passkey that a newer one of its account has taken the place of (CTAP 2.2 section 6.1.2 step 17), and that is kept
/// for a while: the client that had the newer one made need not be one that the user can trust.
public struct ReplacedCredential: Sendable {
    /// The time for which it is kept: 30 days, in seconds.
    public static let lifetime: Int64 = 30 * 24 * 60 * 60

    /// The passkey.
    public let credential: Credential
    /// Time of its replacement, in seconds since 1970.
    public let replaced: Int64

    /// Notes that a passkey was replaced.
    ///
    /// - Parameters:
    ///   - credential: the older passkey.
    ///   - replaced: the time, in seconds since 1970.
    package init(_ credential: Credential, at replaced: Int64) {
        self.credential = credential
        self.replaced = replaced
    }

    /// The time up to which it is kept, in seconds since 1970.
    public var keptUntil: Int64 {
        let (sum, overflow) = replaced.addingReportingOverflow(Self.lifetime)
        return overflow ? .max : sum
    }
}
