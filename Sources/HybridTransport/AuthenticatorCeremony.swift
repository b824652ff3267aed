internal import Cryptography
public import Edges
public import HybridProtocol

/// The authenticator's ceremony of a QR-initiated session, from the scanned QR code to the last answer.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of PROTOCOL.md section 0.
public struct AuthenticatorCeremony: Sendable {
    private let advertiser: any Advertiser
    private let opener: any TunnelOpener
    private let nearby: (any NearbyListener)?
    private let choice: ChannelChoice
    private let service: TunnelURL.Service?
    private let domain: TunnelDomain
    private let limits: TimeLimits
    private let observe: CeremonyObserver

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - advertiser: sends the advert.
    ///   - opener: opens the tunnel.
    ///   - nearby: lets clients connect without a tunnel; nil if this machine cannot, and then only the WebSocket is used.
    ///   - channel: which channels are used, where the QR code offers them.
    ///   - domain: the tunnel domain that the advert names.
    ///   - service: where the tunnel service is, instead of where the domain says.
    ///   - limits: how long each part may take.
    ///   - observe: is told of every stage.
    public init(
        advertiser: any Advertiser,
        opener: any TunnelOpener,
        nearby: (any NearbyListener)? = nil,
        channel: ChannelChoice = .any,
        domain: TunnelDomain = .google,
        service: TunnelURL.Service? = nil,
        limits: TimeLimits = .standard,
        observe: @escaping CeremonyObserver = { _ in }
    ) {
        self.advertiser = advertiser
        self.opener = opener
        self.nearby = nearby
        choice = nearby == nil ? .webSocket : channel
        self.service = service
        self.domain = domain
        self.limits = limits
        self.observe = observe
    }

    /// Answers one QR code and serves its session until the client ends it.
    ///
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened; cancelling the task
    /// ends it as promptly as the offer's responders return.
    ///
    /// - Parameters:
    ///   - url: the text of the QR code.
    ///   - linking: whether the client is offered to come without a QR code from now on.
    ///   - offer: what the session offers, and who answers for it.
    /// - Returns: how many requests were answered: 0 if the client shut the session down without any.
    /// - Throws: ``HybridTransportError``.
    public func run(url: String, linking: AuthenticatorLinking = .none, offer: SessionOffer) async throws -> Int {
        let progress = Progress(of: .authenticator, expecting: .qrScanned, observe)
        do {
            let invitation = try Invitation(url: url)
            progress.reached(.qrScanned, next: .tunnelOpened)
            let channels = try await open(
                choice.channels.filter(invitation.details.channels.contains), invitation.tunnelID(), progress)
            let connection = try await meet(invitation, channels, offer, linking, progress)
            let answerCount = try await connection.serve(offer)
            progress.reached(.closed, next: .closed)
            return answerCount
        } catch {
            throw progress.failure(error)
        }
    }

    private func open(
        _ wanted: [ChannelIdentifier], _ tunnelID: TunnelID, _ progress: Progress
    ) async throws -> AuthenticatorChannels {
        guard !wanted.isEmpty else {
            throw HybridTransportError(
                .noCommonChannel, stage: .tunnelOpened, cause: "the QR code offers no channel that may be used here",
                hint: "allow all channels on both devices: --channel any")
        }
        var listening: (any ListeningChannel)?
        if wanted.contains(.ble) {
            progress.expect(.advertising)
            do {
                listening = try await nearby?.listen()
            } catch {
                guard wanted.contains(.webSocket), !Task.isCancelled else { throw error }
                progress.notice(.tunnelInstead)
            }
        }
        guard wanted.contains(.webSocket) else { return AuthenticatorChannels(tunnel: nil, nearby: listening) }
        progress.expect(.tunnelOpened)
        do {
            let service = try service ?? TunnelURL.Service(domain)
            let tunnel = try await progress.within(limits.tunnel) { try await opener.new(tunnelID, at: service) }
            progress.reached(.tunnelOpened, next: .advertising)
            return AuthenticatorChannels(tunnel: tunnel, nearby: listening)
        } catch {
            guard let listening, !Task.isCancelled else {
                await listening?.close()
                throw error
            }
            progress.expect(.advertising)
            progress.notice(.bluetoothOnly)
            return AuthenticatorChannels(tunnel: nil, nearby: listening)
        }
    }

    /// Advertises until a client has come, and shakes hands with it. Of the channels, none is open afterwards but the client's.
    private func meet(
        _ invitation: consuming Invitation,
        _ channels: AuthenticatorChannels,
        _ offer: SessionOffer,
        _ linking: AuthenticatorLinking,
        _ progress: Progress
    ) async throws -> AuthenticatorConnection {
        let arrival: AuthenticatorChannels.Arrival
        let advert: AdvertPlaintext
        do {
            // Without a tunnel nobody asks where it is.
            advert = try AdvertPlaintext(
                nonce: randomBytes(count: AdvertPlaintext.nonceByteCount),
                routingID: channels.tunnel?.routingID ?? RoutingID(randomBytes(count: RoutingID.byteCount)),
                domain: domain)
            var key = try invitation.advertKey()
            arrival = try await advertise(key.seal(advert), for: channels, progress)
        } catch {
            await channels.close()
            throw error
        }
        do {
            if arrival.isNearby { progress.reached(.channelOpened, next: .handshaken) }
            let responder = try Responder(invitation, advert: advert)
            return try await AuthenticatorHandshake(limits: limits, progress: progress)
                .run(responder, arrival, offer, linking)
        } catch {
            await arrival.channel.close()
            throw error
        }
    }

    private func advertise(
        _ advert: [UInt8], for channels: AuthenticatorChannels, _ progress: Progress
    ) async throws -> AuthenticatorChannels.Arrival {
        let body: @Sendable () async throws -> AuthenticatorChannels.Arrival = {
            progress.reached(.advertising, next: .handshaken)
            return try await progress.within(limits.discovery) {
                try await channels.firstMessage(limits.handshake, progress)
            }
        }
        guard let nearby = channels.nearby else { return try await advertiser.advertise(advert, while: body) }
        do {
            return try await advertiser.advertiseConnectably(advert + channels.suffix.encoded, while: body)
        } catch let error as RadioError {
            guard error.code == .advertTooLong, channels.tunnel != nil else { throw error }
        }
        // An adapter that cannot send the suffix can still send the rest.
        progress.notice(.tunnelInstead)
        await nearby.close()
        return try await advertise(advert, for: channels.withoutNearby, progress)
    }
}
