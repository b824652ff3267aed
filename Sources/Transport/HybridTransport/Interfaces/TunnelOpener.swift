public import HybridProtocol

/// An opener of WebSocket data channels at a tunnel service.
///
/// Source: CTAP 2.3 section 11.5.1.1.1; the article TunnelServiceProtocol of HybridProtocol.
public protocol TunnelOpener: Sendable {
    /// Opens a tunnel.
    ///
    /// - Parameters:
    ///   - url: `wss://…`, or `ws://…` on this machine, with the whole path.
    ///   - contact: the headers for an authenticator to wake; nil where none is.
    /// - Returns: the open channel, and the service's headers.
    /// - Throws: ``DataChannelError``; `gone`, `unavailable` and `tooManyRequests` for the answers that matter to a
    ///   link (HT-STA-8, HT-STA-9). Cancelling the task ends the attempt and leaves no connection.
    func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel

    /// Opens a connection to the server of this URL and to no other: a redirect is refused.
    ///
    /// An authenticator registers with it: its proof is for the name that it has asked. An opener that follows no
    /// redirects needs no implementation of its own.
    ///
    /// - Parameter url: as for ``open(_:contact:)``.
    /// - Throws: ``DataChannelError``; `redirectRefused` for a redirect.
    func openWithoutRedirects(_ url: String) async throws(DataChannelError) -> OpenedTunnel
}

extension TunnelOpener {
    /// Opens the URL as an opener does that follows no redirects.
    public func openWithoutRedirects(_ url: String) async throws(DataChannelError) -> OpenedTunnel {
        try await open(url)
    }

    /// Opens a tunnel that wakes no authenticator; see ``open(_:contact:)``.
    public func open(_ url: String) async throws(DataChannelError) -> OpenedTunnel { try await open(url, contact: nil) }
}

/// A tunnel that a service has opened for us.
public struct OpenedTunnel: Sendable {
    /// The channel through it.
    public let channel: any DataChannel
    /// The value of the header `X-caBLE-Routing-ID` as the service sent it; nil if it sent none.
    public let routingIDHeader: String?
    /// True if the service will signal that the authenticator has joined, by one message of the byte `00` before any of
    /// the authenticator's (HT-TUN-78).
    public let signalsConnection: Bool

    /// Makes an opened tunnel.
    public init(channel: any DataChannel, routingIDHeader: String?, signalsConnection: Bool = false) {
        self.channel = channel
        self.routingIDHeader = routingIDHeader
        self.signalsConnection = signalsConnection
    }
}
