import Cryptography
import Encodings
import HybridProtocol
import HybridTransport
import Testing

/// A peer that has finished the handshake and may now send anything: bare keys and a channel.
struct RawPeer: ~Copyable {
    let channel: any DataChannel
    private var sealer: FrameSealer
    private var opener: FrameOpener

    /// A first message that offers CTAP.
    static let firstMessage: [UInt8] = [0xa1, 0x01, 0x43] + TestContext.getInfo

    init(_ channel: any DataChannel, sealer: consuming FrameSealer, opener: consuming FrameOpener) {
        self.channel = channel
        self.sealer = sealer
        self.opener = opener
    }

    /// Seals a plaintext and sends it.
    mutating func send(_ plaintext: [UInt8]) async throws {
        let frame = try sealer.seal(plaintext)
        try await channel.send(frame)
    }

    /// Receives a frame and opens it.
    mutating func receive() async throws -> [UInt8] {
        let frame = try await channel.receive()
        return try opener.open(frame)
    }
}

extension TestContext {
    /// Runs an authenticator up to the end of the handshake, then `body`. The channel is closed afterwards.
    func rawAuthenticator(
        _ url: String,
        construction: TransportConstruction = .current,
        body: @Sendable (inout RawPeer) async throws -> Void
    ) async throws {
        let invitation = try Invitation(url: url)
        let secret = try Self.secret(of: url)
        let service = TunnelURL.Service(.google)
        let channel = try await tunnels.open(TunnelRequest(.new(invitation.tunnelID(), at: service))).channel
        let advert = try AdvertPlaintext(
            nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: RoutingID([1, 2, 3]), domain: .google)
        var key = try invitation.advertKey()
        let message = try await radio.advertise(key.seal(advert)) { try await channel.receive() }
        let presharedKey = KeySchedule.derive(
            .presharedKey, from: secret.span, salt: advert.bytes.span, byteCount: 32)
        var handshake = try Handshake(
            .knPSK0, role: .responder, remoteStaticKey: invitation.clientPublicKey, presharedKey: presharedKey)
        _ = try handshake.readMessage(message.span)
        let response = try handshake.writeMessage(ephemeralKey: .generate())
        let result = try handshake.finish()
        try await channel.send(response)
        let sealer = try FrameSealer(key: result.keys.responderToInitiator.span, construction: construction)
        let opener = try FrameOpener(key: result.keys.initiatorToResponder.span, construction: construction)
        var peer = RawPeer(channel, sealer: sealer, opener: opener)
        do { try await body(&peer) } catch is DataChannelError {}
        await channel.close()
    }

    /// Runs a client up to the end of the handshake, then `body`. The channel is closed afterwards.
    ///
    /// - Parameters:
    ///   - show: gets the URL of the QR code.
    ///   - hearing: the advert that the client goes by, of the one that was sent.
    func rawClient(
        show: (String) -> Void,
        hearing: @Sendable (AdvertPlaintext) throws -> AdvertPlaintext = { $0 },
        body: @Sendable (inout RawPeer) async throws -> Void
    ) async throws {
        let secret = randomBytes(count: Invitation.secretByteCount)
        let staticKey = try P256.PrivateKey.generate()
        let invitation = try Invitation(
            clientPublicKey: staticKey.publicKey, secret: SecretBytes(copying: secret.span),
            details: Invitation.Details(timestamp: nil, hint: .getAssertion))
        show(invitation.url())
        var key = try invitation.advertKey()
        var heard: AdvertPlaintext?
        while heard == nil {
            try await Task.sleep(for: TestRadio.interval)
            for advert in radio.onAir { heard = try? key.open(advert.span).plaintext }
        }
        guard let advert = try heard.map(hearing) else { return }
        let service = TunnelURL.Service(.google)
        let channel = try await tunnels.open(
            TunnelRequest(.connect(invitation.tunnelID(), routingID: advert.routingID, at: service))
        ).channel
        let presharedKey = KeySchedule.derive(
            .presharedKey, from: secret.span, salt: advert.bytes.span, byteCount: 32)
        var handshake = try Handshake(.knPSK0, role: .initiator, staticKey: staticKey, presharedKey: presharedKey)
        let message = try handshake.writeMessage(ephemeralKey: .generate())
        try await channel.send(message)
        let response = try await channel.receive()
        _ = try handshake.readMessage(response.span)
        let result = try handshake.finish()
        let sealer = try FrameSealer(key: result.keys.initiatorToResponder.span)
        let opener = try FrameOpener(key: result.keys.responderToInitiator.span)
        var peer = RawPeer(channel, sealer: sealer, opener: opener)
        do { try await body(&peer) } catch is DataChannelError {}
        await channel.close()
    }

    /// Runs our client against a raw authenticator.
    func clientFacing(
        _ limits: TimeLimits = .generous,
        session: @escaping Session = { try await $0.send(TestContext.command) },
        construction: TransportConstruction = .current,
        _ body: @escaping @Sendable (inout RawPeer) async throws -> Void
    ) async throws -> Ending<[UInt8]> {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = client(limits, show: { shown.yield($0) }, session: session)
        for await url in urls {
            try await rawAuthenticator(url, construction: construction, body: body)
            break
        }
        return await client
    }

    /// Runs our authenticator against a raw client, which has received the first message and the update.
    func authenticatorFacing(
        _ limits: TimeLimits = .generous,
        receivesFirst: Bool = true,
        respond: @escaping Responder = { _ in TestContext.answer },
        offer: SessionOffer? = nil,
        _ body: @escaping @Sendable (inout RawPeer) async throws -> Void
    ) async throws -> Ending<Int> {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client: Void = rawClient(show: { shown.yield($0) }) { peer in
            if receivesFirst { for _ in 0..<2 { _ = try await peer.receive() } }
            try await body(&peer)
        }
        var ending: Ending<Int>?
        for await url in urls {
            ending = await authenticator(url, limits, respond: respond, offer: offer)
            break
        }
        try await client
        return try #require(ending)
    }

    /// The QR secret, which only the two ends may know.
    static func secret(of url: String) throws -> [UInt8] {
        let digits = Array(url.utf8.dropFirst(Invitation.urlPrefix.utf8.count))
        let contents = try QRDigits.decode(digits.span)
        return try #require(try CBORValue.decode(contents.span).mapValue?[1]?.bytesValue)
    }
}
