internal import Conformance
internal import Encodings
internal import HybridProtocol

// Frames that must be refused; frames in turn; the old construction.

extension TransportCases {
    private mutating func refuse(
        _ slug: String, _ comment: String, rule: String, input: CaseFields, failure: String = "bad-tag",
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "open-\(slug)", comment, rule: rule, operation: "transport.open", input: input, failure: failure,
            flags: flags)
    }

    mutating func addRefusals() throws {
        let frame = try sealed(Self.getInfo)
        try refuse(FrameMalformations.frames, of: frame) { [self] in opening($0) }
        let otherKey = seed.bytes("transport/other", Self.keyByteCount)
        try refuse("wrong-key", "the other direction's key", rule: "HT-FRM-19", input: opening(frame, key: otherKey))
        try addWrongCounters(frame)
        try refuse(FrameMalformations.plaintexts, of: .zeros(31)) { [self] in
            try opening(CraftedFrame.seal(plaintext: $0, key: key))
        }
    }

    private mutating func refuse(
        _ malformations: [Malformation<[UInt8], [UInt8]>], of honest: [UInt8], input: ([UInt8]) throws -> CaseFields
    ) throws {
        try layer.invalid(
            malformations, of: honest, prefix: "open-", operation: "transport.open", input: input)
    }

    private mutating func addWrongCounters(_ frame: [UInt8]) throws {
        try refuse(
            "counter-ahead", "the receiver has already counted on", rule: "HT-FRM-18",
            input: opening(frame, counter: 1), flags: [.order])
        try refuse(
            "counter-behind", "a frame was lost", rule: "HT-FRM-18", input: opening(sealed(Self.getInfo, counter: 1)),
            flags: [.order])
        let one: UInt32 = 1
        let plaintext = CraftedFrame.padded(Self.getInfo)
        try refuse(
            "counter-little-endian", "the counter little-endian in the last four bytes", rule: "HT-FRM-11",
            input: opening(
                CraftedFrame.seal(plaintext: plaintext, key: key, nonce: .zeros(8) + one.littleEndianBytes), counter: 1)
        )
        try refuse(
            "counter-first", "the counter in the first four bytes, as in the handshake",
            rule: "HT-FRM-11",
            input: opening(
                CraftedFrame.seal(plaintext: plaintext, key: key, nonce: one.bigEndianBytes + .zeros(8)), counter: 1)
        )
        try refuse(
            "additional-data", "sealed with additional data 02, as the old construction is",
            rule: "HT-FRM-26", input: opening(CraftedFrame.seal(Self.getInfo, key: key, construction: .old)))
        for counter in [CraftedFrame.lastCounter + 1, .max] {
            let sealed = try CraftedFrame.seal(plaintext: plaintext, key: key, nonce: CraftedFrame.nonce(counter))
            try refuse(
                "counter-\(counter)", "counter \(counter): refuse to decrypt even a good frame",
                rule: "HT-FRM-15", input: opening(sealed, counter: counter), failure: "counter-exhausted",
                flags: counter == CraftedFrame.lastCounter + 1 ? [.boundary] : [])
        }
    }

    mutating func addSequences() throws {
        let messages = (0..<5).map { seed.bytes("sequence/\($0)", 5 + 20 * $0) }
        let frames = try zip(0..., messages).map { try sealed($1, counter: $0) }
        try layer.valid(
            "sequence-in-order", "five frames in order", rule: "HT-FRM-12", operation: "transport.sequence",
            input: sequence(frames))
        let same = try (0..<3).map { try sealed(Self.getInfo, counter: $0) }
        try layer.valid(
            "sequence-same-message", "one message three times: three different frames", rule: "HT-FRM-12",
            operation: "transport.sequence", input: sequence(same))
        for (slug, comment, order) in [
            ("replay", "the same frame again", [0, 0]), ("replay-later", "an earlier frame again", [0, 1, 2, 1]),
            ("skip", "a frame is missing", [0, 2]), ("swapped", "the second frame comes first", [1]),
            ("restart", "the counter does not start again", [0, 1, 0]),
        ] {
            try layer.invalid(
                "sequence-\(slug)", comment, rule: "HT-FRM-18", operation: "transport.sequence",
                input: sequence(order.map { frames[$0] }),
                failure: "bad-tag", flags: [.order])
        }
    }

    private func sequence(_ frames: [[UInt8]]) -> CaseFields { ["key": .hex(key), "frames": .hexes(frames)] }

    mutating func addOldConstruction() throws {
        for counter: UInt32 in [0, 1, 256] {
            let frame = try CraftedFrame.seal(Self.getInfo, key: key, counter: counter, construction: .old)
            try layer.valid(
                "old-counter-\(counter)", "the old construction; made here, no public vector exists",
                rule: "HT-FRM-24", operation: "transport.open-old", input: opening(frame, counter: counter),
                flags: [.optional])
            try layer.valid(
                "old-seal-\(counter)", "the old construction, sealed", rule: "HT-FRM-25",
                operation: "transport.seal-old",
                input: ["key": .hex(key), "counter": .integer(counter), "message": .hex(Self.getInfo)],
                flags: [.optional])
        }
        try layer.invalid(
            "old-of-new", "a frame of the current construction is not one of the old", rule: "HT-FRM-26",
            operation: "transport.open-old", input: opening(sealed(Self.getInfo)), failure: "bad-tag",
            flags: [.optional])
    }
}
