internal import CTAP
internal import Encodings
internal import HybridProtocol
internal import PasskeyAuthenticator

extension ClientTestContext {
    /// The answer of an authenticator that has no passkeys, approves everything, and claims user verification.
    ///
    /// - Returns: a status byte and the bytes behind it.
    static func answer(to request: [UInt8]) async -> [UInt8] {
        await PasskeyAuthenticator.approvingAll().respond(
            to: request.prefix(1) + CanonicalForm.of(Array(request.dropFirst())))
    }

    /// The right first message: getInfo, and nothing else.
    static let firstMessage: CBORMap = [1: .bytes(PasskeyAuthenticator.approvingAll().getInfo())]

    /// The same answer of makeCredential, with nothing that is signed: attestation `none`.
    ///
    /// - Parameter answer: a status byte and the bytes behind it.
    static func withoutAttestation(_ answer: [UInt8]) throws -> [UInt8] {
        let payload = Array(answer.dropFirst())
        guard var map = try CBORValue.decode(payload.span).mapValue else { return answer }
        map[1] = "none"
        map[3] = [:]
        return answer.prefix(1) + map.encoded()
    }

    /// Brings the command so far that it may send its request.
    func ready() async throws -> TunnelSession {
        let session = try await connected()
        try await session.send(Self.firstMessage.encoded())
        return session
    }

    /// Waits for the client's request.
    ///
    /// - Returns: the command byte and the bytes behind it.
    func request(_ session: ScriptedSession<some MessageEnd>) async throws -> [UInt8] {
        let request = try await session.next(TunnelSession.MessageType.ctap, "its request")
        guard !request.isEmpty else { throw Deviation("its request has no command byte") }
        peer.record.noteForm(
            of: Array(request.dropFirst()), "request", case: "client/message/request-canonical", rule: "HT-CTAP-4")
        return request
    }

    /// A session with its request, and the right answer to it: a status byte and the bytes behind it.
    func asked() async throws -> (session: TunnelSession, answer: [UInt8]) {
        let session = try await ready()
        return (session, await Self.answer(to: try await request(session)))
    }

    /// Goes through a whole session after the handshake, and waits until the command has ended well.
    ///
    /// - Parameter firstMessage: the plaintext of the first message.
    func complete(_ session: ScriptedSession<some MessageEnd>, firstMessage: [UInt8]? = nil) async throws {
        try await session.send(firstMessage ?? Self.firstMessage.encoded())
        try await serve(session)
    }

    /// Answers the client's request, and waits until the command has ended well.
    func serve(_ session: ScriptedSession<some MessageEnd>) async throws {
        let answer = await Self.answer(to: try await request(session))
        try await session.send(TunnelSession.MessageType.ctap, answer)
        do { try await finish(session) } catch let deviation as Deviation where answer.first != CTAPStatus.ok.rawValue {
            let status = answer.first.map(hexadecimal) ?? "none"
            throw Deviation("\(deviation.reason), since its request is refused with status \(status)")
        }
    }

    /// Waits until the client has ended the session and itself, well.
    func finish(_ session: ScriptedSession<some MessageEnd>) async throws {
        try await session.goesNoFurther()
        try await peer.succeeded()
    }

    /// Demands that the command goes no further in a session, and ends with a failure.
    func givesUp(_ session: ScriptedSession<some MessageEnd>) async throws {
        try await session.goesNoFurther()
        try await peer.failed()
    }

    /// Demands that adverts do not bring the client, and that it takes a right one afterwards or has ended.
    func staysAway(_ adverts: [TestAdvert], of code: ScannedCode) async throws {
        let isAsked = try await transmitter.send(adverts) { [service] in
            try await service.isAsked(within: Self.absenceTimeout)
        }
        try demand(!isAsked, "it joins the tunnel of such an advert")
        // The next session is the right one; how a peer ends it says nothing of the adverts.
        await peer.record.mistakeIsSent(awaitsReaction: false)
        if peer.hasEnded { return try await gaveUp() }
        let plaintext = plaintext()
        let request: PendingRequest
        do {
            request = try await transmitter.send(
                [TestAdvert(data: Self.seal(plaintext, code))], mustArrive: false
            ) { try await self.request() }
        } catch is Deviation {
            return try await gaveUp()
        }
        try await complete(answer(receiveHandshake(Rendezvous(code: code, plaintext: plaintext, request: request))))
    }

    /// Demands that a client has given up at an advert, which is as good as to wait for a better one. Whether it has
    /// received the advert is not known of a real radio.
    private func gaveUp() async throws {
        try await peer.failed()
        if case .real = transmitter.radio {
            transmitter.record.noteUndelivered("it ended, and may not have received the advert")
        }
    }

    /// Demands that the client comes for one of these adverts, and that its session goes well.
    ///
    /// - Parameter plaintext: that of the advert that counts.
    func comes(for adverts: [TestAdvert], _ plaintext: [UInt8], of code: ScannedCode) async throws {
        let request = try await request(sending: adverts)
        // A whole program is led to our service; where a shim would go is known.
        if peer.isShim {
            let number = UInt16(plaintext[14]) | UInt16(plaintext[15]) << 8
            let (host, name) = (request.head["Host"].joined(), try TunnelDomain(number).host())
            try demand(
                host == name,
                "it asks for a tunnel at \(ShimFault.shown(host)), not at \(name), for the domain \(number)")
        }
        try await complete(answer(receiveHandshake(Rendezvous(code: code, plaintext: plaintext, request: request))))
    }
}
