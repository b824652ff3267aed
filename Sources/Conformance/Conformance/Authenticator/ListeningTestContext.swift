internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// The test context of an authenticator's linked session: an ``AuthenticatorTestContext``, a link that the
/// authenticator has offered before, and its command that waits for linked clients.
struct ListeningTestContext: TunnelTestContext {
    let base: AuthenticatorTestContext
    let contactService: ScriptedContactService
    let link: ReceivedLink
    /// The registration of the command.
    let registration: ScriptedContactService.Registration

    /// The time after which an authenticator that must not connect counts as absent.
    private static let absenceTimeout = Duration.seconds(1)
    /// The time between attempts to wake an authenticator that is busy.
    private static let pause = Duration.milliseconds(200)

    var peer: Peer { base.peer }
    var service: WireListener { base.service }
    var identity: ServiceIdentity? { base.identity }
    var acceptance: UpgradeResponse { UpgradeResponse(routingID: nil) }

    /// Starts the command that waits, and runs a case once it can be woken.
    static func with(
        _ base: AuthenticatorTestContext, _ script: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        guard let command = base.links.linked else {
            throw NotApplicable("it needs a command that waits for linked clients", needs: .listenCommand)
        }
        let link = try await base.link()
        // The session that brought the link had an advert.
        _ = base.receivedAdverts.takeAll()
        try await base.withContactService { contactService in
            try await base.peer.start(command)
            let registration = try await base.peer.awaits("its registration") {
                try await contactService.registrations.next()
            }
            guard let registration = try registration?.get() else { throw CancellationError() }
            try await script(Self(base: base, contactService: contactService, link: link, registration: registration))
        }
    }

    // MARK: - Waking

    /// A client's contact request.
    struct Call: Sendable {
        let nonce: [UInt8]
        let wake: ScriptedContactService.Wake
    }

    /// The client payload of a right contact request.
    ///
    /// - Parameters:
    ///   - nonce: 16 bytes, new ones if nil.
    ///   - hint: the hint of the request to come.
    func payload(nonce: [UInt8]? = nil, hint: String = "mc") throws -> CBORMap {
        [
            1: .bytes(try link.linkID), 2: .bytes(nonce ?? randomBytes(count: ClientNonce.byteCount)),
            3: .text(hint),
        ]
    }

    /// Wakes the authenticator.
    ///
    /// - Parameter payload: the client payload; a right one if nil.
    func call(_ payload: CBORMap? = nil) async throws -> Call {
        let payload = try payload ?? self.payload()
        return Call(nonce: payload[2]?.bytesValue ?? [], wake: try await wake(payload.encoded()))
    }

    /// Wakes the authenticator with any client payload.
    func wake(_ payload: [UInt8], contactID: [UInt8]? = nil) async throws -> ScriptedContactService.Wake {
        let wake = ScriptedContactService.Wake(tunnelID: randomBytes(count: TunnelID.byteCount), payload: payload)
        try await contactService.wake(try contactID ?? link.contactID, wake)
        return wake
    }

