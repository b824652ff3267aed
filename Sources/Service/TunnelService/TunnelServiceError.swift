@_exported public import Encodings
@_exported public import HybridProtocol

/// A reason for which a ``TunnelService`` could not start.
public typealias TunnelServiceError = CodedError<TunnelServiceErrorCode>

/// The kind of an error, as an open set of names.
public struct TunnelServiceErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another process listens on the port.
    public static let portInUse = Self(rawValue: "port-in-use")
    /// This process may not listen on the port: one below 1024, most often.
    public static let portNotPermitted = Self(rawValue: "port-not-permitted")
    /// The address cannot be listened on for another reason: it is not this machine's, for instance.
    public static let cannotListen = Self(rawValue: "cannot-listen")
    /// The admin address cannot be listened on.
    public static let cannotListenForAdmin = Self(rawValue: "cannot-listen-for-admin")
    /// The certificate chain or the private key cannot be read, or they do not belong together.
    public static let invalidCertificate = Self(rawValue: "invalid-certificate")
    /// Every user of the machine may read or write the file of the private key.
    public static let exposedKey = Self(rawValue: "exposed-key")
    /// Service without TLS was asked for on an address that other machines can reach.
    public static let plainNotAllowed = Self(rawValue: "plain-not-allowed")
    /// The admin address is one that other machines can reach, and was not said to be exposed.
    public static let exposedAdmin = Self(rawValue: "exposed-admin")
    /// Another process of this service has the same routing ID.
    public static let routingIDTaken = Self(rawValue: "routing-id-taken")
    /// The service wakes authenticators, and has no name under which they could register.
    public static let noHostName = Self(rawValue: "no-host-name")
    /// The service has other nodes, and no contact secret by which they could know each other.
    public static let noContactSecret = Self(rawValue: "no-contact-secret")
    /// A limit is zero or negative, or does not fit another one.
    public static let invalidLimits = Self(rawValue: "invalid-limits")
}
