internal import JSON
internal import Noise

// Frames that must be refused; frames in turn; the old construction.

extension TransportCases {
    private mutating func refuse(
        _ slug: String, _ comment: String, _ input: CaseFields, _ failure: String = "bad-tag",
        _ flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "open-\(slug)", comment, rule: Self.rule, "transport.open", input, failure: failure, flags: flags)
    }

    mutating func addRefusals() throws {
        let frame = try sealed(Self.getInfo)
        for count in [0, 1, 15] {
            try refuse(
                "\(count)-bytes", "\(count) bytes: not even a tag", opening(Array(frame.prefix(count))), "too-short",
                count == CraftedFrame.tagByteCount - 1 ? [.boundary] : [])
        }
        for count in [16, 17, 32, 47] {
            try refuse(
                "cut-\(count)", "the first \(count) bytes of a frame", opening(Array(frame.prefix(count))), "bad-tag",
                [.tamper])
        }
        try refuse("extended", "one byte behind the tag", opening(frame + [0]), "bad-tag", [.tamper])
        try refuse(
            "without-first", "the first byte is missing", opening(Array(frame.dropFirst())), "bad-tag", [.tamper])
        for bit in [0, 9, 255, 256, 383] {
            try refuse(
                "bit-\(bit)", "bit \(bit) of \(frame.count * UInt8.bitWidth) flipped",
                opening(frame.flipping(bit: bit)), "bad-tag", [.tamper])
        }
        try refuse("zeros", "48 zero bytes", opening(.zeros(frame.count)))
        let otherKey = try seed.bytes("transport/other", Self.keyByteCount)
        try refuse("wrong-key", "the other direction's key", opening(frame, key: otherKey))
        try addWrongCounters(frame)
        try refuse(
            "empty-plaintext", "a good tag over nothing: no count byte",
            opening(CraftedFrame.seal(plaintext: [], key: key)), "empty")
        try refuse(
            "bad-padding", "a good tag over a count larger than the plaintext",
            opening(CraftedFrame.seal(plaintext: .zeros(31) + [32], key: key)), "bad-padding")
    }

    private mutating func addWrongCounters(_ frame: [UInt8]) throws {
        try refuse(
            "counter-ahead", "the receiver has already counted on", opening(frame, counter: 1), "bad-tag", [.order])
        try refuse(
            "counter-behind", "a frame was lost", opening(sealed(Self.getInfo, counter: 1)), "bad-tag", [.order])
        let one: UInt32 = 1
        let plaintext = CraftedFrame.padded(Self.getInfo)
        try refuse(
            "counter-little-endian", "the counter little-endian in the last four bytes",
            opening(
                CraftedFrame.seal(plaintext: plaintext, key: key, nonce: .zeros(8) + one.littleEndianBytes), counter: 1)
        )
        try refuse(
            "counter-first", "the counter in the first four bytes, as in the handshake",
            opening(
                CraftedFrame.seal(plaintext: plaintext, key: key, nonce: one.bigEndianBytes + .zeros(8)), counter: 1)
        )
        try refuse(
            "additional-data", "sealed with additional data 02, as the old construction is",
            opening(CraftedFrame.seal(Self.getInfo, key: key, construction: .old)))
        for counter in [CraftedFrame.lastCounter + 1, .max] {
            let sealed = try CraftedFrame.seal(plaintext: plaintext, key: key, nonce: CraftedFrame.nonce(counter))
            try refuse(
                "counter-\(counter)", "counter \(counter): refuse to decrypt even a good frame",
                opening(sealed, counter: counter), "counter-exhausted",
                counter == CraftedFrame.lastCounter + 1 ? [.boundary] : [])
        }
    }

    mutating func addSequences() throws {
        let messages = try (0..<5).map { try seed.bytes("sequence/\($0)", 5 + 20 * $0) }
        let frames = try zip(0..., messages).map { try sealed($1, counter: $0) }
        try layer.valid(
            "sequence-in-order", "five frames in order", rule: Self.rule, "transport.sequence", sequence(frames))
        let same = try (0..<3).map { try sealed(Self.getInfo, counter: $0) }
        try layer.valid(
            "sequence-same-message", "one message three times: three different frames", rule: Self.rule,
            "transport.sequence", sequence(same))
        for (slug, comment, order) in [
            ("replay", "the same frame again", [0, 0]), ("replay-later", "an earlier frame again", [0, 1, 2, 1]),
            ("skip", "a frame is missing", [0, 2]), ("swapped", "the second frame comes first", [1]),
            ("restart", "the counter does not start again", [0, 1, 0]),
        ] {
            try layer.invalid(
                "sequence-\(slug)", comment, rule: Self.rule, "transport.sequence", sequence(order.map { frames[$0] }),
                failure: "bad-tag", flags: [.order])
        }
    }

    private func sequence(_ frames: [[UInt8]]) -> CaseFields { ["key": .hex(key), "frames": .hexes(frames)] }

    mutating func addOldConstruction() throws {
        for counter: UInt32 in [0, 1, 256] {
            let frame = try CraftedFrame.seal(Self.getInfo, key: key, counter: counter, construction: .old)
            try layer.valid(
                "old-counter-\(counter)", "the old construction; made here, no public vector exists", rule: Self.rule,
                "transport.open-old", opening(frame, counter: counter), flags: [.optional], certainty: .secondHand)
            try layer.valid(
                "old-seal-\(counter)", "the old construction, sealed", rule: Self.rule, "transport.seal-old",
                ["key": .hex(key), "counter": .integer(counter), "message": .hex(Self.getInfo)], flags: [.optional],
                certainty: .secondHand)
        }
        try layer.invalid(
            "old-of-new", "a frame of the current construction is not one of the old", rule: Self.rule,
            "transport.open-old", opening(sealed(Self.getInfo)), failure: "bad-tag", flags: [.optional],
            certainty: .secondHand)
    }
}
