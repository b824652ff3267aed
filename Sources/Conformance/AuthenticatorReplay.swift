internal import Cryptography
internal import HybridProtocol
internal import Noise

/// The authenticator's side of a whole session (PROTOCOL.md 0), by the types that it uses.
enum AuthenticatorReplay {
    static func run(_ input: Fields) throws -> [String: JSONValue] {
        let frames = try SessionFrame.all(input, me: "authenticator")
        return try Progress.through(stepCount: frames.count + 1) { progress in
            var fields: [String: JSONValue] = [:]
            let connected = try handshake(input, &fields)
            progress.advance()
            fields["results"] = .array(try play(frames, connected, input, &progress).map { .hex($0) })
            return fields
        }
    }

    private static func handshake(
        _ input: Fields,
        _ fields: inout [String: JSONValue]
    ) throws -> ConnectedAuthenticator {
        let invitation = try Invitation(url: try input.text("url"))
        let plaintext = try AdvertPlaintext(
            nonce: try input.bytes("advert_nonce"), routingID: RoutingID(try input.bytes("routing_id")),
            domain: TunnelDomain(try input.integer("domain_id")))
        let secret = try Operation.secret(of: invitation)
        let clientKey = invitation.clientPublicKey
        let messageIn = try input.bytes("message_1")

        fields["tunnel_id"] = .hex(try invitation.tunnelID().bytes)
        var advertKey = try invitation.advertKey()
        fields["advert"] = .hex(try advertKey.seal(plaintext))
        fields.merge(try SessionKeys.fields(secret: secret, plaintext.bytes)) { first, _ in first }
        let connected = try Responder(invitation, advert: plaintext)
            .answer(messageIn.span, ephemeralKey: try Operation.key(input, "ephemeral_private"))
        fields["message_2"] = .hex(connected.response)
        fields["handshake_hash"] = .hex(connected.handshakeHash)
        let presharedKey = try SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.responder(
            Handshake(.knPSK0, role: .responder, remoteStaticKey: clientKey, presharedKey: presharedKey), input)
        fields.merge(Operation.fields(of: again)) { first, _ in first }
        return connected
    }

    static func play(
        _ frames: [SessionFrame],
        _ connected: consuming ConnectedAuthenticator,
        _ input: Fields,
        _ progress: inout Progress
    ) throws -> [[UInt8]] {
        guard let first = frames.first else { return [] }
        guard case .sent(let plaintext) = first else { throw SessionFrame.unplayable(input) }
        var session = try connected.sendFirstMessage(FirstMessage(decoding: plaintext.span))
        progress.advance()
        var results = [session.firstFrame]
        for frame in frames.dropFirst() {
            switch frame {
            case .sent(let plaintext): results.append(try send(plaintext, &session, input))
            case .received(let frame): results.append(try self.plaintext(session.open(frame)))
            }
            progress.advance()
        }
        return results
    }

    private static func send(
        _ plaintext: [UInt8],
        _ session: inout AuthenticatorSession,
        _ input: Fields
    ) throws -> [UInt8] {
        switch try SessionFrame.message(plaintext, input) {
        case .ctap(let response): return try session.sealResponse(response)
        case .json(let text): return try session.sealResponse(json: text)
        case .update(let payload):
            guard try Update(decoding: payload.span).linking != nil else { return try session.sealUpdate() }
            return try session.sealUpdate(offering: offer(input))
        case .shutdown: throw SessionFrame.unplayable(input)
        }
    }

    private static func offer(_ input: Fields) throws -> LinkOffer {
        try LinkOffer(
            contactID: ContactID(try input.bytes("contact_id")), linkID: LinkID(try input.bytes("link_id")),
            root: Operation.root(input), name: try input.text("name"))
    }

    private static func plaintext(_ event: AuthenticatorSession.Event) -> [UInt8] {
        switch event {
        case .request(let request): Message.ctap(request).plaintext
        case .jsonRequest(let text): Message.json(text).plaintext
        case .shutdown: Message.shutdown.plaintext
        }
    }
}
