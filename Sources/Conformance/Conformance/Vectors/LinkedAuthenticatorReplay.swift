internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The authenticator's side of a whole state-assisted session, by the types that it uses (the article
/// StateAssistedTransactions of HybridProtocol).
enum LinkedAuthenticatorReplay {
    static func run(_ input: CaseFields) throws -> CaseFields {
        let frames = try SessionFrame.all(input, me: "authenticator")
        return try CaseSteps.run(count: frames.count + 1) { steps in
            var fields: CaseFields = [:]
            let connected = try handshake(input, &fields)
            steps.advance()
            let results = try AuthenticatorReplay.play(frames, after: connected, input: input, steps: &steps)
            fields["results"] = .hexes(results)
            return SessionKeys.ordered(fields)
        }
    }

    private static func handshake(
        _ input: CaseFields,
        _ fields: inout CaseFields
    ) throws -> ConnectedAuthenticator {
        let (payload, messageIn) = (try input.bytes("payload"), try input.bytes("message_1"))
        let request = try ContactRequest(decoding: payload.span)
        let contactID = try ContactID(try input.bytes("contact_id"))
        let root = try VectorOperation.root(input)
        let secret = try root.linkSecret(contactID: contactID, linkID: request.linkID).bytes.copiedBytes
        let woken = try WokenSession(request, contactID: contactID, root: root)
        let plaintext = try LinkedAdvertPlaintext(random: try input.bytes("advert_random"))
        fields["link_secret"] = .hex(secret)
        fields["identity_private"] = .hex(try root.identityKey().scalar().copiedBytes)
        fields["plaintext"] = .hex(plaintext.bytes)
        var advertKey = try woken.advertKey()
        fields["advert"] = .hex(try advertKey.seal(plaintext))
        let keys = SessionKeys.fields(secret: secret, salt: request.nonce.bytes, plaintext.bytes)
        fields.add(keys)
        let connected = try Responder(woken, advert: plaintext)
            .answer(messageIn.span, ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        fields["message_2"] = .hex(connected.response)
        let presharedKey = SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.responder(
            Handshake(
                .nkPSK0, role: .responder, staticKey: try root.identityKey(), presharedKey: presharedKey), input)
        fields.add(VectorOperation.fields(of: again))
        return connected
    }
}
