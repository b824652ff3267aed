internal import Cryptography
public import Edges
public import HybridProtocol

/// The authenticator's ceremony of a QR-initiated session, from the scanned QR code to the last answer.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of PROTOCOL.md section 0.
public struct AuthenticatorCeremony: Sendable {
    private let advertiser: any Advertiser
    private let tunnels: Tunnels
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
        tunnels = Tunnels(opener: opener, service: service)
        self.domain = domain
        self.limits = limits
        self.observe = observe
    }

    /// Answers one QR code and serves its session until the client ends it.
    ///
    /// When this returns or throws, the advert is off the air and the tunnel is closed, whatever happened.
    ///
    /// - Parameters:
    ///   - url: the text of the QR code.
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - respond: answers a CTAP command (command byte, then CBOR) with a status byte and CBOR. It is cancelled if the client
    ///     goes away, and should then return at once; what it returns is dropped.
    /// - Returns: how many commands were answered: 0 if the client left without any.
    /// - Throws: ``HybridTransportError``.
    public func run(
        url: String,
        getInfo: [UInt8],
        respond: @escaping @Sendable ([UInt8]) async -> [UInt8]
    ) async throws -> Int {
        var next = Stage.qrScanned
        do {
            let invitation = try Invitation(url: url)
            guard invitation.details.channels.contains(.webSocket) else {
                throw HybridTransportError(
                    .noCommonChannel, stage: .tunnelOpened, cause: "the QR code offers no WebSocket channel",
                    hint: "show a QR code of a client that offers it")
            }
            observe(.stage(.qrScanned))

            next = .tunnelOpened
            let tunnelID = try invitation.tunnelID()
            let (channel, routingID) = try await reaching(.tunnelOpened, within: limits.tunnel) {
                try await tunnels.new(tunnelID, domain: domain)
            }
            do {
                observe(.stage(.tunnelOpened))
                next = .advertising
                let advert = try AdvertPlaintext(
                    nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: routingID, domain: domain)
                var key = try invitation.advertKey()
                let message = try await firstMessage(on: channel, while: key.seal(advert))

                next = .handshaken
                let ephemeralKey = try P256.PrivateKey.generate()
                let authenticator = try Responder(invitation, advert: advert).answer(
                    message.span, ephemeralKey: ephemeralKey)
                try await send(authenticator.response, on: channel, reaching: .handshaken)
                observe(.stage(.handshaken))

                next = .ready
                let session = try authenticator.sendFirstMessage(FirstMessage(getInfo: getInfo))
                try await send(session.firstFrame, on: channel, reaching: .ready)
                observe(.stage(.ready))

                next = .commandSent
                let connection = AuthenticatorConnection(session, channel, limits, observe)
                let answerCount = try await connection.serve(respond)
                await channel.close()
                observe(.stage(.closed))
                return answerCount
            } catch {
                await channel.close()
                throw error
            }
        } catch {
            throw HybridTransportError(error, reaching: next)
        }
    }

    /// Advertises until the client's first handshake message is there.
    private func firstMessage(on channel: any DataChannel, while serviceData: [UInt8]) async throws -> [UInt8] {
        try await advertiser.advertise(serviceData) {
            observe(.stage(.advertising))
            return try await reaching(.handshaken, within: limits.discovery) {
                do {
                    return try await channel.receive()
                } catch {
                    throw HybridTransportError(error, reaching: .handshaken)
                }
            }
        }
    }

    private func send(_ message: [UInt8], on channel: any DataChannel, reaching stage: Stage) async throws {
        try await reaching(stage, within: limits.handshake) { try await channel.send(message) }
    }
}
