internal import Cryptography
internal import HybridProtocol
internal import TransportInterfaces

/// The channels on which an authenticator can be reached in one ceremony, until its client has chosen one.
struct AuthenticatorChannels: Sendable {
    /// The tunnel, where there is one.
    let tunnel: NewTunnel?
    /// The L2CAP channel at which clients connect over Bluetooth, where they can.
    let nearby: (any ListeningChannel)?

    /// The bytes behind the advert.
    var suffix: AdvertSuffix { AdvertSuffix(psm: nearby?.psm) }

    /// The tunnel alone.
    var withoutNearby: Self { Self(tunnel: tunnel, nearby: nil) }

    /// Closes everything.
    func close() async {
        await nearby?.close()
        await tunnel?.channel.close()
    }

    /// Waits for the first message of a client, on whichever channel it comes (HT-BLE-11), and closes the other one
    /// (HT-BLE-14).
    ///
    /// A client that has connected over Bluetooth may be silent for the handshake's time limit; after that, another one
    /// may connect (HT-BLE-13).
    ///
    /// - Throws: what the channel that failed first threw, once none is left.
    func firstMessage(_ context: CeremonyContext) async throws -> ClientArrival {
        try await withTaskGroup(of: Result<ClientArrival, any Error>.self) {
            group -> Result<ClientArrival, any Error> in
            if let tunnel {
                group.addTask { await Self.result { try await ClientArrival(on: tunnel.channel, isNearby: false) } }
            }
            if let nearby {
                group.addTask { await Self.result { try await Self.arrival(at: nearby, context) } }
            }
            var winner: ClientArrival?
            var failure: (any Error)?
            while let outcome = await group.next() {
                switch outcome {
                case .success(let arrival) where winner == nil:
                    winner = arrival
                    // To be closed before its task is cancelled, which would cut it.
                    if arrival.isNearby { await tunnel?.channel.close() }
                    await nearby?.close()
                    group.cancelAll()
                case .success(let late): await late.channel.close()
                case .failure(let error): failure = failure ?? error
                }
            }
            if let winner { return .success(winner) }
            return .failure(failure ?? CancellationError())
        }.get()
    }

    private static func result(
        _ body: () async throws -> ClientArrival
    ) async -> Result<ClientArrival, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// The first client over Bluetooth that sends a handshake message: any device nearby can connect.
    private static func arrival(
        at nearby: any ListeningChannel, _ context: CeremonyContext
    ) async throws -> ClientArrival {
        while true {
            let channel = try await nearby.accept()
            do {
                return try await context.within(context.limits.handshake) {
                    try await ClientArrival(on: channel, isNearby: true)
                }
            } catch {
                await channel.close()
                try Task.checkCancellation()
            }
        }
    }
}

/// A client's first handshake message, and the channel on which it came.
struct ClientArrival: Sendable {
    let channel: any DataChannel
    let message: [UInt8]
    /// The bytes that came behind the message.
    let assembler: MessageAssembler
    let isNearby: Bool

    /// Waits for the message.
    ///
    /// - Throws: ``DataChannelError``, ``HybridProtocolError``.
    init(on channel: any DataChannel, isNearby: Bool) async throws {
        self.channel = channel
        self.isNearby = isNearby
        (message, assembler) = try await channel.receiveHandshakeMessage()
    }

    /// Answers the handshake and sends the first message; the same for QR codes and links.
    ///
    /// - Parameters:
    ///   - responder: answers the client's message.
    ///   - offer: the kinds of requests that are taken.
    ///   - linking: the link that is offered; nil in a session that came about by one.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``, ``CryptographyError``.
    func connect(
        _ responder: consuming Responder, offer: SessionOffer, linking: AuthenticatorLinking?, context: CeremonyContext
    ) async throws -> AuthenticatorConnection {
        let ephemeralKey = try P256.PrivateKey.generate()
        let authenticator = try responder.answer(message.span, ephemeralKey: ephemeralKey)
        let response = authenticator.response
        try await context.within(context.limits.handshake) { [channel] in try await channel.sendMessage(response) }
        context.reached(.handshaken, next: .ready)
        let session = try authenticator.sendFirstMessage(offer.firstMessage)
        let firstFrame = session.firstFrame
        try await context.within(context.limits.handshake) { [channel] in try await channel.sendMessage(firstFrame) }
        context.reached(.ready, next: .commandSent)
        return AuthenticatorConnection(session, arrival: self, linking: linking, context: context)
    }
}
