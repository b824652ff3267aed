internal import Cryptography
package import HybridProtocol

/// The authenticator's ceremony of a QR-initiated session, from the parsed QR code to the last answer.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of the article Ceremony of HybridProtocol.
package struct AuthenticatorCeremony: Sendable {
    private let advertiser: any Advertiser
    private let opener: any TunnelOpener
    private let nearby: (any NearbyListener)?
    private let choice: ChannelChoice
    private let service: TunnelURL.Service?
    private let domain: TunnelDomain
    private let limits: TimeLimits
    private let observe: CeremonyObserver
    /// Gets the keys of the session; nil but in a laboratory.
    var keyLog: TrafficKeyLog?

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - advertiser: sends the advert.
    ///   - opener: opens the tunnel.
    ///   - nearby: lets clients connect without a tunnel; nil if this machine cannot, and then only the WebSocket is
    ///     used.
    ///   - channel: the channels that are used, where the QR code offers them.
    ///   - domain: the tunnel domain that the advert names.
    ///   - service: the address of the tunnel service, instead of the domain's.
    ///   - limits: the time limits of its parts.
    ///   - observe: gets every stage.
    package init(
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
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened; cancelling
    /// the task ends it as promptly as the offer's responders return.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code.
    ///   - linking: the link that the client is offered, to connect without a QR code from now on.
    ///   - offer: the kinds of requests that are taken, and their responders.
    /// - Returns: the number of requests that were answered: 0 if the client shut the session down without any.
    /// - Throws: ``HybridTransportError``.
    package func run(
        _ invitation: consuming Invitation, linking: AuthenticatorLinking = .none, offer: SessionOffer
    ) async throws -> Int {
        let context = CeremonyContext(
            of: .authenticator, expecting: .tunnelOpened, limits: limits, keyLog: keyLog, observe: observe)
        do {
            let connection = try await meet(invitation, context) { client in
                try await client.connect(offer: offer, linking: linking)
            }
            let answerCount = try await connection.serve(offer)
            context.reached(.closed, next: .closed)
            return answerCount
        } catch {
            throw context.failure(error)
        }
    }

    /// Answers a QR code of an application's own scheme, and opens a channel for its messages to the device that shows
    /// it.
    ///
    /// No key is logged. When this returns or throws, the advert is off the air and the channel is closed, whatever
    /// happened; cancelling the task ends it promptly.
    ///
    /// - Parameters:
    ///   - invitation: the contents of the QR code.
    ///   - messages: makes the state of the messages from the handshake hash: 32 bytes that both ends share.
    ///   - session: exchanges messages.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError`` if the devices do not meet; otherwise the error of `session`.
    package func openChannel<Codec: MessageCodec, Value: Sendable>(
        _ invitation: consuming ApplicationInvitation,
        messages: @escaping @Sendable (_ handshakeHash: [UInt8]) -> Codec,
        session: @escaping @Sendable (MessageChannel<Codec>) async throws -> Value
    ) async throws -> Value {
        let context = CeremonyContext(
            of: .authenticator, expecting: .tunnelOpened, limits: limits, keyLog: nil, observe: observe)
        let channel: MessageChannel<Codec>
        do {
            channel = try await meet(invitation.intoInvitation(), context) { try await $0.openChannel(messages) }
        } catch {
            throw context.failure(error)
        }
        let value = try await channel.withSession { try await session(channel) }
        context.reached(.closed, next: .closed)
        return value
    }

    /// Opens the channels, waits for the client that has authenticated itself, and answers it.
    private func meet<Connection: Sendable>(
        _ invitation: consuming Invitation, _ context: CeremonyContext,
        answer: @escaping @Sendable (AuthenticatedClient) async throws -> Connection
    ) async throws -> Connection {
        guard domain.isKnown(toClientKnowing: invitation.details.knownDomainCount) else {
            // It would drop the advert, and the user would wait for nothing.
            throw HybridTransportError(
                .noCommonChannel, stage: .tunnelOpened,
                cause: "the client does not know tunnel domain \(domain.number)", advice: .chooseComputedDomain)
        }
        let channels = try await open(
            choice.channels.filter(invitation.details.channels.contains), invitation.tunnelID(), context)
        return try await authenticate(invitation, on: channels, context, answer: answer)
    }

    /// Opens the channels that both sides want; refuses a QR code that lists none of them.
    private func open(
        _ wanted: [ChannelIdentifier], _ tunnelID: TunnelID, _ context: CeremonyContext
    ) async throws -> AuthenticatorChannels {
        guard !wanted.isEmpty else {
            throw HybridTransportError(
                .noCommonChannel, stage: .tunnelOpened, cause: "the QR code offers no channel that may be used here",
                advice: .allowAllChannels)
        }
        var listening: (any ListeningChannel)?
        if wanted.contains(.ble) {
            context.expect(.advertising)
            do {
                listening = try await nearby?.listen()
            } catch {
                guard wanted.contains(.webSocket), !Task.isCancelled else { throw error }
                context.notice(.tunnelInstead)
            }
        }
        guard wanted.contains(.webSocket) else { return AuthenticatorChannels(tunnel: nil, nearby: listening) }
        context.expect(.tunnelOpened)
        do {
            let service = service ?? TunnelURL.Service(domain)
            let isGiven = self.service != nil
            let opened = try await context.within(limits.tunnel) { [opener, domain] in
                do throws(DataChannelError) {
                    return try await opener.open(TunnelRequest(.new(tunnelID, at: service)))
                } catch {
                    throw error.of(domain, unless: isGiven)
                }
            }
            let routingID: RoutingID
            do throws(DataChannelError) {
                routingID = try opened.routingID
            } catch {
                await opened.channel.close()
                throw error
            }
            context.reached(.tunnelOpened, next: .advertising)
            return AuthenticatorChannels(tunnel: (opened.channel, routingID), nearby: listening)
        } catch {
            guard let listening, !Task.isCancelled else {
                await listening?.close()
                throw error
            }
            context.expect(.advertising)
            context.notice((error as? DataChannelError)?.isTaken == true ? .tunnelTaken : .bluetoothOnly)
            return AuthenticatorChannels(tunnel: nil, nearby: listening)
        }
    }

    /// Advertises until the client has authenticated itself (HT-ADV-21, HT-ADV-22, HT-ADV-23), and is answered: it need
    /// not wait while the advert is taken off the air. Of the channels, only the client's is open afterwards.
    private func authenticate<Connection: Sendable>(
        _ invitation: consuming Invitation, on channels: AuthenticatorChannels, _ context: CeremonyContext,
        answer: @escaping @Sendable (AuthenticatedClient) async throws -> Connection
    ) async throws -> Connection {
        do {
            // Without a tunnel (HT-BLE-12) the routing ID has no meaning.
            let advert = try AdvertPlaintext(
                nonce: randomBytes(count: AdvertPlaintext.nonceByteCount),
                routingID: channels.tunnel?.routingID ?? RoutingID(randomBytes(count: RoutingID.byteCount)),
                domain: domain)
            var key = try invitation.advertKey()
            let sealed = try key.seal(advert)
            let candidates = Candidates(ResponderKeys(invitation, advert: advert), on: channels, context)
            return try await advertise(sealed, for: candidates, context, answer: answer)
        } catch {
            // Also those of them that are closed already.
            await channels.close()
            throw error
        }
    }

    private func advertise<Connection: Sendable>(
        _ advert: [UInt8], for candidates: Candidates, _ context: CeremonyContext,
        answer: @escaping @Sendable (AuthenticatedClient) async throws -> Connection
    ) async throws -> Connection {
        let channels = candidates.channels
        let body: @Sendable () async throws -> Connection = {
            context.reached(.advertising, next: .handshaken)
            let client = try await candidates.client(within: limits.advertising)
            if client.isNearby { context.reached(.channelOpened, next: .handshaken) }
            return try await answer(client)
        }
        guard let nearby = channels.nearby else { return try await advertiser.advertise(advert, while: body) }
        do {
            return try await advertiser.advertiseConnectably(advert + channels.suffix.encoded, while: body)
        } catch let error as RadioError {
            guard error.code == .advertTooLong, channels.tunnel != nil else { throw error }
        }
        // An adapter that cannot send the suffix can still send the rest.
        context.notice(.tunnelInstead)
        await nearby.close()
        return try await advertise(advert, for: candidates.withoutNearby, context, answer: answer)
    }
}
