internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The authenticator's side of a whole session (the article Ceremony of HybridProtocol), by the types that it uses.
enum AuthenticatorReplay {
    static func run(_ input: CaseFields) throws -> CaseFields {
        let frames = try SessionFrame.all(input, me: "authenticator")
        return try CaseSteps.run(count: frames.count + 1) { steps in
            var fields: CaseFields = [:]
            let connected = try handshake(input, &fields)
            steps.advance()
            fields["results"] = .hexes(
                try play(frames, after: connected, input: input, steps: &steps, fields: &fields))
            return SessionKeys.ordered(fields)
        }
    }

    private static func handshake(
        _ input: CaseFields,
        _ fields: inout CaseFields
    ) throws -> ConnectedAuthenticator {
        let invitation = try Invitation(url: try input.text("url"))
        let plaintext = try AdvertPlaintext(
            nonce: try input.bytes("advert_nonce"), routingID: RoutingID(try input.bytes("routing_id")),
            domain: TunnelDomain(try input.integer("domain_id")))
        let secret = try VectorOperation.secret(of: invitation)
        let clientKey = invitation.clientPublicKey
        let messageIn = try input.bytes("message_1")

        fields["tunnel_id"] = .hex(try invitation.tunnelID().bytes)
        var advertKey = try invitation.advertKey()
        fields["advert"] = .hex(try advertKey.seal(plaintext))
        fields.add(SessionKeys.fields(secret: secret, plaintext.bytes))
        let connected = try Responder(invitation, advert: plaintext)
            .answer(messageIn.span, ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        fields["message_2"] = .hex(connected.response)
        fields["handshake_hash"] = .hex(connected.handshakeHash)
        let presharedKey = SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.responder(
            Handshake(.knPSK0, role: .responder, remoteStaticKey: clientKey, presharedKey: presharedKey), input)
        fields.add(VectorOperation.fields(of: again))
        return connected
    }

    static func play(
        _ frames: [SessionFrame],
        after connected: consuming ConnectedAuthenticator,
        input: CaseFields,
        steps: inout CaseSteps,
        fields: inout CaseFields
    ) throws -> [[UInt8]] {
        guard let first = frames.first else { return [] }
        guard case .sent(let plaintext) = first else { throw SessionFrame.misplaced }
        var session = try connected.sendFirstMessage(FirstMessage(decoding: plaintext.span))
        steps.advance()
        fields["handshake_hash"] = .hex(session.handshakeHash)
        var results = [session.firstFrame]
        for frame in frames.dropFirst() {
            switch frame {
            case .sent(let plaintext): results.append(try send(plaintext, &session, input))
            case .received(let frame): results.append(try self.plaintext(session.open(frame)))
            }
            steps.advance()
        }
        return results
    }

    private static func send(
        _ plaintext: [UInt8],
        _ session: inout AuthenticatorSession,
        _ input: CaseFields
    ) throws -> [UInt8] {
        switch try SessionFrame.message(plaintext) {
        case .payload(let response): return try session.sealResponse(response)
        case .update(let payload):
            guard try Update(decoding: payload.span).linking != nil else { return try session.sealUpdate() }
            return try session.sealUpdate(offering: offer(input))
        case .shutdown: throw SessionFrame.misplaced
        }
    }

    private static func offer(_ input: CaseFields) throws -> LinkOffer {
        try LinkOffer(
            contactID: ContactID(try input.bytes("contact_id")), linkID: LinkID(try input.bytes("link_id")),
            root: VectorOperation.root(input), name: try input.text("name"))
    }

    private static func plaintext(_ event: AuthenticatorSession.Event) -> [UInt8] {
        switch event {
        case .request(let request): Message.payload(request).plaintext
        case .shutdown: Message.shutdown.plaintext
        case .update(let contents): Message.update(contents).plaintext
        }
    }
}
