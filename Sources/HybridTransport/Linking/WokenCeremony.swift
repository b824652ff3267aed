internal import Cryptography
public import Edges
public import HybridProtocol

/// The authenticator's ceremony of a state-assisted session: a linked client has had it woken.
///
/// Whoever calls this has asked the person first: from here on the other side can tell that somebody is near.
///
/// Source: CTAP 2.2 section 11.5.2; the order is that of PROTOCOL.md section 8.
public struct WokenCeremony: Sendable {
    private let advertiser: any Advertiser
    private let opener: any TunnelOpener
    private let service: TunnelURL.Service
    private let limits: TimeLimits
    private let observe: CeremonyObserver

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - advertiser: sends the advert.
    ///   - opener: joins the tunnel.
    ///   - service: the tunnel service that has woken us.
    ///   - limits: how long each part may take.
    ///   - observe: is told of every stage.
    public init(
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
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened; cancelling the task
    /// ends it as promptly as the offer's responders return.
    ///
    /// - Parameters:
    ///   - session: the client's request, and the keys of its link.
    ///   - tunnelID: which tunnel the client waits in.
    ///   - routingID: which part of the service that is at.
    ///   - offer: what the session offers, and who answers for it.
    /// - Returns: how many requests were answered: 0 if the client shut the session down without any.
    /// - Throws: ``HybridTransportError``.
    public func run(
        _ session: consuming WokenSession, tunnelID: TunnelID, routingID: RoutingID, offer: SessionOffer
    ) async throws -> Int {
        let progress = Progress(of: .authenticator, expecting: .tunnelJoined, observe)
        do {
            let channel = try await progress.within(limits.tunnel) { [opener, service] in
                try await opener.connect(tunnelID, routingID: routingID, at: service)
            }
            progress.reached(.tunnelJoined, next: .advertising)
            let connection = try await meet(session, channel, offer, progress)
            let answerCount = try await connection.serve(offer)
            progress.reached(.closed, next: .closed)
            return answerCount
        } catch {
            throw progress.failure(error)
        }
    }

    /// Advertises until the client speaks, and shakes hands with it. After an error the channel is closed.
    private func meet(
        _ session: consuming WokenSession, _ channel: any DataChannel, _ offer: SessionOffer, _ progress: Progress
    ) async throws -> AuthenticatorConnection {
        do {
            let advert = try LinkedAdvertPlaintext(random: randomBytes(count: LinkedAdvertPlaintext.randomByteCount))
            var key = try session.advertKey()
            let arrival = try await advertiser.advertise(key.seal(advert)) { [limits] in
                progress.reached(.advertising, next: .handshaken)
                return try await progress.within(limits.discovery) {
                    let (message, assembler) = try await channel.receiveHandshakeMessage()
                    return AuthenticatorChannels.Arrival(
                        channel: channel, message: message, assembler: assembler, isNearby: false)
                }
            }
            let responder = try Responder(session, advert: advert)
            return try await AuthenticatorHandshake(limits: limits, progress: progress).run(
                responder, arrival, offer, nil)
        } catch {
            await channel.close()
            throw error
        }
    }
}
