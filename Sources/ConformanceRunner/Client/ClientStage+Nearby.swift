internal import BluetoothLE
internal import CBOR
internal import Edges
internal import HybridProtocol

/// A client that comes on an L2CAP channel.
extension ClientStage: NearbyStage {
    /// What a code lists in key 6 that offers L2CAP (PROTOCOL.md 1.3).
    private static let bleChannel: CBORValue = 1

    /// Starts the command, and reads a code that offers L2CAP.
    ///
    /// - Throws: ``NotApplicable`` if it does not, or the radio is a real one.
    func nearbyCode() async throws -> ScannedCode {
        _ = try radio()
        let code = try await start()
        guard code.map[TestCode.Key.channels]?.arrayValue?.contains(Self.bleChannel) == true else {
            throw NotApplicable("its QR code does not offer L2CAP")
        }
        return code
    }

    private func radio() throws -> SimulatedRadioAddress {
        guard case .simulated(let address) = air else {
            throw NotApplicable("L2CAP is played on the simulated radio alone")
        }
        return address
    }

    /// Listens on a PSM, as an authenticator does.
    func listen() async throws -> any ListeningChannel { try await Self.channels(at: radio()).listen() }

    /// The suffix of an advert whose sender listens on a PSM of 128 to 255.
    static func suffix(_ psm: UInt16) -> [UInt8] { [0xA1, 1, 0x18, UInt8(truncatingIfNeeded: psm)] }

    /// Waits for a client on an L2CAP channel.
    func accept(
        _ listening: any ListeningChannel, _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated
    ) async throws -> NearbyEnd {
        let channel = try await peer.awaits("a connection over L2CAP") { try await listening.accept() }
        guard let channel = channel as? any SDUChannel else { throw NotApplicable("this radio knows no SDUs") }
        return NearbyEnd(channel, manner)
    }

    /// A client that has come on an L2CAP channel and sent its handshake message.
    struct NearbyGreeting: Sendable {
        let code: ScannedCode
        let end: NearbyEnd
        /// Its message 1: 81 bytes.
        let message: [UInt8]
        let presharedKey: [UInt8]
    }

    /// Reads the handshake message of a client that has come.
    func greet(_ end: NearbyEnd, _ code: ScannedCode, _ plaintext: [UInt8]) async throws -> NearbyGreeting {
        let message = try await peer.awaits("its handshake message") {
            try await end.message { $0.count == handshakeMessageByteCount }
        }
        return NearbyGreeting(
            code: code, end: end, message: message, presharedKey: try code.secret.presharedKey(plaintext))
    }

    /// Answers the handshake message of a client.
    func answer(_ greeting: NearbyGreeting) async throws -> NearbySession {
        let (response, keys) = try response(to: greeting)
        await greeting.end.send(response)
        return session(greeting, keys)
    }

    /// The right answer to the handshake message of a client, and the keys that follow.
    func response(
        to greeting: NearbyGreeting, ephemeral: [UInt8]? = nil
    ) throws -> (response: [UInt8], keys: TrafficKeys) {
        try AuthenticatorHandshake.answer(
            greeting.message, client: greeting.code.publicKey, presharedKey: greeting.presharedKey,
            ephemeral: ephemeral)
    }

    /// The session that follows from a handshake.
    func session(_ greeting: NearbyGreeting, _ keys: TrafficKeys) -> NearbySession {
        NearbySession(greeting.end, keys, asClient: false, patience: peer.patience)
    }

    /// Brings the command so far that it waits for our handshake message on an L2CAP channel.
    ///
    /// - Parameter suffix: what follows the advert, made from the PSM on which we listen.
    func greetNearby(
        _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated,
        suffix: @escaping @Sendable (UInt16) -> [UInt8] = { ClientStage.suffix($0) }
    ) async throws -> NearbyGreeting {
        let code = try await nearbyCode()
        let listening = try await listen()
        let plaintext = try plaintext()
        let advert = TestAdvert(data: try Self.seal(plaintext, code) + suffix(listening.psm))
        let end = try await air.send([advert]) { try await accept(listening, manner) }
        await listening.close()
        return try await greet(end, code, plaintext)
    }

    func atNearbyHandshake(_ manner: @escaping NearbyEnd.Manner, ephemeral: [UInt8]?) async throws -> NearbyHandshake {
        let greeting = try await greetNearby(manner)
        let (response, keys) = try response(to: greeting, ephemeral: ephemeral)
        return NearbyHandshake(end: greeting.end, message: response) { mistake in
            try wrong(mistake, greeting.code, greeting.message, greeting.presharedKey)
        } complete: {
            try await complete(session(greeting, keys))
        }
    }

    /// Brings the command so far that it may send its request.
    func readyNearby(_ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated) async throws -> NearbySession {
        let session = try await answer(greetNearby(manner))
        try await session.send(Self.firstMessage.encoded())
        return session
    }

    func atNearbyTurn(_ manner: @escaping NearbyEnd.Manner) async throws -> NearbyTurn {
        let session = try await readyNearby(manner)
        let answer = [NearbySession.MessageType.ctap] + (await Self.answer(to: try await request(session)))
        return NearbyTurn(session: session, message: answer) {
            // An update may hold any filler, and come before the answer.
            [NearbySession.MessageType.update] + ([0: .bytes($0)] as CBORMap).encoded()
        } completeMessage: {
            try await finish(session)
        } completeHolding: {
            try await session.send(answer)
            try await finish(session)
        }
    }

    func reach(_ place: NearbyPlace) async throws -> NearbyEnd {
        switch place {
        case .connected: return try await greetNearby().end
        case .handshaken: return try await answer(greetNearby()).socket
        case .ready: return try await readyNearby().socket
        case .during:
            let session = try await readyNearby()
            _ = try await request(session)
            return session.socket
        }
    }

    func endsAfterMistake() async throws { try await peer.failed() }
}
