internal import CBOR
internal import Cryptography
internal import HybridProtocol
internal import Noise

/// The client's side of a whole state-assisted session (PROTOCOL.md 8), by the types that it uses.
enum LinkedClientReplay {
    static func run(_ input: Fields) throws -> [String: JSONValue] {
        let frames = try SessionFrame.all(input, me: "client")
        return try Progress.through(stepCount: frames.count + 1) { progress in
            var fields: [String: JSONValue] = [:]
            let joined = try handshake(input, &fields)
            progress.advance()
            try ClientReplay.play(frames, joined, input, &progress, &fields)
            return fields
        }
    }

    private static func handshake(
        _ input: Fields, _ fields: inout [String: JSONValue]
    ) throws -> ClientReplay.Joined {
        let (secret, nonce) = (try input.bytes("link_secret"), try input.bytes("nonce"))
        let (advert, messageIn) = (try input.bytes("advert"), try input.bytes("message_2"))
        let attempt = try LinkedAttempt(
            link(input), nonce: ClientNonce(nonce), hint: try Operation.hint(input))
        fields["payload"] = .hex(attempt.request.encoded())
        var advertKey = try attempt.advertKey()
        let plaintext = try advertKey.openLinked(advert.span)
        let publicKey = attempt.link.publicKey
        fields["plaintext"] = .hex(plaintext.bytes)
        fields.merge(try SessionKeys.fields(secret: secret, salt: nonce, plaintext.bytes)) { first, _ in first }
        let initiator = try Initiator(
            attempt, advert: plaintext, ephemeralKey: try Operation.key(input, "ephemeral_private"))
        fields["message_1"] = .hex(initiator.message)
        let connected = try initiator.finish(messageIn.span)
        let presharedKey = try SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.initiator(
            Handshake(.nkPSK0, role: .initiator, remoteStaticKey: publicKey, presharedKey: presharedKey), input)
        fields.merge(Operation.fields(of: again)) { first, _ in first }
        return ClientReplay.Joined(client: connected, handshake: again)
    }

    /// The case's link, as if it had been stored: what it does not state is of no consequence.
    private static func link(_ input: Fields) throws -> Link {
        let stored: CBORMap = [
            0: .unsigned(1), 1: .bytes([0]), 2: .bytes(try input.bytes("link_id")),
            3: .bytes(try input.bytes("link_secret")), 4: .bytes(try input.bytes("authenticator_public")),
            5: .text(""), 6: .unsigned(0),
        ]
        let encoded = stored.encoded()
        return try Link(decoding: encoded.span)
    }
}
