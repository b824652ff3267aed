internal import Cryptography
internal import Encodings
internal import HybridProtocol

// The handshakes and the transport phase (the articles NoiseHandshake and Framing of HybridProtocol).

extension VectorOperation {
    static let noise = [
        VectorOperation("noise.handshake", "noise") { input in
            let parties = try NoiseParties(input)
            var initiator = try parties.handshake(.initiator, staticPrivate: try input.bytes("static_private"))
            var responder = try parties.handshake(.responder, staticPrivate: try input.bytes("static_private"))
            let first = try initiator.writeMessage(ephemeralKey: try key(input, "initiator_ephemeral_private"))
            _ = try responder.readMessage(first.span)
            let second = try responder.writeMessage(ephemeralKey: try key(input, "responder_ephemeral_private"))
            _ = try initiator.readMessage(second.span)
            let ours = fields(of: try initiator.finish())
            guard ours == fields(of: try responder.finish()) else {
                throw OperationFailure(.badTag, reason: "the two sides ended with different keys")
            }
            let messages: CaseFields = ["message_1": .hex(first), "message_2": .hex(second)]
            return messages.with(ours)
        },
        VectorOperation("noise.respond", "noise") { input in
            var responder = try NoiseParties(input).handshake(.responder, input)
            let message = try input.bytes("message_1")
            _ = try responder.readMessage(message.span)
            let second = try responder.writeMessage(ephemeralKey: try key(input, "ephemeral_private"))
            let message2: CaseFields = ["message_2": .hex(second)]
            return message2.with(fields(of: try responder.finish()))
        },
        VectorOperation("noise.finish", "noise") { input in
            var initiator = try NoiseParties(input).handshake(.initiator, input)
            _ = try initiator.writeMessage(ephemeralKey: try key(input, "ephemeral_private"))
            let message = try input.bytes("message_2")
            _ = try initiator.readMessage(message.span)
            return fields(of: try initiator.finish())
        },
    ]

    static let transport = [
        VectorOperation("transport.pad", "transport") { input in
            var message = try input.bytes("message")
            Padding.pad(&message)
            return ["padded": .hex(message)]
        },
        VectorOperation("transport.unpad", "transport") { input in
            var padded = try input.bytes("padded")
            try Padding.unpad(&padded)
            return ["message": .hex(padded)]
        },
        VectorOperation("transport.seal", "transport") { input in try seal(input, .current) },
        VectorOperation("transport.seal-old", "transport") { input in try seal(input, .old) },
        VectorOperation("transport.open", "transport") { input in try open(input, .current) },
        VectorOperation("transport.open-old", "transport") { input in try open(input, .old) },
        VectorOperation("transport.sequence", "transport") { input in
            let key = try input.bytes("key")
            var opener = try FrameOpener(key: key.span)
            let frames = try input.byteStrings("frames")
            return try CaseSteps.run(count: frames.count) { steps in
                var messages: [JSONValue] = []
                for frame in frames {
                    messages.append(.hex(try opener.open(frame)))
                    steps.advance()
                }
                return ["messages": .array(messages)]
            }
        },
    ]

    static func key(_ input: CaseFields, _ name: String) throws -> P256.PrivateKey {
        let scalar = try input.bytes(name)
        return try P256.PrivateKey(scalar: scalar.span)
    }

    static func fields(of result: borrowing HandshakeResult) -> CaseFields {
        [
            "handshake_hash": .hex(result.handshakeHash),
            "client_to_authenticator_key": .hex(result.keys.initiatorToResponder.copiedBytes),
            "authenticator_to_client_key": .hex(result.keys.responderToInitiator.copiedBytes),
        ]
    }

    private static func seal(_ input: CaseFields, _ construction: TransportConstruction) throws -> CaseFields {
        let key = try input.bytes("key")
        var sealer = try FrameSealer(
            key: key.span, construction: construction, startingAt: try input.integer("counter"))
        return ["frame": .hex(try sealer.seal(try input.bytes("message")))]
    }

    private static func open(_ input: CaseFields, _ construction: TransportConstruction) throws -> CaseFields {
        let key = try input.bytes("key")
        var opener = try FrameOpener(
            key: key.span, construction: construction, startingAt: try input.integer("counter"))
        return ["message": .hex(try opener.open(try input.bytes("frame")))]
    }
}

/// The parties of a Noise case: in KNpsk0 the static key is the client's, in NKpsk0 the authenticator's.
private struct NoiseParties {
    let pattern: HandshakePattern
    let presharedKey: [UInt8]

    init(_ input: CaseFields) throws(VectorError) {
        switch try input.text("pattern") {
        case "KNpsk0": pattern = .knPSK0
        case "NKpsk0": pattern = .nkPSK0
        default: throw input.mistyped("pattern", "a pattern")
        }
        presharedKey = try input.bytes("psk")
    }

    /// One side's handshake from the static key that it has: private or the other's package one.
    func handshake(_ role: HandshakeRole, _ input: CaseFields) throws -> Handshake {
        guard owner == role else {
            let point = try input.bytes("static_public")
            let peer = try P256.PublicKey(x963: point.span)
            return try Handshake(
                pattern, role: role, remoteStaticKey: peer, presharedKey: SecretBytes(copying: presharedKey.span))
        }
        return try handshake(role, staticPrivate: try input.bytes("static_private"))
    }

    /// One side's handshake from the static key pair, of which it uses the half that it may know.
    func handshake(_ role: HandshakeRole, staticPrivate scalar: [UInt8]) throws -> Handshake {
        let key = try P256.PrivateKey(scalar: scalar.span)
        guard owner == role else {
            let peer = key.publicKey
            return try Handshake(
                pattern, role: role, remoteStaticKey: peer, presharedKey: SecretBytes(copying: presharedKey.span))
        }
        return try Handshake(
            pattern, role: role, staticKey: key, presharedKey: SecretBytes(copying: presharedKey.span))
    }

    /// The owner of the static key.
    private var owner: HandshakeRole { pattern == .knPSK0 ? .initiator : .responder }
}
