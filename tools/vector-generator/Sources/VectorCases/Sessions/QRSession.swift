internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A QR-initiated session with all its keys (the article Ceremony of HybridProtocol).
struct QRSession: CraftedSession {
    let staticKey: [UInt8]
    let ephemeral: SessionHandshake.EphemeralKeys
    let secret: [UInt8]
    /// Key 4 of the QR code.
    let linking: Bool?
    let url: String
    let plaintext: AdvertPlaintext
    let advert: [UInt8]
    let presharedKey: [UInt8]
    let handshake: SessionHandshake
    var script = SealedScript()

    /// The time of all QR codes: a moment of November 2026.
    private static let timestamp: UInt64 = 1_795_262_400

    /// Makes a session of the bytes that its label gives.
    init(
        _ label: String, _ seed: VectorSeed, domain: UInt16 = 0, hint: RequestHint = .getAssertion,
        linking: Bool? = false, channels: [ChannelIdentifier] = [.webSocket]
    ) throws {
        staticKey = seed.privateKey("session/\(label)/client")
        ephemeral = SessionHandshake.EphemeralKeys(
            client: seed.privateKey("session/\(label)/initiator"),
            authenticator: seed.privateKey("session/\(label)/responder"))
        secret = seed.bytes("session/\(label)/secret", Invitation.secretByteCount)
        self.linking = linking
        plaintext = try AdvertPlaintext(
            nonce: seed.bytes("session/\(label)/nonce", AdvertPlaintext.nonceByteCount),
            routingID: RoutingID(seed.bytes("session/\(label)/routing", RoutingID.byteCount)),
            domain: TunnelDomain(domain))
        let details = Invitation.Details(
            timestamp: Self.timestamp, supportsLinking: linking, hint: hint, channels: channels)
        url = try Self.url(staticKey, secret, details)
        advert = try CraftedAdvert(plaintext.bytes, eidKey: CraftedAdvert.eidKey(secret)).bytes
        presharedKey = SessionHandshake.presharedKey(secret, plaintext.bytes)
        handshake = try SessionHandshake(.knPSK0, staticKey: staticKey, presharedKey: presharedKey, ephemeral)
    }

    private static func url(_ staticKey: [UInt8], _ secret: [UInt8], _ details: Invitation.Details) throws -> String {
        let publicKey = try P256.PrivateKey(scalar: staticKey.span).publicKey
        return try Invitation(
            clientPublicKey: publicKey, secret: SecretBytes(copying: secret.span), details: details
        ).url()
    }

    /// Both handshake messages with a payload of one byte, which no peer may send.
    func handshakeMessagesWithPayload() throws -> (message1: [UInt8], message2: [UInt8]) {
        func run(_ client: [UInt8], _ authenticator: [UInt8]) throws -> SessionHandshake {
            try SessionHandshake(
                .knPSK0, staticKey: staticKey, presharedKey: presharedKey, ephemeral, payloads: (client, authenticator))
        }
        // Message 2 answers an honest message 1.
        return (try run([0], []).message1, try run([], [0]).message2)
    }

    func input(_ side: SessionSide) -> CaseFields {
        switch side {
        case .authenticator:
            [
                "url": .string(url), "domain_id": .integer(plaintext.domain.number),
                "routing_id": .hex(plaintext.routingID.bytes), "advert_nonce": .hex(plaintext.nonce),
                "ephemeral_private": .hex(ephemeral.authenticator), "message_1": .hex(handshake.message1),
                "frames": script.input(side),
            ]
        case .client:
            [
                "static_private": .hex(staticKey), "secret": .hex(secret), "advert": .hex(advert),
                "ephemeral_private": .hex(ephemeral.client), "message_2": .hex(handshake.message2),
                "frames": script.input(side),
            ]
        }
    }

    static func operation(_ side: SessionSide) -> String { "session.\(side.rawValue)" }

    static func outcome(_ side: SessionSide) -> [String] {
        switch side {
        case .authenticator: ["tunnel_id", "eid_key", "advert", "psk", "message_2"] + outcomeOfHandshake
        case .client: ["tunnel_id", "eid_key", "plaintext", "psk", "message_1"] + outcomeOfHandshake
        }
    }
}
