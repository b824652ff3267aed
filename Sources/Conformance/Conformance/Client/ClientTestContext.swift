internal import BluetoothLE
internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// The test context of a client's case: the authenticator, its adverts, and the tunnel service.
struct ClientTestContext: TunnelTestContext {
    let peer: Peer
    let service: WireListener
    let transmitter: AdvertTransmitter
    /// The number of the tunnel domain that adverts name.
    let domain: UInt16
    /// The commands that make and use a link.
    let links: LinkCommands
    /// The case's own directory.
    let directory: String
    /// The directory of a client that was linked.
    let linked: LinkedDirectory<TestLink>
    let identity: ServiceIdentity?

    /// The routing ID in adverts.
    static let routingID: [UInt8] = [0xA1, 0x0B, 0xC2]
    /// The time after which a client that must not connect counts as absent.
    static let absenceTimeout = Duration.seconds(1)

    var acceptance: UpgradeResponse { UpgradeResponse(routingID: nil) }

    /// Sets a test context up, runs the case, and takes everything down.
    static func with(
        _ settings: ProgramSettings, ports: RadioPorts, linked: LinkedDirectory<TestLink>,
        record: CaseRecord, _ script: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        let transmitter: AdvertTransmitter.Radio
        var radio = ""
        if case .advertiser(let advertiser) = settings.radio.kind {
            transmitter = .real(advertiser)
        } else {
            let address = try await ports.next()
            transmitter = .simulated(address)
            radio = "udp:\(address)"
        }
        let name = radio
        try await ScratchDirectory.with { directory in
            try await WireListener.with(
                host: settings.listenAddress, port: Int(settings.port), tls: settings.identity?.context, record: record
            ) { service in
                let peer = Peer(
                    settings.command, settings.values(port: service.port, radio: name, directory: directory),
                    timeout: settings.timeout, record: record)
                defer { peer.kill() }
                try await script(
                    Self(
                        peer: peer, service: service,
                        transmitter: AdvertTransmitter(radio: transmitter, record: record), domain: settings.domain,
                        links: settings.links,
                        directory: directory, linked: linked, identity: settings.identity))
            }
        }
    }

    /// Starts the command, and reads the code that it shows.
    ///
    /// - Parameter other: another command than the usual one.
    func start(_ other: CommandTemplate? = nil) async throws -> ScannedCode {
        let program = try await peer.start(other)
        let start = ContinuousClock.now
        let url = try await within(peer.timeout, "the text of its QR code") { [peer] in
            var reader = CodeReader()
            while let piece = try await program.nextOutput() {
                guard let text = reader.take(piece) else { continue }
                peer.record.transcript.note("process", "the command wrote a QR code of \(text.count) characters")
                return text
            }
            let text = CBORValue.text(String(decoding: reader.beginning, as: UTF8.self)).diagnostic()
            let hasEnded = program.hasWrittenTooMuch ? "it wrote more than 1 MiB" : "it ended"
            throw Deviation("\(hasEnded) without writing the text of a QR code: \(text)")
        }
        peer.record.note(step: .now - start)
        let code = try ScannedCode(url: url)
        peer.record.note(edition: code.edition)
        return code
    }

    /// A plaintext of an advert of our session: 16 bytes.
    ///
    /// - Parameter domain: the number of the tunnel domain; the context's own if nil.
    func plaintext(domain: UInt16? = nil) -> [UInt8] {
        let number = domain ?? self.domain
        return [0] + randomBytes(count: 10) + Self.routingID + [UInt8(number & 0xFF), UInt8(number >> 8)]
    }

    /// Seals the plaintext of an advert: 20 bytes.
    static func seal(_ plaintext: [UInt8], _ code: ScannedCode) throws -> [UInt8] {
        try code.secret.seal(advert: plaintext)
    }

    /// Waits for the client while adverts are sent.
    func request(sending adverts: [TestAdvert]) async throws -> PendingRequest {
        try await transmitter.send(adverts) { try await request() }
    }

    /// A client that has come to our tunnel.
    struct Rendezvous: Sendable {
        let code: ScannedCode
        let plaintext: [UInt8]
        let request: PendingRequest
    }

    /// Brings the command so far that it has asked for our tunnel.
    func rendezvous() async throws -> Rendezvous { try await rendezvous(start()) }

    /// The same, once its code was read.
    func rendezvous(_ code: ScannedCode) async throws -> Rendezvous {
        let plaintext = plaintext()
        let request = try await request(sending: [TestAdvert(data: Self.seal(plaintext, code))])
        return Rendezvous(code: code, plaintext: plaintext, request: request)
    }

    func atConnection() async throws -> WireConnection {
        let advert = TestAdvert(data: try Self.seal(plaintext(), try await start()))
        return try await transmitter.send([advert], mustArrive: false) { try await connection() }
    }

    func atRequest() async throws -> PendingRequest { try await rendezvous().request }

    /// A client that has sent its handshake message.
    struct InitiatedHandshake: Sendable {
        let code: ScannedCode
        let socket: WebSocketEnd
        /// Its message 1: 81 bytes.
        let message: [UInt8]
        let presharedKey: [UInt8]
    }

    /// Answers a client's request, and reads its handshake message.
    func receiveHandshake(
        _ rendezvous: Rendezvous, _ answer: UpgradeResponse? = nil, _ style: PendingRequest.Style = .atOnce
    ) async throws -> InitiatedHandshake {
        let socket = try await rendezvous.request.answer(answer ?? acceptance, style)
        let message = try await peer.awaits("its handshake message") { try await socket.message() }
        guard message.count == handshakeMessageByteCount else {
            throw Deviation("its handshake message has \(message.count) bytes, not \(handshakeMessageByteCount)")
        }
        return InitiatedHandshake(
            code: rendezvous.code, socket: socket, message: message,
            presharedKey: rendezvous.code.secret.presharedKey(rendezvous.plaintext))
    }

