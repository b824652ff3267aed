internal import Edges
internal import HybridProtocol

/// Opens tunnels by what they are for rather than by their URLs (PROTOCOL.md 5.1).
struct Tunnels: Sendable {
    let opener: any TunnelOpener
    let service: TunnelURL.Service?

    /// Opens a new tunnel and learns where it is. For an authenticator.
    ///
    /// - Throws: ``DataChannelError``; `upgradeRefused` if the service names no routing ID, or not one of three bytes.
    func new(
        _ tunnelID: TunnelID,
        domain: TunnelDomain
    ) async throws -> (channel: any DataChannel, routingID: RoutingID) {
        let tunnel = try await opener.open(TunnelURL.new(tunnelID, at: at(domain)).text)
        do {
            return (tunnel.channel, try RoutingID(hex: tunnel.routingIDHeader ?? ""))
        } catch {
            await tunnel.channel.close()
            throw DataChannelError(
                .upgradeRefused, reason: "the tunnel service sent no valid \(TunnelURL.routingIDHeader) header")
        }
    }

    /// Joins the tunnel that an advert names. For a client.
    ///
    /// - Throws: ``DataChannelError``.
    func connect(_ tunnelID: TunnelID, _ advert: AdvertPlaintext) async throws -> any DataChannel {
        let url = TunnelURL.connect(tunnelID, routingID: advert.routingID, at: try at(advert.domain))
        return try await opener.open(url.text).channel
    }

    private func at(_ domain: TunnelDomain) throws -> TunnelURL.Service { try service ?? TunnelURL.Service(domain) }
}
