internal import HybridProtocol

extension TunnelClient {
    /// Trust, time limits and sizes of a client.
    public struct Configuration: Sendable {
        /// True if the certificate authorities of this system are trusted.
        public var trustsSystemRoots = true
        /// Paths of PEM files with further certificate authorities to trust.
        public var additionalAuthorities: [String] = []
        /// Further certificate authorities to trust, each the text of a PEM file.
        public var additionalAuthorityTexts: [[UInt8]] = []
        /// The time limit of name look-up, connection and TLS handshake together, for each server.
        public var connectTimeout: Duration = .seconds(15)
        /// The time limit from the request to the end of the answer's head.
        public var upgradeTimeout: Duration = .seconds(15)
        /// The silence after which the peer is pinged, and the further silence after which it is given up.
        ///
        /// A peer that lives answers the ping, so that a user may think for as long as they like. Fewer than 256 bytes
        /// that do not complete a frame count as silence: a byte now and then does not keep a tunnel open.
        public var idleTimeout: Duration = .seconds(30)
        /// The time limit of the peer's answer to a close, after which its connection is cut.
        public var closeTimeout: Duration = .seconds(2)
        /// The longest message in either direction, in bytes: 1…2^30; other values are brought into that range.
        ///
        /// 1 MiB is what the field's implementations take (HT-TUN-75).
        public var maximumMessageSize = TunnelWebSocket.defaultMessageByteCount
        /// The most redirects that are followed (HT-TUN-37).
        public var maximumRedirects = 5
        /// True if the `Origin` header is sent; some services ask for it, and all take it (HT-TUN-9).
        public var sendsOrigin = true
        /// True if `ws://` is allowed to servers on other machines. It always is to this one.
        public var allowsPlaintext = false

        /// Gets the secrets of each TLS connection, as lines of an NSS key log; nil but in a laboratory.
        package var keyLog: (@Sendable ([UInt8]) -> Void)?

        /// The usual configuration.
        public init() {}
    }
}

extension TunnelClient.Configuration {
    /// The longest message, brought into the range that the framing can carry.
    var messageLimit: Int { min(max(maximumMessageSize, 1), TunnelWebSocket.maximumMessageByteCount) }
}
