internal import Edges
internal import HybridProtocol

/// The channels that a client offers, and how it opens the one that the authenticator's advert names.
struct ClientChannels: Sendable {
    let opener: any TunnelOpener
    let nearby: (any NearbyConnector)?
    let choice: ChannelChoice
    /// Where the tunnel service is; nil for where the advert says.
    let service: TunnelURL.Service?

    /// Opens a channel: over Bluetooth if the advert says where and that succeeds, otherwise through the tunnel, where that is
    /// allowed.
    ///
    /// - Throws: ``HybridTransportError`` with `noCommonChannel`; what the channel that was tried last fails with.
    func open(
        _ advert: NearbyAdvert, _ tunnelID: TunnelID, _ limits: TimeLimits, _ progress: Progress
    ) async throws -> any DataChannel {
        let isTunnelAllowed = choice.channels.contains(.webSocket)
        if let nearby, choice.channels.contains(.ble), let psm = advert.psm, let address = advert.sender {
            progress.expect(.channelOpened)
            do {
                let channel = try await progress.within(limits.nearby) {
                    try await nearby.connect(to: address, psm: psm)
                }
                progress.reached(.channelOpened, next: .handshaken)
                return channel
            } catch {
                guard isTunnelAllowed, !Task.isCancelled else { throw error }
                progress.notice(.tunnelInstead)
            }
        }
        guard isTunnelAllowed else {
            throw HybridTransportError(
                .noCommonChannel, stage: .channelOpened, cause: "the other device offers no connection over Bluetooth",
                hint: Hint.noNearby)
        }
        progress.expect(.tunnelJoined)
        let service = try service ?? TunnelURL.Service(advert.plaintext.domain)
        let routingID = advert.plaintext.routingID
        let channel = try await progress.within(limits.tunnel) {
            try await opener.connect(tunnelID, routingID: routingID, at: service)
        }
        progress.reached(.tunnelJoined, next: .handshaken)
        return channel
    }

    /// Asks a linked authenticator's tunnel service to wake it.
    ///
    /// - Parameters:
    ///   - contactID: by what name the service reaches it.
    ///   - request: what the authenticator is told.
    ///   - domain: whose tunnel service the link names.
    /// - Throws: ``DataChannelError``; ``HybridProtocolError`` for a domain that is nobody's.
    func contact(_ contactID: ContactID, _ request: ContactRequest, of domain: TunnelDomain) async throws
        -> OpenedTunnel
    {
        let service = try service ?? TunnelURL.Service(domain)
        return try await opener.open(
            TunnelURL.contact(contactID, at: service).text, contact: ContactHeaders(clientPayload: request.encoded()))
    }
}
