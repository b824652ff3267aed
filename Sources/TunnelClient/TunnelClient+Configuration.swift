extension TunnelClient {
    /// Whom the client trusts, how long it waits, and how much it takes.
    public struct Configuration: Sendable {
        /// Whether the certificate authorities of this system are trusted.
        public var trustsSystemRoots = true
        /// Paths of PEM files with further certificate authorities to trust.
        public var additionalAuthorities: [String] = []
        /// Further certificate authorities to trust, each the text of a PEM file.
        public var additionalAuthorityTexts: [[UInt8]] = []
        /// How long a name look-up, a connection and its TLS handshake may take together, for each server.
        public var connectTimeout: Duration = .seconds(15)
        /// How long a server may take from the request to the end of its answer's head.
        public var upgradeTimeout: Duration = .seconds(15)
        /// After how long a silence the peer is pinged, and after how much more it is given up.
        ///
        /// A peer that lives answers the ping, so that a person may think for as long as they like. Fewer than 256
        /// bytes that do not complete a frame count as silence: a byte now and then keeps no tunnel open.
        public var idleTimeout: Duration = .seconds(30)
        /// How long the peer may take to answer a close before its connection is cut.
        public var closeTimeout: Duration = .seconds(2)
        /// The longest message in either direction, in bytes: 1…2^30; other values are brought into that range.
        ///
        /// 1 MiB is what the field's implementations take (PROTOCOL.md 5.4).
        public var maximumMessageSize = 1 << 20
        /// How many redirects are followed.
        public var maximumRedirects = 5
        /// Whether the `Origin` header is sent; some services ask for it, and none minds (PROTOCOL.md 5.1).
        public var sendsOrigin = true
        /// Whether `ws://` is allowed to servers on other machines. It always is to this one.
        public var allowsPlaintext = false

        /// The usual configuration.
        public init() {}
    }
}

extension TunnelClient.Configuration {
    private static let messageSizes = 1...(1 << 30)

    /// The longest message, brought into the range that the framing can carry.
    var messageLimit: Int {
        min(max(maximumMessageSize, Self.messageSizes.lowerBound), Self.messageSizes.upperBound)
    }
}
