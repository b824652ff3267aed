internal import BluetoothLE
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// A client on an L2CAP channel.
extension ClientTestContext: NearbyTestContext {
    /// Starts the command, and reads a code that offers L2CAP.
    ///
    /// - Throws: ``NotApplicable`` if it does not, or the radio is a real one.
    func nearbyCode() async throws -> ScannedCode {
        _ = try radio()
        let code = try await start()
        guard code.offersNearby else { throw NotApplicable("its QR code does not offer L2CAP") }
        return code
    }

    private func radio() throws -> SimulatedRadioAddress {
        guard case .simulated(let address) = transmitter.radio else {
            throw NotApplicable("L2CAP is tested on the simulated radio alone")
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
        guard let channel = channel as? any SDUChannel else { throw NotApplicable("this radio has no SDUs") }
        return NearbyEnd(channel, manner, peer.record)
    }

    /// A client that has come on an L2CAP channel and sent its handshake message.
    struct InitiatedNearbyHandshake: Sendable {
        let code: ScannedCode
        let end: NearbyEnd
        /// Its message 1: 81 bytes.
        let message: [UInt8]
        let presharedKey: [UInt8]
        /// The advert that it has heard: 16 bytes.
        let plaintext: [UInt8]
    }

    /// Reads the handshake message of a client that has come.
    func receiveHandshake(_ end: NearbyEnd, _ code: ScannedCode, _ plaintext: [UInt8]) async throws
        -> InitiatedNearbyHandshake
    {
        let message = try await peer.awaits("its handshake message") {
            try await end.message { $0.count == handshakeMessageByteCount }
        }
        return InitiatedNearbyHandshake(
            code: code, end: end, message: message, presharedKey: code.secret.presharedKey(plaintext),
            plaintext: plaintext)
    }

    /// Answers the handshake message of a client.
    func answer(_ initiated: InitiatedNearbyHandshake) async throws -> NearbySession {
        let (response, keys) = try response(to: initiated)
        await initiated.end.send(response)
        return session(initiated, keys)
    }

    /// The right answer to the handshake message of a client, and the keys that follow.
    func response(
        to initiated: InitiatedNearbyHandshake, ephemeral: [UInt8]? = nil
    ) throws -> (response: [UInt8], keys: SplitKeys) {
        try AuthenticatorHandshake.answer(
            initiated.message, client: initiated.code.publicKey, presharedKey: initiated.presharedKey,
            ephemeral: ephemeral)
    }

    /// The session that follows from a handshake.
    func session(_ initiated: InitiatedNearbyHandshake, _ keys: SplitKeys) -> NearbySession {
        NearbySession(initiated.end, keys, asClient: false, timeout: peer.timeout)
    }

    /// Brings the command so far that it waits for our handshake message on an L2CAP channel.
    ///
    /// - Parameter suffix: the suffix of the advert, made from the PSM on which we listen.
    func receiveNearbyHandshake(
        _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated,
        suffix: @escaping @Sendable (UInt16) -> [UInt8] = { ClientTestContext.suffix($0) }
    ) async throws -> InitiatedNearbyHandshake {
        let code = try await nearbyCode()
        let listening = try await listen()
        let plaintext = plaintext()
        let advert = TestAdvert(data: try Self.seal(plaintext, code) + suffix(listening.psm))
        let end = try await transmitter.send([advert]) { try await accept(listening, manner) }
        await listening.close()
        return try await receiveHandshake(end, code, plaintext)
    }

    func atNearbyHandshake(_ manner: @escaping NearbyEnd.Manner, ephemeral: [UInt8]?) async throws -> NearbyHandshake {
        let initiated = try await receiveNearbyHandshake(manner)
        let (response, keys) = try response(to: initiated, ephemeral: ephemeral)
        return NearbyHandshake(end: initiated.end, message: response) { mistake in
            try wrong(
                mistake, code: initiated.code, message: initiated.message, presharedKey: initiated.presharedKey)
        } complete: {
            try await complete(session(initiated, keys))
        }
    }

    /// Brings the command so far that it may send its request.
    func readyNearby(_ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated) async throws -> NearbySession {
        let session = try await answer(receiveNearbyHandshake(manner))
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
        case .connected: return try await receiveNearbyHandshake().end
        case .handshaken: return try await answer(receiveNearbyHandshake()).socket
        case .ready: return try await readyNearby().socket
        case .during:
            let session = try await readyNearby()
            _ = try await request(session)
            return session.socket
        }
    }

    func endsAfterMistake() async throws { try await peer.failed() }
}
