internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import PasskeyExchange

// Passkeys that are handed over (the article HandOver of PasskeyExchange).

extension VectorOperation {
    static let handOvers = [
        VectorOperation("hand-over.parse", "hand-over") { input in
            let url = try input.text("url")
            let invitation = try ApplicationInvitation(url: url, scheme: .handOver).intoInvitation()
            let details = invitation.details
            let secret = try secret(of: invitation)
            let session = InvitationScheme.handOver.sessionSecret(of: SecretBytes(copying: secret.span))
            let eidKey = KeySchedule.derive(.eidKey, from: session.span, byteCount: AdvertKey.byteCount)
            return [
                "public_key": .hex(invitation.clientPublicKey.compressed), "secret": .hex(secret),
                "known_domains": .integer(Int64(clamping: details.knownDomainCount ?? 0)),
                "timestamp": details.timestamp.map { .integer(Int64(clamping: $0)) } ?? .null,
                "channels": .array(details.channels.map { .integer(Int64(clamping: $0.rawValue)) }),
                "session_secret": .hex(session.copiedBytes), "tunnel_id": .hex(try invitation.tunnelID().bytes),
                "eid_key": .hex(eidKey.copiedBytes),
            ]
        },
        VectorOperation("hand-over.code", "hand-over") { input in
            let hash = try input.bytes("handshake_hash")
            let receiver = try input.bytes("receiver_nonce")
            let code = ComparisonCode(
                handshakeHash: hash, receiver: receiver, sender: try input.bytes("sender_nonce"))
            let commitment = ComparisonCode.commitment(to: receiver, handshakeHash: hash)
            let typed = ComparisonCode.commitment(
                toDigits: code.digits, nonce: try input.bytes("typed_nonce"), handshakeHash: hash)
            return [
                "commitment": .hex(commitment), "code": .string(code.digits), "typed_commitment": .hex(typed),
            ]
        },
        VectorOperation("hand-over.identity", "hand-over") { input in try identity(input) },
        VectorOperation("hand-over.digest", "hand-over") { input in
            ["digest": .hex(HandOverOffer.digest(of: try input.bytes("credential_id")))]
        },
        VectorOperation("hand-over.decode", "hand-over") { input in
            let plaintext = try input.bytes("plaintext")
            let message = try HandOverMessage(decoding: plaintext.span)
            return ["type": .string("\(message.kind)"), "plaintext": .hex(message.encoded())]
        },
        VectorOperation("hand-over.session", "hand-over") { input in try session(input) },
    ]

    /// The key of a receiver, its number, and its signature of a session.
    private static func identity(_ input: CaseFields) throws -> CaseFields {
        let seed = try input.bytes("private_key")
        let statement = HandOverReceiver.statement(handshakeHash: try input.bytes("handshake_hash"))
        let key = try Ed25519.PrivateKey(seed: seed.span)
        let signature = try key.sign(statement.span)
        let publicKey = key.publicKey.bytes
        let receiver = HandOverReceiver(key: publicKey, name: "")
        return ["public_key": .hex(publicKey), "receiver_id": .hex(receiver.id), "signature": .hex(signature)]
    }

    /// Both ends of a hand-over, from the handshake on.
    private static func session(_ input: CaseFields) throws -> CaseFields {
        let secret = try input.bytes("secret")
        let advert = try AdvertPlaintext(try input.bytes("advert_plaintext"))
        let invitation = try ClientInvitation(
            privateKey: key(input, "static_private"), secret: SecretBytes(copying: secret.span),
            details: .init(timestamp: nil, hint: .getAssertion), of: .handOver)
        let scanned = try ApplicationInvitation(url: invitation.invitation.url(), scheme: .handOver).intoInvitation()
        let initiator = try Initiator(
            invitation, advert: advert, ephemeralKey: key(input, "initiator_ephemeral_private"))
        let first = initiator.message
        let authenticator = try Responder(scanned, advert: advert).answer(
            first.span, ephemeralKey: key(input, "responder_ephemeral_private"))
        let second = authenticator.response
        var sender = authenticator.exchange { HandOverState(role: .sender, handshakeHash: $0) }
        var receiver = try initiator.finish(second.span).exchange {
            HandOverState(role: .receiver, handshakeHash: $0)
        }
        let messages = try input.byteStrings("messages")
        return try CaseSteps.run(count: messages.count) { steps in
            var frames: [JSONValue] = []
            for plaintext in messages {
                let message = try HandOverMessage(decoding: plaintext.span)
                if message.kind.origin == .sender {
                    let frame = try sender.seal(message)
                    _ = try receiver.open(frame)
                    frames.append(.hex(frame))
                } else {
                    let frame = try receiver.seal(message)
                    _ = try sender.open(frame)
                    frames.append(.hex(frame))
                }
                steps.advance()
            }
            return [
                "message_1": .hex(first), "message_2": .hex(second), "handshake_hash": .hex(sender.handshakeHash),
                "frames": .array(frames), "code": receiver.codec.code.map { .string($0.digits) } ?? .null,
            ]
        }
    }
}
