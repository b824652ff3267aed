internal import BluetoothLE
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// The test context of an authenticator's case: the client, the adverts received, and the tunnel service.
struct AuthenticatorTestContext: TunnelTestContext {
    let peer: Peer
    let service: WireListener
    /// The adverts received.
    let receivedAdverts: Mailbox<ReceivedAdvert>
    /// The simulated radio, of which each case has its own; nil for a real one.
    let radio: SimulatedRadioAddress?
    /// The QR code, right unless a case changes it.
    let code: TestCode
    /// The commands that take up and use a link.
    let links: LinkCommands
    /// The case's own directory.
    let directory: String
    /// The directory of an authenticator that was linked.
    let linked: LinkedDirectory<ReceivedLink>
    let identity: ServiceIdentity?

    /// The routing ID of the runner's tunnel service.
    static let routingID: [UInt8] = [0xA1, 0x0B, 0xC2]
    static let routingIDText = "a10bc2"

    var acceptance: UpgradeResponse { UpgradeResponse(routingID: Self.routingIDText) }

    /// An advert of ours, decrypted.
    struct Advert: Sendable {
        let received: ReceivedAdvert
        /// 16 bytes.
        let plaintext: [UInt8]
    }

    /// Sets a test context up, runs the case, and takes everything down.
    static func with(
        _ settings: ProgramSettings, ports: RadioPorts, linked: LinkedDirectory<ReceivedLink>,
        record: CaseRecord, _ script: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        if case .scanner(let scanner) = settings.radio.kind {
            return try await with(settings, scanner, at: nil, linked: linked, record: record, script)
        }
        while true {
            let address = try await ports.next()
            do {
                return try await with(
                    settings, SimulatedScanner(at: address), at: address, linked: linked, record: record, script)
            } catch let error as RadioError {
                // Another process was faster.
                guard error.code == .addressInUse else { throw error }
            }
        }
    }

