internal import BluetoothLE
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// An authenticator on an L2CAP channel.
extension AuthenticatorTestContext: NearbyTestContext {
    /// The value of key 6 that offers the WebSocket and L2CAP.
    static let bothChannels: CBORValue = [0, 1]
    /// The key of the BLE channel in the suffix of an advert (HT-ADV-27).
    private static let suffixKey = 1

    /// A code that offers both channels.
    var nearbyCode: TestCode { code.with(InvitationKey.channels, Self.bothChannels) }

    /// Shows a code, answers the request for a tunnel if one comes, and waits for the advert.
    ///
    /// - Parameter answer: the answer of the tunnel service.
    func advert(for code: TestCode, answering answer: UpgradeResponse? = nil) async throws -> Advert {
        try await peer.start(url: code.url)
        return try await withThrowingTaskGroup(of: Advert?.self) { group in
            group.addTask {
                _ = try? await request().answer(answer ?? acceptance)
                return nil
            }
            group.addTask { try await advert(code) }
            defer { group.cancelAll() }
            while let found = try await group.next() {
                if let found { return found }
            }
            throw CancellationError()
        }
    }

    /// The PSM that an advert names.
    ///
    /// - Returns: the number in its suffix, whatever that is; nil without one.
    static func psm(in advert: Advert) throws -> UInt64? {
        let suffix = Array(advert.received.serviceData.dropFirst(AdvertKey.advertByteCount))
        guard !suffix.isEmpty else { return nil }
        guard let map = try? CBORValue.decode(suffix.span).mapValue else {
            throw Deviation("the suffix of its advert is not a map of canonical CBOR")
        }
        return map[suffixKey]?.unsignedValue
    }

    /// Connects to where an advert says that its sender listens.
    ///
    /// - Throws: ``NotApplicable`` if the radio is a real one, or the advert offers nothing.
    func connect(
        to advert: Advert, _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated
    ) async throws -> NearbyEnd {
        guard let radio else { throw NotApplicable("L2CAP is tested on the simulated radio alone") }
        guard let psm = try Self.psm(in: advert) else { throw NotApplicable("it offers no L2CAP in its advert") }
        guard let number = UInt16(exactly: psm), let address = advert.received.address else {
            throw Deviation("its PSM \(psm) is not valid")
        }
        do {
            let channel = try await Self.channels(at: radio).connect(to: address, psm: number)
            guard let channel = channel as? any SDUChannel else { throw NotApplicable("this radio has no SDUs") }
            return NearbyEnd(channel, manner, peer.record)
        } catch let error as DataChannelError {
            throw Deviation("it cannot be reached at the PSM that it advertises: \(error.reason)")
        }
    }

    /// Brings the command so far that it waits for the handshake on an L2CAP channel.
    func nearbyRendezvous(
        _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated
    ) async throws -> (end: NearbyEnd, advert: Advert) {
        guard radio != nil else { throw NotApplicable("L2CAP is tested on the simulated radio alone") }
        let advert = try await advert(for: nearbyCode)
        return (try await connect(to: advert, manner), advert)
    }

    func atNearbyHandshake(_ manner: @escaping NearbyEnd.Manner, ephemeral: [UInt8]?) async throws -> NearbyHandshake {
        let (end, advert) = try await nearbyRendezvous(manner)
        let handshake = try ClientHandshake(
            scalar: code.scalar, presharedKey: code.secret.presharedKey(advert.plaintext), ephemeral: ephemeral)
        return NearbyHandshake(end: end, message: handshake.message) { mistake in
            try wrong(mistake, nearbyCode, advert)
        } complete: {
            let session = try await shakeHands(handshake, on: end)
            _ = try await firstMessage(session)
            try await complete(session)
        }
    }

    /// Reads the answer to our handshake message, which was sent.
    func shakeHands(_ handshake: ClientHandshake, on end: NearbyEnd) async throws -> NearbySession {
        let response = try await peer.awaits("its handshake message") {
            try await end.message { $0.count == handshakeMessageByteCount }
        }
        return NearbySession(end, try handshake.finish(response), asClient: true, timeout: peer.timeout)
    }

    /// Brings the command so far that its first message is due.
    func connectedNearby(
        _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated
    ) async throws -> NearbySession {
        let (end, advert) = try await nearbyRendezvous(manner)
        let handshake = try handshake(nearbyCode, advert)
        await end.send(handshake.message)
        return try await shakeHands(handshake, on: end)
    }

    /// Brings the command so far that it waits for a request.
    func readyNearby(_ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated) async throws -> NearbySession {
        let session = try await connectedNearby(manner)
        _ = try await firstMessage(session)
        return session
    }

    func atNearbyTurn(_ manner: @escaping NearbyEnd.Manner) async throws -> NearbyTurn {
        let session = try await readyNearby(manner)
        let complete = { @Sendable in try await completeAnswer(session) }
        return NearbyTurn(
            session: session, message: [NearbySession.MessageType.ctap] + Self.makeCredential(),
            holding: { [NearbySession.MessageType.ctap] + Self.makeCredential(userID: $0) },
            completeMessage: complete, completeHolding: complete)
    }

    func reach(_ place: NearbyPlace) async throws -> NearbyEnd {
        switch place {
        case .connected: return try await nearbyRendezvous().end
        case .handshaken: return try await connectedNearby().socket
        case .ready: return try await readyNearby().socket
        case .during:
            let session = try await readyNearby()
            try await session.send(NearbySession.MessageType.ctap, Self.makeCredential())
            return session.socket
        }
    }

    func endsAfterMistake() async throws { try await peer.ended() }
}
