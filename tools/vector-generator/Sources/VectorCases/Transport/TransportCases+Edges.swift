internal import Conformance
internal import Encodings

// Special tags, nonces, counters and keys, as Wycheproof has them. These frames have a key of their own.

extension TransportCases {
    private var edgeKey: [UInt8] {
        get throws { seed.bytes("edges/key", Self.keyByteCount) }
    }

    /// The message in all these frames.
    private static let plaintext = CraftedFrame.padded(getInfo)

    /// Seals the plaintext, with parameters other than the protocol's.
    private func edgeFrame(nonce: [UInt8] = CraftedFrame.nonce(0), authenticatedData: [UInt8] = []) throws -> [UInt8] {
        try CraftedFrame.seal(
            plaintext: Self.plaintext, key: edgeKey, nonce: nonce, authenticatedData: authenticatedData)
    }

    private mutating func refuse(
        _ slug: String, _ comment: String, rule: String, frame: [UInt8], counter: UInt32 = 0, flag: CaseFlag = .tamper
    ) throws {
        try layer.invalid(
            "open-\(slug)", comment, rule: rule, operation: "transport.open",
            input: opening(frame, counter: counter, key: edgeKey),
            failure: "bad-tag", flags: [flag])
    }

    mutating func addTags() throws {
        let frame = try edgeFrame()
        let body = Array(frame.dropLast(CraftedFrame.tagByteCount))
        let tag = Array(frame.suffix(CraftedFrame.tagByteCount))
        for index in 0..<tag.count {
            let bit = (body.count + index) * UInt8.bitWidth + index % UInt8.bitWidth
            try refuse(
                "tag-byte-\(index)", "a bit of byte \(index) of the tag flipped", rule: "HT-FRM-16",
                frame: frame.flipping(bit: bit))
        }
        try refuse("tag-zeros", "a tag of zeros", rule: "HT-FRM-16", frame: body + .zeros(tag.count))
        try refuse("tag-ones", "a tag of ones", rule: "HT-FRM-16", frame: body + .ones(tag.count))
        try refuse("tag-reversed", "the tag's bytes in reverse", rule: "HT-FRM-16", frame: body + tag.reversed())
        try refuse(
            "tag-12-bytes", "a tag of 12 bytes, which GCM allows and the protocol does not", rule: "HT-FRM-13",
            frame: frame.dropLast(4))
        try refuse("tag-in-front", "the tag in front of the ciphertext", rule: "HT-FRM-13", frame: tag + body)
        try refuse(
            "not-sealed", "the padded message and a tag of zeros", rule: "HT-FRM-16",
            frame: Self.plaintext + .zeros(tag.count))
    }

    mutating func addNonces() throws {
        let one: UInt32 = 1
        let placed = "HT-FRM-11"
        let counted = "HT-FRM-12"
        let nonces: [(slug: String, comment: String, rule: String, nonce: [UInt8])] = [
            (
                "little-endian-8", "counter 1 in the first eight bytes, little-endian", placed,
                UInt64(one).littleEndianBytes + .zeros(4)
            ),
            ("big-endian-first", "counter 1 where the handshake has it", placed, one.bigEndianBytes + .zeros(8)),
            ("middle", "counter 1 in the middle four bytes", placed, .zeros(4) + one.bigEndianBytes + .zeros(4)),
            (
                "noise-rust", "counter 1 as Noise writes it for ChaChaPoly", placed,
                .zeros(4) + UInt64(one).littleEndianBytes
            ),
            ("from-one", "a sender that counts from one", counted, CraftedFrame.nonce(2)),
            ("constant", "a sender that does not count", counted, CraftedFrame.nonce(0)),
            ("tls", "a nonce with other bytes set", placed, .zeros(4) + [UInt8](repeating: 1, count: 8)),
        ]
        for (slug, comment, rule, nonce) in nonces {
            try refuse(
                "nonce-\(slug)", comment, rule: rule, frame: edgeFrame(nonce: nonce), counter: 1, flag: .order)
        }
        for counter: UInt32 in [1, 255, 256, 65535, 65536, CraftedFrame.lastCounter] {
            for other in [counter - 1, counter ^ 1 << 23] {
                try refuse(
                    "counter-\(counter)-sealed-\(other)", "sealed as number \(other), opened as number \(counter)",
                    rule: "HT-FRM-18", frame: edgeFrame(nonce: CraftedFrame.nonce(other)), counter: counter,
                    flag: .order)
            }
        }
    }

    mutating func addOtherCiphers() throws {
        let data: [(slug: String, bytes: [UInt8])] = [
            ("zero", [0]), ("two", [2]), ("counter", .zeros(4)), ("length", [0, 32]),
        ]
        for (slug, bytes) in data {
            try refuse(
                "data-\(slug)", "additional data where none may be", rule: "HT-FRM-10",
                frame: edgeFrame(authenticatedData: bytes))
        }
        let keys: [(slug: String, key: [UInt8])] = [
            ("zeros", .zeros(Self.keyByteCount)), ("ones", .ones(Self.keyByteCount)),
        ]
        for (slug, key) in keys {
            try layer.valid(
                "seal-key-\(slug)", "a key of \(slug)", rule: "HT-FRM-10", operation: "transport.seal",
                input: ["key": .hex(key), "counter": 0, "message": .hex(Self.getInfo)])
        }
        let half = try Array(edgeKey.prefix(AES128GCM.keyByteCount))
        try refuse(
            "aes-128", "sealed with AES-128 under half the key", rule: "HT-FRM-10",
            frame: AES128GCM.seal(Self.plaintext, key: half, nonce: CraftedFrame.nonce(0)))
    }
}