    /// Brings the command so far that the first message is due.
    func connected() async throws -> TunnelSession { try await answer(receiveHandshake(rendezvous())) }

    /// Answers a client's handshake message.
    func answer(_ initiated: InitiatedHandshake) async throws -> TunnelSession {
        let (response, keys) = try AuthenticatorHandshake.answer(
            initiated.message, client: initiated.code.publicKey, presharedKey: initiated.presharedKey)
        await initiated.socket.send(response)
        return TunnelSession(initiated.socket, keys, asClient: false, timeout: peer.timeout)
    }

    func atHandshake(_ answer: UpgradeResponse, sending style: PendingRequest.Style) async throws -> OpenHandshake {
        let initiated = try await receiveHandshake(rendezvous(), answer, style)
        let (response, keys) = try AuthenticatorHandshake.answer(
            initiated.message, client: initiated.code.publicKey, presharedKey: initiated.presharedKey)
        return OpenHandshake(socket: initiated.socket, message: response) { mistake in
            try wrong(
                mistake, code: initiated.code, message: initiated.message, presharedKey: initiated.presharedKey)
        } complete: {
            try await complete(TunnelSession(initiated.socket, keys, asClient: false, timeout: peer.timeout))
        }
    }

    /// Our handshake message, but for one thing.
    ///
    /// - Parameters:
    ///   - message: the client's.
    ///   - presharedKey: 32 bytes.
    func wrong(
        _ mistake: HandshakeMistake, code: ScannedCode, message: [UInt8], presharedKey: [UInt8]
    ) throws -> [UInt8] {
        let other = try TestCode()
        switch mistake {
        case .payload:
            return try AuthenticatorHandshake.answer(
                message, client: code.publicKey, presharedKey: presharedKey, payload: Array("payload".utf8)
            ).response
        case .pattern: return try ClientHandshake.linkedMessage(presharedKey: presharedKey)
        case .presharedKey, .staticKey:
            // The right answer, but to another client, or under another secret.
            let othersKey = mistake == .staticKey ? presharedKey : other.secret.presharedKey([])
            let unrelated = try ClientHandshake(scalar: other.scalar, presharedKey: othersKey)
            return try AuthenticatorHandshake.answer(
                unrelated.message, client: other.publicKey, presharedKey: othersKey
            ).response
        }
    }

    func checkHasNoTunnel() {}

    func givesUp(_ socket: WebSocketEnd) async throws {
        try await staysSilent(socket)
        try await peer.failed()
    }
}

// A client's session for digital credentials, in the test context.
extension ClientTestContext {
    private typealias MessageType = TunnelSession.MessageType
    private typealias Messages = DigitalCredentialMessages

    /// The first message of an authenticator that offers digital credentials beside passkeys.
    static var firstMessageWithCredentials: CBORMap {
        var map = firstMessage
        map[3] = ["ctap", .text(Messages.feature)]
        return map
    }

    /// A session in which digital credentials are offered, with the client's request for one.
    ///
    /// - Parameter first: the first message.
    func askedForCredential(
        _ first: CBORMap = Self.firstMessageWithCredentials
    ) async throws -> (session: TunnelSession, request: [UInt8]) {
        let session = try await connected()
        try await session.send(first.encoded())
        return (session, try await session.next(MessageType.json, "its request"))
    }

    /// Gives a credential to a client that has asked, and waits until the command has ended well.
    func sendCredential(_ session: TunnelSession) async throws {
        try await session.send(MessageType.json, Array(Messages.answer(["data": Messages.credential]).utf8))
        try await finish(session)
    }
}

extension NearbySession {
    /// Sends bytes and sealed messages in one SDU, each with a terminator.
    ///
    /// - Parameter first: a message before the sealed ones; none if empty.
    func sendTogether(_ first: [UInt8], _ messages: [[UInt8]]) async throws {
        var sdu = first.isEmpty ? [] : first + NearbyEnd.terminator
        for message in messages { sdu += try seal(message) + NearbyEnd.terminator }
        await socket.send(sdu: sdu)
    }
}

extension ClientTestContext {
    /// Demands that a client comes by one of the adverts, on L2CAP or by the tunnel, and that its session goes well.
    ///
    /// - Parameter adverts: the service data that are sent, from the sealed advert and the PSM on which we listen.
    func comesEitherWay(_ adverts: ([UInt8], UInt16) -> [[UInt8]]) async throws {
        let code = try await nearbyCode()
        let listening = try await listen()
        let plaintext = plaintext()
        let sent = adverts(try Self.seal(plaintext, code), listening.psm).map { TestAdvert(data: $0) }
        enum Arrival: Sendable {
            case nearby(NearbyEnd)
            case tunnel(PendingRequest)
        }
        let arrival = try await transmitter.send(sent) {
            try await withThrowingTaskGroup(of: Arrival.self) { group in
                group.addTask { .nearby(try await accept(listening)) }
                group.addTask { .tunnel(try await request()) }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
        await listening.close()
        switch arrival {
        case .nearby(let end): try await complete(answer(receiveHandshake(end, code, plaintext)))
        case .tunnel(let request):
            try await complete(answer(receiveHandshake(Rendezvous(code: code, plaintext: plaintext, request: request))))
        }
    }
}
