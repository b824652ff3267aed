internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The handshake patterns, by the names that vectors have for them.
enum PatternName: String, CaseIterable {
    /// From a QR code: the authenticator knows the client's static key.
    case knPSK0 = "KNpsk0"
    /// State-assisted: the client knows the authenticator's static key.
    case nkPSK0 = "NKpsk0"

    /// The name in identifiers.
    var slug: String { rawValue.lowercased() }
}

/// One honest handshake between fixed keys (the article NoiseHandshake of HybridProtocol), and the inputs of
/// both sides.
struct HandshakeRun {
    /// The keys of both sides: 32 bytes each.
    struct Keys {
        var presharedKey: [UInt8]
        /// The client's in KNpsk0, the authenticator's in NKpsk0.
        var staticKey: [UInt8]
        /// The client's.
        var initiatorEphemeral: [UInt8]
        /// The authenticator's.
        var responderEphemeral: [UInt8]

        /// The keys of a label.
        init(_ seed: VectorSeed, _ label: String) throws {
            presharedKey = seed.bytes("noise/\(label)/psk", Handshake.presharedKeyByteCount)
            staticKey = seed.privateKey("noise/\(label)/static")
            initiatorEphemeral = seed.privateKey("noise/\(label)/initiator")
            responderEphemeral = seed.privateKey("noise/\(label)/responder")
        }

        /// The same keys after a change.
        func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
            var changed = self
            try change(&changed)
            return changed
        }
    }

    let pattern: PatternName
    let keys: Keys
    /// The public half of the static key, uncompressed: 65 bytes.
    let staticPublic: [UInt8]
    /// The client's message: 81 bytes.
    let message1: [UInt8]
    /// The authenticator's message: 81 bytes.
    let message2: [UInt8]

    init(_ pattern: PatternName, _ keys: Keys) throws {
        self.pattern = pattern
        self.keys = keys
        staticPublic = try CraftedPoint.publicKey(of: keys.staticKey)
        let outcome = try LayerCases.outcome(of: "noise.handshake", in: "noise", Self.input(pattern, keys))
        message1 = try outcome.bytes("message_1")
        message2 = try outcome.bytes("message_2")
    }

    /// The input of a case of the whole handshake.
    var input: CaseFields { Self.input(pattern, keys) }

    private static func input(_ pattern: PatternName, _ keys: Keys) -> CaseFields {
        [
            "pattern": .string(pattern.rawValue), "psk": .hex(keys.presharedKey),
            "static_private": .hex(keys.staticKey),
            "initiator_ephemeral_private": .hex(keys.initiatorEphemeral),
            "responder_ephemeral_private": .hex(keys.responderEphemeral),
        ]
    }

    /// The authenticator's input.
    var responderInput: CaseFields {
        side(keys.responderEphemeral, reads: "message_1", message1, ownsStaticKey: pattern == .nkPSK0)
    }

    /// The client's input.
    var initiatorInput: CaseFields {
        side(keys.initiatorEphemeral, reads: "message_2", message2, ownsStaticKey: pattern == .knPSK0)
    }

    private func side(
        _ ephemeral: [UInt8], reads field: String, _ message: [UInt8], ownsStaticKey: Bool
    ) -> CaseFields {
        let common: CaseFields = [
            "pattern": .string(pattern.rawValue), "psk": .hex(keys.presharedKey), "ephemeral_private": .hex(ephemeral),
            field: .hex(message),
        ]
        return common.with(staticKeyField(isOwn: ownsStaticKey))
    }

    /// The static key, as the authenticator has it.
    var respondersStaticKey: CaseFields { staticKeyField(isOwn: pattern == .nkPSK0) }
    /// The static key, as the client has it.
    var initiatorsStaticKey: CaseFields { staticKeyField(isOwn: pattern == .knPSK0) }

    private func staticKeyField(isOwn: Bool) -> CaseFields {
        isOwn ? ["static_private": .hex(keys.staticKey)] : ["static_public": .hex(staticPublic)]
    }
}
