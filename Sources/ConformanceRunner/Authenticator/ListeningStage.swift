internal import CBOR
internal import ContactProtocol
internal import Cryptography
internal import Edges
internal import HybridProtocol

/// What a case of a linked session plays on: as ``AuthenticatorStage``, with a link that the authenticator has offered before, and
/// its command that waits for linked clients.
struct ListeningStage: TunnelStage {
    let base: AuthenticatorStage
    let side: ContactSide
    let link: ReceivedLink
    /// What the command has registered.
    let registration: ContactSide.Registration

    /// How long an authenticator that must not come is waited for.
    private static let vigil = Duration.seconds(1)
    /// How long an authenticator that is still busy is given before it is asked again.
    private static let pause = Duration.milliseconds(200)

    var peer: Peer { base.peer }
    var service: WireListener { base.service }
    var acceptance: UpgradeAnswer { UpgradeAnswer(routingID: nil) }

    /// Starts the command that waits, and lets a case play once it can be woken.
    static func with(
        _ base: AuthenticatorStage, _ play: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        guard let command = base.links.linked else {
            throw NotApplicable("it needs a command that waits for linked clients: give it with --listen-command")
        }
        let link = try await base.link()
        // The session that brought the link had an advert.
        _ = base.ear.takeAll()
        try await base.withContactSide { side in
            try await base.peer.start(command)
            let registration = try await base.peer.awaits("its registration") { try await side.registrations.next() }
            guard let registration = try registration?.get() else { throw CancellationError() }
            try await play(Self(base: base, side: side, link: link, registration: registration))
        }
    }

    // MARK: - Waking

    /// A client that calls.
    struct Call: Sendable {
        let nonce: [UInt8]
        let wake: ContactSide.Wake
    }

    /// What a right client tells the authenticator.
    ///
    /// - Parameters:
    ///   - nonce: 16 bytes, new ones if nil.
    ///   - hint: what it is going to ask for.
    func payload(nonce: [UInt8]? = nil, hint: String = "mc") throws -> CBORMap {
        [
            1: .bytes(try link.linkID), 2: .bytes(try nonce ?? randomBytes(count: ClientNonce.byteCount)),
            3: .text(hint),
        ]
    }

    /// Wakes the authenticator.
    ///
    /// - Parameter payload: what it is told; a right client's if nil.
    func call(_ payload: CBORMap? = nil) async throws -> Call {
        let payload = try payload ?? self.payload()
        return Call(nonce: payload[2]?.bytesValue ?? [], wake: try await wake(payload.encoded()))
    }

    /// Wakes the authenticator, and tells it what a case likes.
    func wake(_ payload: [UInt8], contactID: [UInt8]? = nil) async throws -> ContactSide.Wake {
        let wake = ContactSide.Wake(tunnelID: try randomBytes(count: TunnelID.byteCount), payload: payload)
        try await side.wake(try contactID ?? link.contactID, wake)
        return wake
    }

