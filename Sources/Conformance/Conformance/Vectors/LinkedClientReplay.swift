internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The client's side of a whole state-assisted session, by the types that it uses (the article
/// StateAssistedTransactions of HybridProtocol).
enum LinkedClientReplay {
    static func run(_ input: CaseFields) throws -> CaseFields {
        let frames = try SessionFrame.all(input, me: "client")
        return try CaseSteps.run(count: frames.count + 1) { steps in
            var fields: CaseFields = [:]
            let joined = try handshake(input, &fields)
            steps.advance()
            try ClientReplay.play(frames, after: joined, input: input, steps: &steps, fields: &fields)
            return SessionKeys.ordered(fields)
        }
    }

    private static func handshake(
        _ input: CaseFields, _ fields: inout CaseFields
    ) throws -> ClientReplay.Joined {
        let (secret, nonce) = (try input.bytes("link_secret"), try input.bytes("nonce"))
        let (advert, messageIn) = (try input.bytes("advert"), try input.bytes("message_2"))
        let attempt = try LinkedAttempt(
            link(input), nonce: ClientNonce(nonce), hint: try VectorOperation.hint(input))
        fields["payload"] = .hex(attempt.request.encoded())
        var advertKey = try attempt.advertKey()
        let plaintext = try advertKey.openLinked(advert.span)
        let publicKey = attempt.link.publicKey
        fields["plaintext"] = .hex(plaintext.bytes)
        fields.add(SessionKeys.fields(secret: secret, salt: nonce, plaintext.bytes))
        let initiator = try Initiator(
            attempt, advert: plaintext, ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        fields["message_1"] = .hex(initiator.message)
        let connected = try initiator.finish(messageIn.span)
        let presharedKey = SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.initiator(
            Handshake(.nkPSK0, role: .initiator, remoteStaticKey: publicKey, presharedKey: presharedKey), input)
        fields.add(VectorOperation.fields(of: again))
        return ClientReplay.Joined(client: connected, handshake: again)
    }

    /// The case's link, as if it had been stored: fields that it does not state are of no consequence.
    private static func link(_ input: CaseFields) throws -> Link {
        let stored: CBORMap = [
            0: .unsigned(1), 1: .bytes([0]), 2: .bytes(try input.bytes("link_id")),
            3: .bytes(try input.bytes("link_secret")), 4: .bytes(try input.bytes("authenticator_public")),
            5: .text(""), 6: .unsigned(0),
        ]
        let encoded = stored.encoded()
        return try Link(decoding: encoded.span)
    }
}
