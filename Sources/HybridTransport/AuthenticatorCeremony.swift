internal import Cryptography
public import Edges
public import HybridProtocol

/// The authenticator's ceremony of a QR-initiated session, from the scanned QR code to the last answer.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of PROTOCOL.md section 0.
public struct AuthenticatorCeremony: Sendable {
    private let advertiser: any Advertiser
    private let opener: any TunnelOpener
    private let service: TunnelURL.Service?
    private let domain: TunnelDomain
    private let limits: TimeLimits
    private let observe: CeremonyObserver

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - advertiser: sends the advert.
    ///   - opener: opens the tunnel.
    ///   - domain: the tunnel domain that the advert names.
    ///   - service: where the tunnel service is, instead of where the domain says.
    ///   - limits: how long each part may take.
    ///   - observe: is told of every stage.
    public init(
        advertiser: any Advertiser,
        opener: any TunnelOpener,
        domain: TunnelDomain = .google,
        service: TunnelURL.Service? = nil,
        limits: TimeLimits = .standard,
        observe: @escaping CeremonyObserver = { _ in }
    ) {
        self.advertiser = advertiser
        self.opener = opener
        self.service = service
        self.domain = domain
        self.limits = limits
        self.observe = observe
    }

    /// Answers one QR code and serves its session until the client ends it.
    ///
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened; cancelling the task
    /// ends it as promptly as `respond` does.
    ///
    /// - Parameters:
    ///   - url: the text of the QR code.
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - respond: answers a CTAP command (command byte, then CBOR) with a status byte and CBOR, less than 1 MiB together. It
    ///     is cancelled if the client goes away or the time is over, and should then return at once, since it is waited
    ///     for; what it returns is dropped.
    /// - Returns: how many commands were answered: 0 if the client shut the session down without any.
    /// - Throws: ``HybridTransportError``.
    public func run(
        url: String,
        getInfo: [UInt8],
        respond: @escaping @Sendable ([UInt8]) async -> [UInt8]
    ) async throws -> Int {
        let progress = Progress(of: .authenticator, expecting: .qrScanned, observe)
        do {
            let invitation = try Invitation(url: url)
            progress.reached(.qrScanned, next: .tunnelOpened)
            guard invitation.details.channels.contains(.webSocket) else {
                throw HybridTransportError(
                    .noCommonChannel, stage: .tunnelOpened, cause: "the QR code offers no WebSocket channel",
                    hint: "show a QR code of a client that offers it")
            }
            let tunnelID = try invitation.tunnelID()
            let service = try service ?? TunnelURL.Service(domain)
            let tunnel = try await progress.within(limits.tunnel) { try await opener.new(tunnelID, at: service) }
            let connection: AuthenticatorConnection
            do {
                progress.reached(.tunnelOpened, next: .advertising)
                connection = try await connect(invitation, tunnel, getInfo, progress)
            } catch {
                await tunnel.channel.close()
                throw error
            }
            let answerCount = try await connection.serve(respond)
            progress.reached(.closed, next: .closed)
            return answerCount
        } catch {
            throw progress.failure(error)
        }
    }

    private func connect(
        _ invitation: consuming Invitation,
        _ tunnel: NewTunnel,
        _ getInfo: [UInt8],
        _ progress: Progress
    ) async throws -> AuthenticatorConnection {
        let channel = tunnel.channel
        let advert = try AdvertPlaintext(
            nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: tunnel.routingID, domain: domain)
        var key = try invitation.advertKey()
        let message = try await advertiser.advertise(key.seal(advert)) {
            progress.reached(.advertising, next: .handshaken)
            return try await progress.within(limits.discovery) { try await channel.receive() }
        }
        let ephemeralKey = try P256.PrivateKey.generate()
        let responder = try Responder(invitation, advert: advert)
        let authenticator = try responder.answer(message.span, ephemeralKey: ephemeralKey)
        let response = authenticator.response
        try await progress.within(limits.handshake) { try await channel.send(response) }
        progress.reached(.handshaken, next: .ready)
        let session = try authenticator.sendFirstMessage(FirstMessage(getInfo: getInfo))
        let firstFrame = session.firstFrame
        try await progress.within(limits.handshake) { try await channel.send(firstFrame) }
        progress.reached(.ready, next: .commandSent)
        return AuthenticatorConnection(session, channel, limits, progress)
    }
}
