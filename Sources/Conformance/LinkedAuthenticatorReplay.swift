internal import Cryptography
internal import HybridProtocol
internal import Noise

/// The authenticator's side of a whole state-assisted session (PROTOCOL.md 8), by the types that it uses.
enum LinkedAuthenticatorReplay {
    static func run(_ input: Fields) throws -> [String: JSONValue] {
        let frames = try SessionFrame.all(input, me: "authenticator")
        return try Progress.through(stepCount: frames.count + 1) { progress in
            var fields: [String: JSONValue] = [:]
            let connected = try handshake(input, &fields)
            progress.advance()
            let results = try AuthenticatorReplay.play(frames, connected, input, &progress)
            fields["results"] = .array(results.map { .hex($0) })
            return fields
        }
    }

    private static func handshake(
        _ input: Fields,
        _ fields: inout [String: JSONValue]
    ) throws -> ConnectedAuthenticator {
        let (payload, messageIn) = (try input.bytes("payload"), try input.bytes("message_1"))
        let request = try ContactRequest(decoding: payload.span)
        let contactID = try ContactID(try input.bytes("contact_id"))
        let root = try Operation.root(input)
        let secret = try root.linkSecret(contactID: contactID, linkID: request.linkID).bytes.copiedBytes
        let woken = try WokenSession(request, contactID: contactID, root: root)
        let plaintext = try LinkedAdvertPlaintext(random: try input.bytes("advert_random"))
        fields["link_secret"] = .hex(secret)
        fields["identity_private"] = .hex(try root.identityKey().scalar().copiedBytes)
        fields["plaintext"] = .hex(plaintext.bytes)
        var advertKey = try woken.advertKey()
        fields["advert"] = .hex(try advertKey.seal(plaintext))
        let keys = try SessionKeys.fields(secret: secret, salt: request.nonce.bytes, plaintext.bytes)
        fields.merge(keys) { first, _ in first }
        let connected = try Responder(woken, advert: plaintext)
            .answer(messageIn.span, ephemeralKey: try Operation.key(input, "ephemeral_private"))
        fields["message_2"] = .hex(connected.response)
        let presharedKey = try SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.responder(
            Handshake(
                .nkPSK0, role: .responder, staticKey: try root.identityKey(), presharedKey: presharedKey), input)
        fields.merge(Operation.fields(of: again)) { first, _ in first }
        return connected
    }
}