    /// Waits until the authenticator has come for a client.
    ///
    /// - Returns: its request; nil if it declines.
    private func request(for wake: ScriptedContactService.Wake) async throws -> PendingRequest? {
        try await withThrowingTaskGroup(of: PendingRequest?.self) { group in
            group.addTask { [contactService] in try await contactService.requests.next() }
            group.addTask { [contactService] in
                while let answer = try await contactService.answers.next() {
                    if case .decline(let tunnelID) = answer, tunnelID == wake.tunnelID { return nil }
                }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Waits for the request by which the authenticator joins a client's tunnel.
    func joins(_ call: Call) async throws -> PendingRequest {
        let request = try await peer.awaits("its request for the client's tunnel") {
            try await self.request(for: call.wake)
        }
        guard let request else { throw Deviation("it declines the client") }
        let tunnel = Hexadecimal.encode(call.wake.tunnelID)
        let expected = "/cable/connect/\(AuthenticatorTestContext.routingIDText)/\(tunnel)"
        let path = request.head.path
        try demand(path.lowercased() == expected, "it asks for \(path.prefix(80)), not \(expected)")
        return request
    }

    /// Demands that the authenticator does not join a client's tunnel, and joins the next one's.
    func ignores(_ wake: ScriptedContactService.Wake) async throws {
        let request = try? await within(Self.absenceTimeout, "its request") { try await self.request(for: wake) }
        if let request = request ?? nil { throw Deviation("it asks for \(request.head.path.prefix(80))") }
        try hasNotAdvertised("it advertises")
        try await serves()
    }

    /// Demands that nothing was advertised since the radio was last listened to; a real one carries others' adverts
    /// too, and says nothing.
    func hasNotAdvertised(_ deviation: String) throws {
        try demand(!base.isRadioExclusive || base.receivedAdverts.takeAll().isEmpty, deviation)
    }

    /// Demands that the authenticator joins another client's tunnel, as soon as it has time.
    func serves() async throws {
        try await within(peer.timeout, "its request for the next client's tunnel") {
            while true {
                let wake = try await self.wake(payload().encoded())
                if let request = try await self.request(for: wake) { return await request.connection.close() }
                try await Task.sleep(for: Self.pause)
            }
        }
        try demand(!peer.hasEnded, "it has ended, and cannot be woken any more")
    }

    /// Loses the authenticator that listens, and demands that it comes back.
    func reconnects() async throws {
        await contactService.closeListener()
        let again = try await peer.awaits("its registration") { [contactService] in
            try await contactService.registrations.next()
        }
        try demand(try again?.get().listens == true, "it does not listen")
        try await serves()
    }

    // MARK: - Sessions

    /// An advert for a call, decrypted.
    func advert(_ call: Call) async throws -> AuthenticatorTestContext.Advert {
        let secret = try link.secret
        return try await peer.awaits("its advert") { [base] in
            while let received = try await base.receivedAdverts.next() {
                let plaintext = try secret.open(advert: received.serviceData, nonce: call.nonce)
                if let plaintext { return AuthenticatorTestContext.Advert(received: received, plaintext: plaintext) }
            }
            throw Deviation("no more adverts can be received")
        }
    }

    /// An authenticator that waits for the handshake.
    struct Rendezvous: Sendable {
        let socket: WebSocketEnd
        let advert: AuthenticatorTestContext.Advert
    }

    /// Brings the authenticator so far that it waits for the handshake.
    func rendezvous(
        _ payload: CBORMap? = nil, _ answer: UpgradeResponse? = nil, _ style: PendingRequest.Style = .atOnce
    ) async throws -> Rendezvous {
        let call = try await call(payload)
        let socket = try await joins(call).answer(answer ?? acceptance, style)
        return Rendezvous(socket: socket, advert: try await advert(call))
    }

    /// Brings the authenticator so far that its first message is due.
    func connected(_ payload: CBORMap? = nil) async throws -> TunnelSession {
        let rendezvous = try await rendezvous(payload)
        let handshake = try handshake(rendezvous)
        await rendezvous.socket.send(handshake.message)
        return try await base.shakeHands(handshake, on: rendezvous.socket)
    }

    /// Brings the authenticator so far that it waits for a request.
    func ready(_ payload: CBORMap? = nil) async throws -> TunnelSession {
        let session = try await connected(payload)
        _ = try await base.firstMessage(session)
        return session
    }

    /// Goes through the rest of a session that is ready: makes a passkey, and shuts down.
    func complete(_ session: TunnelSession) async throws {
        let answer = try await base.ask(session, AuthenticatorTestContext.makeCredential())
        try demand(answer.status == 0, "it refuses makeCredential with status \(hexadecimal(answer.status))")
        try await session.send(TunnelSession.MessageType.shutdown)
        // An authenticator may wait for us to close, or close itself.
        _ = try? await within(Self.absenceTimeout, "its end") { while true { _ = try await session.next() } }
        await session.socket.close()
        try demand(!peer.hasEnded, "it has ended, and cannot be woken any more")
    }

    private func handshake(_ rendezvous: Rendezvous) throws -> ClientHandshake {
        try ClientHandshake(
            authenticator: link.publicKey, presharedKey: link.secret.presharedKey(rendezvous.advert.plaintext))
    }

    func atConnection() async throws -> WireConnection { try await atRequest().connection }

    func atRequest() async throws -> PendingRequest { try await joins(call()) }

    func atHandshake(_ answer: UpgradeResponse, sending style: PendingRequest.Style) async throws -> OpenHandshake {
        let rendezvous = try await rendezvous(nil, answer, style)
        let handshake = try handshake(rendezvous)
        return OpenHandshake(socket: rendezvous.socket, message: handshake.message) { mistake in
            try wrong(mistake, rendezvous)
        } complete: {
            let session = try await base.shakeHands(handshake, on: rendezvous.socket)
            _ = try await base.firstMessage(session)
            try await complete(session)
        }
    }

    private func wrong(_ mistake: HandshakeMistake, _ rendezvous: Rendezvous) throws -> [UInt8] {
        let plaintext = rendezvous.advert.plaintext
        let right = try link.secret.presharedKey(plaintext)
        switch mistake {
        case .presharedKey:
            return try ClientHandshake(
                authenticator: link.publicKey, presharedKey: TestLink().secret.presharedKey(plaintext)
            ).message
        case .staticKey: return try ClientHandshake.linkedMessage(presharedKey: right)
        case .payload:
            return try ClientHandshake(
                authenticator: link.publicKey, presharedKey: right, payload: Array("payload".utf8)
            ).message
        case .pattern: return try ClientHandshake(scalar: TestCode().scalar, presharedKey: right).message
        }
    }

    func checkHasNoTunnel() throws { try hasNotAdvertised("it advertises a tunnel that it does not have") }

    func givesUp(_ socket: WebSocketEnd) async throws {
        try await staysSilent(socket)
        try demand(!peer.hasEnded, "it has ended, and cannot be woken any more")
    }

    func givesUp(_ session: TunnelSession) async throws {
        let status = try await session.goesNoFurther()
        try demand(!peer.hasEnded, "it has ended, and cannot be woken any more")
        try AuthenticatorTestContext.noteError(status)
    }
}
