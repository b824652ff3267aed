internal import Cryptography
internal import HybridProtocol
internal import Noise

/// The client's side of a whole session (PROTOCOL.md 0), by the types that it uses.
enum ClientReplay {
    static func run(_ input: Fields) throws -> [String: JSONValue] {
        let frames = try SessionFrame.all(input, me: "client")
        return try Progress.through(stepCount: frames.count + 1) { progress in
            var fields: [String: JSONValue] = [:]
            let joined = try handshake(input, &fields)
            progress.advance()
            try play(frames, joined, input, &progress, &fields)
            return fields
        }
    }

    /// A session that begins, and beside it the keys for a bare opener of the same frames: a session does not show an
    /// update's filler.
    struct Joined: ~Copyable {
        var client: ConnectedClient
        var handshake: HandshakeResult
    }

    private static func handshake(_ input: Fields, _ fields: inout [String: JSONValue]) throws -> Joined {
        let secret = try input.bytes("secret")
        let messageIn = try input.bytes("message_2")
        let invitation = try ClientInvitation(
            privateKey: try Operation.key(input, "static_private"), secret: SecretBytes(copying: secret.span),
            details: Invitation.Details(
                timestamp: nil, supportsLinking: try input.booleanIfThere("linking"), hint: .getAssertion))
        fields["tunnel_id"] = .hex(try invitation.invitation.tunnelID().bytes)
        var advertKey = try invitation.invitation.advertKey()
        let advert = try input.bytes("advert")
        let plaintext = try advertKey.open(advert.span).plaintext
        fields["plaintext"] = .hex(plaintext.bytes)
        fields.merge(try SessionKeys.fields(secret: secret, plaintext.bytes)) { first, _ in first }
        let initiator = try Initiator(
            invitation, advert: plaintext, ephemeralKey: try Operation.key(input, "ephemeral_private"))
        fields["message_1"] = .hex(initiator.message)
        let connected = try initiator.finish(messageIn.span)
        fields["handshake_hash"] = .hex(connected.handshakeHash)
        let presharedKey = try SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.initiator(
            Handshake(
                .knPSK0, role: .initiator, staticKey: try Operation.key(input, "static_private"),
                presharedKey: presharedKey), input)
        fields.merge(Operation.fields(of: again)) { first, _ in first }
        return Joined(client: connected, handshake: again)
    }

    static func play(
        _ frames: [SessionFrame],
        _ joined: consuming Joined,
        _ input: Fields,
        _ progress: inout Progress,
        _ fields: inout [String: JSONValue]
    ) throws {
        fields["results"] = .array([])
        guard let first = frames.first else { return }
        guard case .received(let frame) = first else { throw SessionFrame.unplayable(input) }
        let key = joined.handshake.keys.responderToInitiator.copiedBytes
        var opener = try FrameOpener(key: key.span, construction: construction(of: frame, key: key.span))
        var session = try joined.client.readFirstMessage(frame)
        var results = [try opener.open(frame)]
        var linking = [session.firstMessageLinking]
        progress.advance()
        for frame in frames.dropFirst() {
            switch frame {
            case .sent(let plaintext): results.append(try send(plaintext, &session, input))
            case .received(let frame):
                let event = try session.open(frame)
                let plaintext = try opener.open(frame)
                if case .update(let result) = event { linking.append(result) }
                results.append(self.plaintext(event, session.firstMessage.revision) ?? plaintext)
            }
            progress.advance()
        }
        fields["results"] = .array(results.map { .hex($0) })
        fields["linking"] = .array(linking.map { .text($0.name) })
        switch session.takeLink() {
        case .some(let link): fields["link"] = .object(Operation.fields(of: link))
        case .none: break
        }
    }

    /// In which construction a first frame is sealed.
    private static func construction(of frame: [UInt8], key: Span<UInt8>) throws -> TransportConstruction {
        var current = try FrameOpener(key: key)
        return (try? current.open(frame)) == nil ? .old : .current
    }

    private static func send(
        _ plaintext: [UInt8],
        _ session: inout ClientSession,
        _ input: Fields
    ) throws -> [UInt8] {
        guard session.firstMessage.revision == .typed else { return try session.sealRequest(plaintext) }
        switch try SessionFrame.message(plaintext, input) {
        case .ctap(let request): return try session.sealRequest(request)
        case .json(let text): return try session.sealRequest(json: text)
        case .shutdown:
            guard let frame = try session.sealShutdown() else { throw SessionFrame.unplayable(input) }
            return frame
        case .update: throw SessionFrame.unplayable(input)
        }
    }

    /// What an event says of its plaintext: of an update, nothing.
    private static func plaintext(_ event: ClientSession.Event, _ revision: FirstMessage.Revision) -> [UInt8]? {
        switch event {
        case .response(let response): revision == .typed ? Message.ctap(response).plaintext : response
        case .jsonResponse(let text): Message.json(text).plaintext
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
