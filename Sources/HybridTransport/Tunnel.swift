public import Edges
public import HybridProtocol

/// A tunnel that an authenticator has opened: the channel, and where in the service it is.
public struct NewTunnel: Sendable {
    /// The channel; the client joins it later.
    public let channel: any DataChannel
    /// What the advert tells the client.
    public let routingID: RoutingID
}

// Tunnels by what they are for rather than by their URLs (PROTOCOL.md 5.1).
extension TunnelOpener {
    /// Opens a new tunnel and learns where it is. For an authenticator.
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret.
    ///   - service: where the tunnel service is.
    /// - Throws: ``DataChannelError``; `upgradeRefused` if the service names no routing ID, or not one of three bytes.
    public func new(
        _ tunnelID: TunnelID,
        at service: TunnelURL.Service
    ) async throws(DataChannelError) -> NewTunnel {
        let tunnel = try await open(TunnelURL.new(tunnelID, at: service).text)
        guard let routingID = try? RoutingID(hex: tunnel.routingIDHeader ?? "") else {
            await tunnel.channel.close()
            throw DataChannelError(
                .upgradeRefused, reason: "the tunnel service sent no valid \(TunnelURL.routingIDHeader) header")
        }
        return NewTunnel(channel: tunnel.channel, routingID: routingID)
    }

    /// Joins the tunnel that an advert names. For a client.
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret.
    ///   - routingID: what the advert says.
    ///   - service: where the tunnel service is.
    /// - Throws: ``DataChannelError``.
    public func connect(
        _ tunnelID: TunnelID,
        routingID: RoutingID,
        at service: TunnelURL.Service
    ) async throws(DataChannelError) -> any DataChannel {
        try await open(TunnelURL.connect(tunnelID, routingID: routingID, at: service).text).channel
    }
}