    private static func with(
        _ settings: ProgramSettings, _ scanner: any AdvertScanner, at radio: SimulatedRadioAddress?,
        linked: LinkedDirectory<ReceivedLink>, record: CaseRecord,
        _ script: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        let name = radio.map { "udp:\($0)" } ?? ""
        try await ScratchDirectory.with { directory in
            try await WireListener.with(
                host: settings.listenAddress, port: Int(settings.port), tls: settings.identity?.context, record: record
            ) { service in
                let peer = Peer(
                    settings.command, settings.values(port: service.port, radio: name, directory: directory),
                    timeout: settings.timeout, record: record)
                defer { peer.kill() }
                try await scanner.scan { adverts in
                    let receivedAdverts = Mailbox<ReceivedAdvert>()
                    let context = Self(
                        peer: peer, service: service, receivedAdverts: receivedAdverts, radio: radio,
                        code: try TestCode(),
                        links: settings.links, directory: directory, linked: linked, identity: settings.identity)
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        group.addTask {
                            for try await advert in adverts {
                                record.transcript.advert(.received, "service data", advert.serviceData)
                                receivedAdverts.put(advert)
                            }
                            return false
                        }
                        group.addTask {
                            try await script(context)
                            return true
                        }
                        defer { group.cancelAll() }
                        while let isOver = try await group.next(), !isOver {}
                    }
                }
            }
        }
    }

    /// True if every advert received is the command's.
    var isRadioExclusive: Bool { radio != nil }

    /// Starts the command with a code, and waits for its request.
    func atRequest(_ code: TestCode) async throws -> PendingRequest {
        try await peer.start(url: code.url)
        return try await request()
    }

    func atRequest() async throws -> PendingRequest { try await atRequest(code) }

    func atConnection() async throws -> WireConnection {
        try await peer.start(url: code.url)
        return try await connection()
    }

    /// Waits for an advert of ours.
    func advert(_ code: TestCode) async throws -> Advert {
        try await peer.awaits("its advert") { [receivedAdverts, peer] in
            while let received = try await receivedAdverts.next() {
                guard let advert = try Self.open(received, code) else { continue }
                // The suffix came with CTAP 2.3.
                if received.serviceData.count > AdvertKey.advertByteCount { peer.record.note(edition: .ctap23) }
                peer.record.transcript.advert(.received, "advert, decrypted", advert.plaintext)
                return advert
            }
            throw Deviation("no more adverts can be received")
        }
    }

    /// True if an advert of ours was received that no case has taken.
    func hasHeard(_ code: TestCode) throws -> Bool {
        try receivedAdverts.takeAll().contains { try isRadioExclusive || Self.open($0, code) != nil }
    }

    private static func open(_ received: ReceivedAdvert, _ code: TestCode) throws -> Advert? {
        guard let plaintext = try code.secret.open(advert: received.serviceData) else { return nil }
        return Advert(received: received, plaintext: plaintext)
    }

    /// A command that has opened its tunnel and advertised it, and to whose tunnel we have come.
    struct Rendezvous: Sendable {
        let code: TestCode
        let socket: WebSocketEnd
        let advert: Advert
    }

    /// Brings the command so far that it waits for the handshake.
    func rendezvous(
        _ code: TestCode? = nil, _ answer: UpgradeResponse? = nil, _ style: PendingRequest.Style = .atOnce
    ) async throws -> Rendezvous {
        let code = code ?? self.code
        return try await rendezvous(atRequest(code), code, answer: answer, style: style)
    }

    /// The same, once the command has asked for its tunnel.
    func rendezvous(
        _ request: PendingRequest, _ code: TestCode, answer: UpgradeResponse? = nil,
        style: PendingRequest.Style = .atOnce
    ) async throws -> Rendezvous {
        let socket = try await request.answer(answer ?? acceptance, style)
        return Rendezvous(code: code, socket: socket, advert: try await advert(code))
    }

    /// Our handshake message, with its one chance to be answered.
    func handshake(_ rendezvous: Rendezvous) throws -> ClientHandshake {
        try handshake(rendezvous.code, rendezvous.advert)
    }

    /// Our handshake message to the sender of an advert.
    func handshake(_ code: TestCode, _ advert: Advert) throws -> ClientHandshake {
        try ClientHandshake(scalar: code.scalar, presharedKey: code.secret.presharedKey(advert.plaintext))
    }

    /// Reads the answer to our handshake message, which was sent.
    func shakeHands(_ handshake: ClientHandshake, on socket: WebSocketEnd) async throws -> TunnelSession {
        let response = try await peer.awaits("its handshake message") { try await socket.message() }
        let expected = handshakeMessageByteCount
        guard response.count == expected else {
            throw Deviation("its handshake message has \(response.count) bytes, not \(expected)")
        }
        return TunnelSession(socket, try handshake.finish(response), asClient: true, timeout: peer.timeout)
    }

    /// Brings the command so far that its first message is due.
    func connected(_ code: TestCode? = nil) async throws -> TunnelSession {
        try await connected(rendezvous(code))
    }

    /// The same, once the tunnel was joined.
    func connected(_ rendezvous: Rendezvous) async throws -> TunnelSession {
        let handshake = try handshake(rendezvous)
        await rendezvous.socket.send(handshake.message)
        return try await shakeHands(handshake, on: rendezvous.socket)
    }

    /// Brings the command so far that it waits for a request.
    func ready(_ code: TestCode? = nil) async throws -> TunnelSession {
        let session = try await connected(code)
        _ = try await firstMessage(session)
        return session
    }

    func atHandshake(_ answer: UpgradeResponse, sending style: PendingRequest.Style) async throws -> OpenHandshake {
        let rendezvous = try await rendezvous(nil, answer, style)
        let handshake = try handshake(rendezvous)
        return OpenHandshake(socket: rendezvous.socket, message: handshake.message) { mistake in
            try wrong(mistake, rendezvous.code, rendezvous.advert)
        } complete: {
            let session = try await shakeHands(handshake, on: rendezvous.socket)
            _ = try await firstMessage(session)
            try await complete(session)
        }
    }

    /// Our handshake message, but for one thing.
    func wrong(_ mistake: HandshakeMistake, _ code: TestCode, _ advert: Advert) throws -> [UInt8] {
        let right = code.secret.presharedKey(advert.plaintext)
        let other = try TestCode()
        switch mistake {
        case .presharedKey:
            return try ClientHandshake(
                scalar: code.scalar, presharedKey: other.secret.presharedKey(advert.plaintext)
            ).message
        case .staticKey: return try ClientHandshake(scalar: other.scalar, presharedKey: right).message
        case .payload:
            return try ClientHandshake(scalar: code.scalar, presharedKey: right, payload: Array("payload".utf8)).message
        case .pattern: return try ClientHandshake.linkedMessage(presharedKey: right)
        }
    }
}

// An authenticator's session for digital credentials, in the test context.
extension AuthenticatorTestContext {
    private typealias MessageType = TunnelSession.MessageType

    /// Brings the command so far that it waits for a request for a digital credential.
    ///
    /// - Throws: ``NotApplicable`` if it takes none.
    func readyForCredentials() async throws -> TunnelSession {
        let session = try await connected()
        let features = try await firstMessage(session)[3]?.arrayValue ?? []
        guard features.contains(.text(DigitalCredentialMessages.feature)) else {
            throw NotApplicable("it does not offer digital credentials")
        }
        return session
    }

    /// Asks for a digital credential, and waits for the answer.
    func ask(
        _ session: TunnelSession, json text: String = DigitalCredentialMessages.Request().text
    ) async throws -> DigitalCredentialMessages.Reply {
        try await session.send(MessageType.json, Array(text.utf8))
        return try await reply(session)
    }

    /// Waits for the answer to a request that was sent.
    func reply(_ session: TunnelSession) async throws -> DigitalCredentialMessages.Reply {
        try DigitalCredentialMessages.reply(try await session.next(MessageType.json, "its answer"))
    }

    /// Shuts a session down that was used, and waits until the command has ended, well or not: it may say that it gave
    /// nothing.
    func shutDown(_ session: TunnelSession) async throws {
        try await session.send(MessageType.shutdown)
        await session.socket.close()
        try await peer.ended()
    }
}
