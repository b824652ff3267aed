internal import BluetoothLE
internal import CBOR
internal import Cryptography
internal import Edges
internal import HybridProtocol

/// What a case of a client plays on: the authenticator, the radio's voice, and the tunnel service.
struct ClientStage: TunnelStage {
    let peer: Peer
    let service: WireListener
    let air: AdvertAir
    /// The number of the tunnel domain that adverts name.
    let domain: UInt16
    /// The commands that make and use a link.
    let links: LinkCommands
    /// The case's own directory.
    let directory: String
    /// That of a client that was linked.
    let linked: LinkedDirectory<TestLink>

    /// What adverts name as the routing ID.
    static let routingID: [UInt8] = [0xA1, 0x0B, 0xC2]
    /// How long a client that must not come is waited for.
    static let vigil = Duration.seconds(1)

    var acceptance: UpgradeAnswer { UpgradeAnswer(routingID: nil) }

    /// Sets a stage, lets the case play, and takes everything down.
    static func with(
        _ settings: ProgramSettings, _ ports: RadioPorts, _ linked: LinkedDirectory<TestLink>,
        _ play: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        let air: AdvertAir
        var radio = ""
        if case .advertiser(let advertiser) = settings.radio {
            air = .real(advertiser)
        } else {
            let address = try await ports.next()
            air = .simulated(address)
            radio = "udp:\(address)"
        }
        let name = radio
        try await ScratchDirectory.with { directory in
            try await WireListener.with(
                host: settings.listenAddress, port: Int(settings.port), tls: settings.identity?.context
            ) { service in
                let peer = Peer(
                    settings.command, settings.values(port: service.port, radio: name, directory: directory),
                    patience: settings.patience)
                defer { peer.kill() }
                try await play(
                    Self(
                        peer: peer, service: service, air: air, domain: settings.domain, links: settings.links,
                        directory: directory, linked: linked))
            }
        }
    }

    /// Starts the command, and reads the code that it shows.
    ///
    /// - Parameter other: another command than the usual one.
    func start(_ other: CommandTemplate? = nil) async throws -> ScannedCode {
        let program = try await peer.start(other)
        let url = try await within(peer.patience, "the text of its QR code") {
            var output: [UInt8] = []
            while let piece = try await program.nextOutput() {
                output += piece
                let text = String(decoding: output, as: UTF8.self)
                if let match = text.firstMatch(of: /FIDO:\/[0-9]+(?=[^0-9])/) { return String(match.0) }
            }
            throw Deviation(
                "it ended without writing the text of a QR code: \(String(decoding: output.prefix(300), as: UTF8.self))"
            )
        }
        return try ScannedCode(url: url)
    }

    /// A plaintext of an advert of our session: 16 bytes.
    ///
    /// - Parameters:
    ///   - reserved: the first byte, zero if the advert is to be right.
    ///   - domain: the number of the tunnel domain; the stage's own if nil.
    func plaintext(reserved: UInt8 = 0, domain: UInt16? = nil) throws -> [UInt8] {
        let number = domain ?? self.domain
        return try [reserved] + randomBytes(count: 10) + Self.routingID + [UInt8(number & 0xFF), UInt8(number >> 8)]
    }

    /// Seals the plaintext of an advert: 20 bytes.
    static func seal(_ plaintext: [UInt8], _ code: ScannedCode) throws -> [UInt8] {
        try code.secret.seal(advert: plaintext)
    }

    /// Waits for the client while adverts are sent.
    func request(sending adverts: [TestAdvert]) async throws -> TunnelRequest {
        try await air.send(adverts) { try await request() }
    }

    /// A client that has come to our tunnel.
    struct Meeting: Sendable {
        let code: ScannedCode
        let plaintext: [UInt8]
        let request: TunnelRequest
    }

    /// Brings the command so far that it has asked for our tunnel.
    func meet() async throws -> Meeting { try await meet(start()) }

    /// The same, once its code was read.
    func meet(_ code: ScannedCode) async throws -> Meeting {
        let plaintext = try plaintext()
        let request = try await request(sending: [TestAdvert(data: Self.seal(plaintext, code))])
        return Meeting(code: code, plaintext: plaintext, request: request)
    }

    func atRequest() async throws -> TunnelRequest { try await meet().request }

    /// A client that has sent its handshake message.
    struct Greeting: Sendable {
        let code: ScannedCode
        let socket: WebSocketEnd
        /// Its message 1: 81 bytes.
        let message: [UInt8]
        let presharedKey: [UInt8]
    }

    /// Answers a client's request, and reads its handshake message.
    func greet(
        _ meeting: Meeting, _ answer: UpgradeAnswer? = nil, _ style: TunnelRequest.Style = .atOnce
    ) async throws -> Greeting {
        let socket = try await meeting.request.answer(answer ?? acceptance, style)
        let message = try await peer.awaits("its handshake message") { try await socket.message() }
        guard message.count == handshakeMessageByteCount else {
            throw Deviation("its handshake message has \(message.count) bytes, not \(handshakeMessageByteCount)")
        }
        return Greeting(
            code: meeting.code, socket: socket, message: message,
            presharedKey: try meeting.code.secret.presharedKey(meeting.plaintext))
    }

    /// Brings the command so far that the first message is due.
    func connected() async throws -> PlayedSession { try await answer(greet(meet())) }

    /// Answers a client's handshake message.
    func answer(_ greeting: Greeting) async throws -> PlayedSession {
        let (response, keys) = try AuthenticatorHandshake.answer(
            greeting.message, client: greeting.code.publicKey, presharedKey: greeting.presharedKey)
        await greeting.socket.send(response)
        return PlayedSession(greeting.socket, keys, asClient: false, patience: peer.patience)
    }

    func atHandshake(_ answer: UpgradeAnswer, sending style: TunnelRequest.Style) async throws -> OpenHandshake {
        let greeting = try await greet(meet(), answer, style)
        let (response, keys) = try AuthenticatorHandshake.answer(
            greeting.message, client: greeting.code.publicKey, presharedKey: greeting.presharedKey)
        return OpenHandshake(socket: greeting.socket, message: response) { mistake in
            try wrong(mistake, greeting.code, greeting.message, greeting.presharedKey)
        } complete: {
            try await complete(PlayedSession(greeting.socket, keys, asClient: false, patience: peer.patience))
        }
    }

    /// Our handshake message, but for one thing.
    ///
    /// - Parameters:
    ///   - message: the client's.
    ///   - presharedKey: 32 bytes.
    func wrong(
        _ mistake: HandshakeMistake, _ code: ScannedCode, _ message: [UInt8], _ presharedKey: [UInt8]
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
            let othersKey = mistake == .staticKey ? presharedKey : try other.secret.presharedKey([])
            let stranger = try ClientHandshake(scalar: other.scalar, presharedKey: othersKey)
            return try AuthenticatorHandshake.answer(
                stranger.message, client: other.publicKey, presharedKey: othersKey
            ).response
        }
    }

    func checkHasNoTunnel() {}

    func givesUp(_ socket: WebSocketEnd) async throws {
        try await staysSilent(socket)
        try await peer.failed()
    }
}