    /// Waits until the authenticator has come for a client.
    ///
    /// - Returns: its request; nil if it declines.
    private func request(for wake: ContactSide.Wake) async throws -> TunnelRequest? {
        try await withThrowingTaskGroup(of: TunnelRequest?.self) { group in
            group.addTask { [side] in try await side.requests.next() }
            group.addTask { [side] in
                while let answer = try await side.answers.next() {
                    if case .decline(let tunnelID) = answer, tunnelID == wake.tunnelID { return nil }
                }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Waits for the request by which the authenticator joins a client's tunnel.
    func joins(_ call: Call) async throws -> TunnelRequest {
        let request = try await peer.awaits("its request for the client's tunnel") {
            try await self.request(for: call.wake)
        }
        guard let request else { throw Deviation("it declines the client") }
        let tunnel = call.wake.tunnelID.map(hexadecimalDigits).joined()
        let expected = "/cable/connect/\(AuthenticatorStage.routingIDText)/\(tunnel)"
        let path = request.head.path
        try demand(path.lowercased() == expected, "it asks for \(path.prefix(80)), not \(expected)")
        return request
    }

    /// Demands that the authenticator does not come for a client, and comes for the next one.
    func turnsAway(_ wake: ContactSide.Wake) async throws {
        let request = try? await within(Self.vigil, "its request") { try await self.request(for: wake) }
        if let request = request ?? nil { throw Deviation("it asks for \(request.head.path.prefix(80))") }
        try hasNotAdvertised("it advertises")
        try await serves()
    }

    /// Demands that nothing was advertised since the radio was last listened to; a real one carries others' adverts too, and says
    /// nothing.
    func hasNotAdvertised(_ deviation: String) throws {
        try demand(!base.isAlone || base.ear.takeAll().isEmpty, deviation)
    }

    /// Demands that the authenticator comes for another client, as soon as it has time.
    func serves() async throws {
        try await within(peer.patience, "its request for the next client's tunnel") {
            while true {
                let wake = try await self.wake(payload().encoded())
                if let request = try await self.request(for: wake) { return await request.connection.close() }
                try await Task.sleep(for: Self.pause)
            }
        }
        try demand(!peer.hasEnded, "it has ended, and can be woken no more")
    }

    /// Loses the authenticator that listens, and demands that it comes back.
    func comesBack() async throws {
        await side.hangUp()
        let again = try await peer.awaits("its registration") { [side] in try await side.registrations.next() }
        try demand(try again?.get().listens == true, "it does not listen")
        try await serves()
    }

    // MARK: - Sessions

    /// An advert for a call, opened.
    func advert(_ call: Call) async throws -> AuthenticatorStage.Advert {
        let secret = try link.secret
        return try await peer.awaits("its advert") { [base] in
            while let received = try await base.ear.next() {
                let plaintext = try secret.open(advert: received.serviceData, nonce: call.nonce)
                if let plaintext { return AuthenticatorStage.Advert(received: received, plaintext: plaintext) }
            }
            throw Deviation("the radio fell silent")
        }
    }

    /// An authenticator that waits for the handshake.
    struct Meeting: Sendable {
        let socket: WebSocketEnd
        let advert: AuthenticatorStage.Advert
    }

    /// Brings the authenticator so far that it waits for the handshake.
    func meet(
        _ payload: CBORMap? = nil, _ answer: UpgradeAnswer? = nil, _ style: TunnelRequest.Style = .atOnce
    ) async throws -> Meeting {
        let call = try await call(payload)
        let socket = try await joins(call).answer(answer ?? acceptance, style)
        return Meeting(socket: socket, advert: try await advert(call))
    }

    /// Brings the authenticator so far that its first message is due.
    func connected(_ payload: CBORMap? = nil) async throws -> PlayedSession {
        let meeting = try await meet(payload)
        let handshake = try handshake(meeting)
        await meeting.socket.send(handshake.message)
        return try await base.shakeHands(handshake, on: meeting.socket)
    }

    /// Brings the authenticator so far that it waits for a request.
    func ready(_ payload: CBORMap? = nil) async throws -> PlayedSession {
        let session = try await connected(payload)
        _ = try await base.firstMessage(session)
        return session
    }

    /// Goes through the rest of a session that is ready: makes a passkey, and shuts down.
    func complete(_ session: PlayedSession) async throws {
        let answer = try await base.ask(session, AuthenticatorStage.makeCredential())
        try demand(answer.status == 0, "it refuses makeCredential with status \(hexadecimal(answer.status))")
        try await session.send(PlayedSession.MessageType.shutdown)
        // An authenticator may wait for us to close, or close itself.
        _ = try? await within(Self.vigil, "its end") { while true { _ = try await session.next() } }
        await session.socket.close()
        try demand(!peer.hasEnded, "it has ended, and can be woken no more")
    }

    private func handshake(_ meeting: Meeting) throws -> ClientHandshake {
        try ClientHandshake(
            authenticator: link.publicKey, presharedKey: link.secret.presharedKey(meeting.advert.plaintext))
    }

    func atRequest() async throws -> TunnelRequest { try await joins(call()) }

    func atHandshake(_ answer: UpgradeAnswer, sending style: TunnelRequest.Style) async throws -> OpenHandshake {
        let meeting = try await meet(nil, answer, style)
        let handshake = try handshake(meeting)
        return OpenHandshake(socket: meeting.socket, message: handshake.message) { mistake in
            try wrong(mistake, meeting)
        } complete: {
            let session = try await base.shakeHands(handshake, on: meeting.socket)
            _ = try await base.firstMessage(session)
            try await complete(session)
        }
    }

    private func wrong(_ mistake: HandshakeMistake, _ meeting: Meeting) throws -> [UInt8] {
        let plaintext = meeting.advert.plaintext
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
        try demand(!peer.hasEnded, "it has ended, and can be woken no more")
    }

    func givesUp(_ session: PlayedSession) async throws {
        try await session.goesNoFurther()
        try demand(!peer.hasEnded, "it has ended, and can be woken no more")
    }
}
