internal import Conformance
internal import Cryptography

// Key pairs that are valid and unusual, as Wycheproof has them.

extension NoiseCases {
    mutating func addSpecialKeys(_ pattern: PatternName) throws {
        let keys = try HandshakeRun.Keys(seed, "\(pattern.rawValue)/edges")
        let specials =
            try Self.numbers(keys) + related(keys, pattern) + withZeroBytes(keys, pattern) + Self.presharedKeys(keys)
        for special in specials {
            try addHonest(
                special.slug, special.comment,
                rules: Rules(handshake: special.rule, respond: special.rule, finish: special.rule),
                run: HandshakeRun(pattern, special.keys), flags: special.flags)
        }
    }

    private struct Special {
        let slug: String
        let comment: String
        let rule: String
        let keys: HandshakeRun.Keys
        let flags: [CaseFlag]

        init(
            _ slug: String, _ comment: String, rule: String = "HT-HS-9", _ keys: HandshakeRun.Keys,
            flags: [CaseFlag] = [.curve],
            _ change: (inout HandshakeRun.Keys) throws -> Void
        ) rethrows {
            self.slug = slug
            self.comment = comment
            self.rule = rule
            self.keys = try keys.with(change)
            self.flags = flags
        }
    }

    /// The first and the last private key.
    private static func numbers(_ keys: HandshakeRun.Keys) -> [Special] {
        let (one, last) = (scalar(.powerOfTwo(0)), scalar(order - .powerOfTwo(0)))
        return [
            Special("e1-one", "the client's ephemeral key is 1: its point is the generator", keys) {
                $0.initiatorEphemeral = one
            },
            Special("e2-one", "the phone's ephemeral key is 1", keys) { $0.responderEphemeral = one },
            Special("e1-last", "the client's ephemeral key is the order less 1", keys) { $0.initiatorEphemeral = last },
            Special("e2-last", "the phone's ephemeral key is the order less 1", keys) { $0.responderEphemeral = last },
            Special("static-one", "the static key is 1", keys) { $0.staticKey = one },
        ]
    }

    /// Keys that have to do with each other.
    private func related(_ keys: HandshakeRun.Keys, _ pattern: PatternName) -> [Special] {
        let initiator = Magnitude(keys.initiatorEphemeral)
        return [
            Special("same-ephemeral", "both ephemeral keys are the same", keys) {
                $0.responderEphemeral = $0.initiatorEphemeral
            },
            Special("negated-ephemeral", "the ephemeral points have the same X", keys) {
                $0.responderEphemeral = Self.scalar(Self.order - initiator)
            },
            Special("inverse-ephemeral", "the ephemeral keys' secret is the generator's X", keys) {
                $0.responderEphemeral = Self.scalar(initiator.inverse(modulo: Self.order))
            },
            Special("ephemeral-is-static", "one side uses its static key as ephemeral key", keys) {
                switch pattern {
                case .knPSK0: $0.initiatorEphemeral = $0.staticKey
                case .nkPSK0: $0.responderEphemeral = $0.staticKey
                }
            },
        ]
    }

    /// Secrets and coordinates that an implementation might write with 31 bytes.
    private func withZeroBytes(_ keys: HandshakeRun.Keys, _ pattern: PatternName) throws -> [Special] {
        let initiatorPoint = try CraftedPoint.publicKey(of: keys.initiatorEphemeral)
        let staticPoint = try CraftedPoint.publicKey(of: keys.staticKey)
        let zeroWithInitiator = try firstKey("\(pattern.rawValue)/ee") {
            try CraftedPoint.sharedSecret($0, initiatorPoint).first == 0
        }
        let zeroWithStatic = try firstKey("\(pattern.rawValue)/s") {
            try CraftedPoint.sharedSecret($0, staticPoint).first == 0
        }
        let zeroX = try firstKey("x") { try CraftedPoint.publicKey(of: $0)[CraftedPoint.x.lowerBound] == 0 }
        let zeroY = try firstKey("y") { try CraftedPoint.publicKey(of: $0)[CraftedPoint.y.lowerBound] == 0 }
        return [
            Special("zero-byte-ee", "the secret of the ephemeral keys begins with a zero byte", rule: "HT-HS-6", keys) {
                $0.responderEphemeral = zeroWithInitiator
            },
            Special("zero-byte-static", "the secret with the static key begins with a zero byte", rule: "HT-HS-6", keys)
            {
                // The token se: the authenticator's ephemeral and the client's static key; es: the other way round.
                switch pattern {
                case .knPSK0: $0.responderEphemeral = zeroWithStatic
                case .nkPSK0: $0.initiatorEphemeral = zeroWithStatic
                }
            },
            Special("zero-byte-x", "the X of the client's point begins with a zero byte", rule: "HT-HS-5", keys) {
                $0.initiatorEphemeral = zeroX
            },
            Special("zero-byte-y", "the Y of the phone's point begins with a zero byte", rule: "HT-HS-5", keys) {
                $0.responderEphemeral = zeroY
            },
        ]
    }

    private static func presharedKeys(_ keys: HandshakeRun.Keys) -> [Special] {
        let count = keys.presharedKey.count
        return [
            Special("psk-zeros", "a pre-shared key of zeros", rule: "HT-HS-7", keys, flags: []) {
                $0.presharedKey = .zeros(count)
            },
            Special("psk-ones", "a pre-shared key of ones", rule: "HT-HS-7", keys, flags: []) {
                $0.presharedKey = .ones(count)
            },
        ]
    }

    /// The first private key of a row that is as wanted; for a zero byte somewhere it is about every 256th.
    private func firstKey(_ label: String, where isWanted: ([UInt8]) throws -> Bool) throws -> [UInt8] {
        var index = 0
        while true {
            let key = seed.privateKey("edges/\(label)/\(index)")
            if try isWanted(key) { return key }
            index += 1
        }
    }

    /// The number of P-256's points: one more than private keys.
    private static let order = Magnitude(VectorSeed.privateKeyCount) + 1

    private static func scalar(_ number: Magnitude) -> [UInt8] { number.bigEndianBytes(P256.scalarByteCount) }
}
