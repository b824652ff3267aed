internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The client's side of a whole session (the article Ceremony of HybridProtocol), by the types that it uses.
enum ClientReplay {
    static func run(_ input: CaseFields) throws -> CaseFields {
        let frames = try SessionFrame.all(input, me: "client")
        return try CaseSteps.run(count: frames.count + 1) { steps in
            var fields: CaseFields = [:]
            let joined = try handshake(input, &fields)
            steps.advance()
            try play(frames, after: joined, input: input, steps: &steps, fields: &fields)
            return SessionKeys.ordered(fields)
        }
    }

    /// A session that begins, and beside it the keys for a bare opener of the same frames: a session does not show an
    /// update's filler.
    struct Joined: ~Copyable {
        var client: ConnectedClient
        var handshake: HandshakeResult
    }

    private static func handshake(_ input: CaseFields, _ fields: inout CaseFields) throws -> Joined {
        let secret = try input.bytes("secret")
        let messageIn = try input.bytes("message_2")
        let invitation = try ClientInvitation(
            privateKey: try VectorOperation.key(input, "static_private"), secret: SecretBytes(copying: secret.span),
            details: Invitation.Details(
                timestamp: nil, supportsLinking: try input.booleanIfThere("linking"), hint: .getAssertion))
        fields["tunnel_id"] = .hex(try invitation.invitation.tunnelID().bytes)
        var advertKey = try invitation.invitation.advertKey()
        let advert = try input.bytes("advert")
        let plaintext = try advertKey.open(advert.span).plaintext
        fields["plaintext"] = .hex(plaintext.bytes)
        fields.add(SessionKeys.fields(secret: secret, plaintext.bytes))
        let initiator = try Initiator(
            invitation, advert: plaintext, ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        fields["message_1"] = .hex(initiator.message)
        let connected = try initiator.finish(messageIn.span)
        fields["handshake_hash"] = .hex(connected.handshakeHash)
        let presharedKey = SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.initiator(
            Handshake(
                .knPSK0, role: .initiator, staticKey: try VectorOperation.key(input, "static_private"),
                presharedKey: presharedKey), input)
        fields.add(VectorOperation.fields(of: again))
        return Joined(client: connected, handshake: again)
    }

    static func play(
        _ frames: [SessionFrame],
        after joined: consuming Joined,
        input: CaseFields,
        steps: inout CaseSteps,
        fields: inout CaseFields
    ) throws {
        fields["results"] = .array([])
        guard let first = frames.first else { return }
        guard case .received(let frame) = first else { throw SessionFrame.misplaced }
        let key = joined.handshake.keys.responderToInitiator.copiedBytes
        var opener = try FrameOpener(key: key.span, construction: construction(of: frame, key: key.span))
        var session = try joined.client.readFirstMessage(frame)
        fields["handshake_hash"] = .hex(session.handshakeHash)
        var results = [try opener.open(frame)]
        var linking = [session.firstMessageLinking]
        steps.advance()
        for frame in frames.dropFirst() {
            switch frame {
            case .sent(let plaintext): results.append(try send(plaintext, &session))
            case .received(let frame):
                let event = try session.open(frame)
                let plaintext = try opener.open(frame)
                if case .update(let result) = event { linking.append(result) }
                results.append(self.plaintext(event, session.firstMessage.revision) ?? plaintext)
            }
            steps.advance()
        }
        fields["results"] = .hexes(results)
        fields["linking"] = .array(linking.map { .string($0.name) })
        switch session.takeLink() {
        case .some(let link): fields["link"] = .object(VectorOperation.fields(of: link).members)
        case .none: break
        }
    }

    /// The construction in which a first frame is sealed.
    private static func construction(of frame: [UInt8], key: Span<UInt8>) throws -> TransportConstruction {
        var current = try FrameOpener(key: key)
        return (try? current.open(frame)) == nil ? .old : .current
    }

    private static func send(_ plaintext: [UInt8], _ session: inout ClientSession) throws -> [UInt8] {
        guard session.firstMessage.revision == .typed else { return try session.sealRequest(.ctap(plaintext)) }
        switch try SessionFrame.message(plaintext) {
        case .payload(let request): return try session.sealRequest(request)
        case .shutdown:
            guard let frame = try session.sealShutdown() else { throw SessionFrame.misplaced }
            return frame
        case .update: throw SessionFrame.misplaced
        }
    }

    /// The plaintext that an event comes from; nil for an update, which does not show it.
    private static func plaintext(_ event: ClientSession.Event, _ revision: FirstMessage.Revision) -> [UInt8]? {
        switch event {
        case .response(let response): revision == .typed ? Message.payload(response).plaintext : response.bytes
        case .update: nil
        case .shutdown: Message.shutdown.plaintext
        }
    }
}

extension LinkingResult {
    /// The name that vectors give it: the kind of failure, for linking data that was dropped.
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .verified: "verified"
        case .refused(let error): error.code.rawValue
        }
    }
}
