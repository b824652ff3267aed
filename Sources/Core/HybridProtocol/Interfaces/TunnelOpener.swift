/// An opener of WebSocket data channels at a tunnel service.
///
/// Source: CTAP 2.3 section 11.5.1.1.1; the article TunnelServiceProtocol of HybridProtocol.
package protocol TunnelOpener: Sendable {
    /// Opens a tunnel.
    ///
    /// - Parameter request: the URL, and all that belongs to it.
    /// - Returns: the open channel, and the service's headers.
    /// - Throws: ``DataChannelError``; `gone`, `unavailable` and `tooManyRequests` for the answers that matter to a
    ///   link (HT-STA-8, HT-STA-9); `redirectRefused` for a redirect that must not be followed. Cancelling the task
    ///   ends the attempt and leaves no connection.
    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel

    /// Looks whether something answers at the address of a tunnel service. Nothing is sent.
    ///
    /// - Parameters:
    ///   - service: the address of the tunnel service.
    ///   - limit: the time after which no answer counts as none that is bad.
    /// - Throws: ``DataChannelError``.
    func check(_ service: TunnelURL.Service, within limit: Duration) async throws(DataChannelError)

    /// Connects to a tunnel service, TLS included, before there is a request, and keeps the connection for the next
    /// one that ``TunnelRequest/takesConnection``. Nothing is asked for in it.
    ///
    /// It ends with the task, which closes a connection that nothing has taken.
    ///
    /// - Parameter service: the address of the tunnel service.
    /// - Returns: true once a request has taken the connection, or where none is made; false if it has ended, or could
    ///   not be made: the request itself will tell why.
    func connectAhead(to service: TunnelURL.Service) async -> Bool
}

extension TunnelOpener {
    /// Looks at nothing: for an opener that has no addresses.
    package func check(_ service: TunnelURL.Service, within limit: Duration) async throws(DataChannelError) {}

    /// Makes no connection.
    package func connectAhead(to service: TunnelURL.Service) async -> Bool { true }
}

/// A request to a tunnel service.
package struct TunnelRequest: Sendable {
    /// The URL with its whole path, `wss://…`; `ws://…` on this machine.
    package let url: String
    /// Further request headers, sent again with every redirect.
    package var headers: [(name: String, value: String)]
    /// True if redirects may be followed.
    package var followsRedirects = true
    /// True if it goes out on a connection that was made ahead, where there is one.
    package var takesConnection = false
    /// The silence after which the channel sends a keep-alive; nil for the opener's own.
    package var idleTimeout: Duration?

    /// Makes a request of any URL.
    package init(url: String, headers: [(name: String, value: String)] = []) {
        self.url = url
        self.headers = headers
    }

    /// Makes a request of the URL of a tunnel.
    package init(_ url: TunnelURL, headers: [(name: String, value: String)] = []) {
        self.init(url: url.text, headers: headers)
    }
}

/// A tunnel that a service has opened for us.
package struct OpenedTunnel: Sendable {
    /// The channel through it.
    package let channel: any DataChannel
    /// The value of the header `X-caBLE-Routing-ID` as the service sent it; nil if it sent none.
    package let routingIDHeader: String?
    /// True if the service will signal that the authenticator has joined, by one message of the byte `00` before any of
    /// the authenticator's (HT-TUN-78).
    package let signalsConnection: Bool

    /// Makes an opened tunnel.
    package init(channel: any DataChannel, routingIDHeader: String?, signalsConnection: Bool = false) {
        self.channel = channel
        self.routingIDHeader = routingIDHeader
        self.signalsConnection = signalsConnection
    }

    /// The routing ID of a new tunnel, for the advert.
    ///
    /// - Throws: ``DataChannelError`` `upgradeRefused` if the service has named none, or not one of three bytes.
    package var routingID: RoutingID {
        get throws(DataChannelError) {
            guard let routingID = try? RoutingID(hex: routingIDHeader ?? "") else {
                throw DataChannelError(
                    .upgradeRefused, reason: "the tunnel service sent no valid \(TunnelHeader.routingID) header")
            }
            return routingID
        }
    }
}
