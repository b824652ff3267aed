public import HybridProtocol

/// A tunnel that an authenticator has opened: the channel, and the part of the service that has it.
public struct NewTunnel: Sendable {
    /// The channel; the client joins the tunnel later.
    public let channel: any DataChannel
    /// The routing ID that the advert names.
    public let routingID: RoutingID
}

// Tunnels by their purpose rather than by their URLs (HT-TUN-4, HT-TUN-5, HT-TUN-13).
extension TunnelOpener {
    /// Opens a new tunnel and reads its routing ID. For an authenticator.
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret.
    ///   - service: the address of the tunnel service.
    /// - Throws: ``DataChannelError``; `upgradeRefused` if the service names no routing ID, or not one of three bytes.
    public func new(
        _ tunnelID: TunnelID,
        at service: TunnelURL.Service
    ) async throws(DataChannelError) -> NewTunnel {
        let tunnel = try await open(TunnelURL.new(tunnelID, at: service).text)
        guard let routingID = try? RoutingID(hex: tunnel.routingIDHeader ?? "") else {
            await tunnel.channel.close()
            throw DataChannelError(
                .upgradeRefused, reason: "the tunnel service sent no valid \(TunnelHeader.routingID) header")
        }
        return NewTunnel(channel: tunnel.channel, routingID: routingID)
    }

    /// Joins the tunnel that an advert names. For a client.
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret.
    ///   - routingID: the advert's.
    ///   - service: the address of the tunnel service.
    /// - Throws: ``DataChannelError``.
    public func connect(
        _ tunnelID: TunnelID,
        routingID: RoutingID,
        at service: TunnelURL.Service
    ) async throws(DataChannelError) -> any DataChannel {
        try await open(TunnelURL.connect(tunnelID, routingID: routingID, at: service).text).channel
    }
}
