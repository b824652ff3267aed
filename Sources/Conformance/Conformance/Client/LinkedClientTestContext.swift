internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The test context of a client's linked session: a ``ClientTestContext``, and a link that the client was given before.
struct LinkedClientTestContext: TunnelTestContext {
    let base: ClientTestContext
    let link: TestLink

    static let contactPath = "/cable/contact/"
    static let payloadField = "X-caBLE-Client-Payload"
    static let signalField = "X-caBLE-Signal-Connection"
    private static let nonceByteCount = 16

    var peer: Peer { base.peer }
    var service: WireListener { base.service }
    var identity: ServiceIdentity? { base.identity }
    var acceptance: UpgradeResponse { base.acceptance }

    /// The path of a contact request for a link.
    static func path(of link: TestLink) -> String {
        contactPath + ((try? ContactID(link.contactID))?.base64URL ?? "")
    }

    /// Gives the client a link.
    ///
    /// - Parameter contactID: another than the usual one, for which a link of its own is made.
    static func with(_ base: ClientTestContext, contactID: [UInt8]? = nil) async throws -> Self {
        guard contactID == nil else {
            let context = Self(base: base, link: try TestLink(contactID: contactID))
            try await base.makeLink(context.link)
            return context
        }
        let link = try await base.linked.link(in: base.directory) {
            let link = try TestLink()
            try await base.makeLink(link)
            return link
        }
        return Self(base: base, link: link)
    }

    /// A client that asks for its linked authenticator.
    struct Call: Sendable {
        let request: PendingRequest
        /// The client payload.
        let payload: CBORMap
        /// 16 bytes.
        let nonce: [UInt8]
    }

    func atConnection() async throws -> WireConnection { try await atRequest().connection }

    func atRequest() async throws -> PendingRequest { try await base.sendsContactRequest(link) }

    /// Brings the command so far that it has asked for its linked authenticator.
    func call() async throws -> Call {
        let request = try await atRequest()
        let values = request.head[Self.payloadField]
        guard values.count == 1, let bytes = Hexadecimal.decode(values[0]) else {
            throw Deviation("it sends \(values.count) fields \(Self.payloadField), or one that is not hexadecimal")
        }
        guard let map = try? CBORValue.decodeLenient(bytes.span).mapValue else {
            throw Deviation("its client payload is not a map of CBOR")
        }
        guard let nonce = map[2]?.bytesValue, nonce.count == Self.nonceByteCount else {
            throw Deviation("its client payload has no nonce of \(Self.nonceByteCount) bytes")
        }
        return Call(request: request, payload: map, nonce: nonce)
    }

    /// A plaintext of an advert: 16 bytes, of which the last two are the number of the first domain, as phones draw
    /// them that have Chromium in mind.
    static func plaintext() -> [UInt8] { [0] + randomBytes(count: 13) + [0, 0] }

    /// Seals the plaintext of an advert for a call: 20 bytes.
    func advert(_ plaintext: [UInt8], for call: Call) throws -> TestAdvert {
        TestAdvert(data: try link.secret.seal(advert: plaintext, nonce: call.nonce))
    }

    /// A client that has sent its handshake message.
    struct InitiatedHandshake: Sendable {
        let socket: WebSocketEnd
        /// Its message 1: 81 bytes.
        let message: [UInt8]
        let presharedKey: [UInt8]
    }

    /// Answers a client's call, adverts, and reads its handshake message.
    func receiveHandshake(
        _ call: Call, _ answer: UpgradeResponse? = nil, _ style: PendingRequest.Style = .atOnce,
        plaintext: [UInt8]? = nil
    ) async throws -> InitiatedHandshake {
        let plaintext = plaintext ?? Self.plaintext()
        let socket = try await call.request.answer(answer ?? acceptance, style)
        return try await receiveHandshake(socket, [advert(plaintext, for: call)], plaintext)
    }

    /// Adverts, and reads the handshake message.
    ///
    /// - Parameter plaintext: that of the advert that counts.
    func receiveHandshake(_ socket: WebSocketEnd, _ adverts: [TestAdvert], _ plaintext: [UInt8]) async throws
        -> InitiatedHandshake
    {
        let message = try await base.transmitter.send(adverts) { [peer] in
            try await peer.awaits("its handshake message") { try await socket.message() }
        }
        guard message.count == handshakeMessageByteCount else {
            throw Deviation("its handshake message has \(message.count) bytes, not \(handshakeMessageByteCount)")
        }
        return InitiatedHandshake(
            socket: socket, message: message, presharedKey: link.secret.presharedKey(plaintext))
    }

    /// Answers a client's handshake message.
    func answer(_ initiated: InitiatedHandshake) async throws -> TunnelSession {
        let (response, keys) = try AuthenticatorHandshake.answer(
            initiated.message, scalar: link.scalar, presharedKey: initiated.presharedKey)
        await initiated.socket.send(response)
        return TunnelSession(initiated.socket, keys, asClient: false, timeout: peer.timeout)
    }

    /// Brings the command so far that the first message is due.
    func connected() async throws -> TunnelSession { try await answer(receiveHandshake(call())) }

    func atHandshake(_ answer: UpgradeResponse, sending style: PendingRequest.Style) async throws -> OpenHandshake {
        let initiated = try await receiveHandshake(call(), answer, style)
        let (response, keys) = try AuthenticatorHandshake.answer(
            initiated.message, scalar: link.scalar, presharedKey: initiated.presharedKey)
        return OpenHandshake(socket: initiated.socket, message: response) { mistake in
            try wrong(mistake, initiated)
        } complete: {
            let session = TunnelSession(initiated.socket, keys, asClient: false, timeout: peer.timeout)
            try await base.complete(session)
        }
    }

    private func wrong(_ mistake: HandshakeMistake, _ initiated: InitiatedHandshake) throws -> [UInt8] {
        let other = try TestLink()
        switch mistake {
        case .payload:
            return try AuthenticatorHandshake.answer(
                initiated.message, scalar: link.scalar, presharedKey: initiated.presharedKey,
                payload: Array("payload".utf8)
            ).response
        case .pattern:
            let unrelated = try TestCode()
            let handshake = try ClientHandshake(scalar: unrelated.scalar, presharedKey: initiated.presharedKey)
            return try AuthenticatorHandshake.answer(
                handshake.message, client: unrelated.publicKey, presharedKey: initiated.presharedKey
            ).response
        case .presharedKey, .staticKey:
            // The right answer, but to a client that has another authenticator's key, or another secret.
            let presharedKey =
                mistake == .staticKey ? initiated.presharedKey : other.secret.presharedKey(Self.plaintext())
            let identity = mistake == .staticKey ? other : link
            let handshake = try ClientHandshake(authenticator: identity.publicKey, presharedKey: presharedKey)
            return try AuthenticatorHandshake.answer(
                handshake.message, scalar: identity.scalar, presharedKey: presharedKey
            ).response
        }
    }

    /// Answers so that there is no tunnel, and sends the advert, so that a client that takes the answer for one begins
    /// a handshake.
    func refusesAnswer(_ answer: UpgradeResponse) async throws {
        let call = try await call()
        let socket = try await call.request.answer(answer)
        await peer.record.mistakeIsSent()
        try await base.transmitter.send([advert(Self.plaintext(), for: call)]) { try await givesUp(socket) }
    }

    func checkHasNoTunnel() {}

    func givesUp(_ socket: WebSocketEnd) async throws { try await base.givesUp(socket) }

    func givesUp(_ session: TunnelSession) async throws { try await base.givesUp(session) }
}
