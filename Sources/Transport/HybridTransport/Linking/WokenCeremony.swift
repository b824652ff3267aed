internal import Cryptography
package import HybridProtocol

/// The authenticator's ceremony of a state-assisted session, which begins with a linked client's request to wake it.
///
/// The caller MUST have asked the user first: from here on the other side can tell that the user is near.
///
/// Source: CTAP 2.2 section 11.5.2; the order is that of the article StateAssistedTransactions of HybridProtocol.
package struct WokenCeremony: Sendable {
    private let advertiser: any Advertiser
    private let opener: any TunnelOpener
    private let service: TunnelURL.Service
    private let limits: TimeLimits
    private let observe: CeremonyObserver
    /// Gets the keys of the session; nil but in a laboratory.
    var keyLog: TrafficKeyLog?

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - advertiser: sends the advert.
    ///   - opener: joins the tunnel.
    ///   - service: the tunnel service that has sent the wake.
    ///   - limits: the time limits of its parts.
    ///   - observe: gets every stage.
    package init(
        advertiser: any Advertiser,
        opener: any TunnelOpener,
        service: TunnelURL.Service,
        limits: TimeLimits = .standard,
        observe: @escaping CeremonyObserver = { _ in }
    ) {
        self.advertiser = advertiser
        self.opener = opener
        self.service = service
        self.limits = limits
        self.observe = observe
    }

    /// Answers one wake and serves its session until the client ends it.
    ///
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened; cancelling
    /// the task ends it as promptly as the offer's responders return.
    ///
    /// - Parameters:
    ///   - session: the client's request, and the keys of its link.
    ///   - tunnelID: the tunnel in which the client waits.
    ///   - routingID: the part of the service that has this tunnel.
    ///   - offer: the kinds of requests that are taken, and their responders.
    /// - Returns: the number of requests that were answered: 0 if the client shut the session down without any.
    /// - Throws: ``HybridTransportError``.
    package func run(
        _ session: consuming WokenSession, tunnelID: TunnelID, routingID: RoutingID, offer: SessionOffer
    ) async throws -> Int {
        let context = CeremonyContext(
            of: .authenticator, expecting: .tunnelJoined, limits: limits, keyLog: keyLog, observe: observe)
        do {
            let channel = try await context.within(limits.tunnel) { [opener, service] in
                try await opener.open(TunnelRequest(.connect(tunnelID, routingID: routingID, at: service))).channel
            }
            context.reached(.tunnelJoined, next: .advertising)
            let connection = try await connect(session, on: channel, offer: offer, context: context)
            let answerCount = try await connection.serve(offer)
            context.reached(.closed, next: .closed)
            return answerCount
        } catch {
            throw context.failure(error)
        }
    }

    /// Advertises until the client's first message, and completes the handshake. After an error the channel is closed.
    private func connect(
        _ session: consuming WokenSession, on channel: any DataChannel, offer: SessionOffer, context: CeremonyContext
    ) async throws -> AuthenticatorConnection {
        do {
            let advert = try LinkedAdvertPlaintext(random: randomBytes(count: LinkedAdvertPlaintext.randomByteCount))
            var key = try session.advertKey()
            var responder = try Responder(session, advert: advert)
            try responder.prepare(ephemeralKey: P256.PrivateKey.generate())
            let arrival = try await advertiser.advertise(key.seal(advert)) { [limits] in
                context.reached(.advertising, next: .handshaken)
                return try await context.within(limits.advertising, on: channel) {
                    try await ClientArrival(on: channel)
                }
            }
            let client = try AuthenticatedClient(arrival, isNearby: false, responder, context)
            return try await client.connect(offer: offer, linking: nil)
        } catch {
            await channel.close()
            throw error
        }
    }
}
