internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import PasskeyExchange

/// The layer `hand-over`: passkeys that are handed over (the article HandOver of PasskeyExchange).
struct HandOverCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "hand-over", prefix: "hand-over",
        about: "A hand-over of passkeys: this project's own protocol beside the transport.")

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        try cases.addCodes()
        try cases.addIdentities()
        try cases.addDigests()
        try cases.addTexts()
        try cases.addMessages()
        try cases.addRefusedMessages()
        try cases.addSessions()
        return cases.layer
    }

    private func bytes(_ label: String, _ count: Int = 32) throws -> [UInt8] {
        seed.bytes("hand-over/\(label)", count)
    }

    // MARK: The digits, who the receiver is, and the names of passkeys

    private mutating func addCodes() throws {
        for index in 0..<6 {
            try layer.valid(
                "code-\(index)", "the digits of two numbers, and the commitments to the first and to the digits",
                rule: ["PX-HOV-11", "PX-HOV-12", "PX-HOV-27"][index % 3], operation: "hand-over.code",
                input: [
                    "handshake_hash": .hex(try bytes("hash/\(index)")),
                    "receiver_nonce": .hex(try bytes("receiver/\(index)")),
                    "sender_nonce": .hex(try bytes("sender/\(index)")),
                    "typed_nonce": .hex(try bytes("typed/\(index)")),
                ])
        }
    }

    private mutating func addIdentities() throws {
        for index in 0..<4 {
            try layer.valid(
                "identity-\(index)", "a receiver's key, its number, and its signature of a session",
                rule: index.isMultiple(of: 2) ? "PX-HOV-24" : "PX-HOV-26", operation: "hand-over.identity",
                input: [
                    "private_key": .hex(try bytes("receiver-key/\(index / 2)")),
                    "handshake_hash": .hex(try bytes("hash/\(index)")),
                ])
        }
    }

    private mutating func addDigests() throws {
        for count in [1, 16, 32, 64, 1023] {
            try layer.valid(
                "digest-\(count)", "what a credential ID of \(count) bytes is called", rule: "PX-HOV-16",
                operation: "hand-over.digest", input: ["credential_id": .hex(try bytes("credential", count))])
        }
    }

    // MARK: The text of the QR code

    private func contents(
        hint: CBORValue? = nil, linking: CBORValue? = nil, channels: CBORValue? = nil
    ) throws -> CBORMap {
        let scalar = seed.privateKey("hand-over/static")
        let key = try P256.PrivateKey(scalar: scalar.span)
        var map = CBORMap()
        map[0] = .bytes(key.publicKey.compressed)
        map[1] = .bytes(try bytes("secret", Invitation.secretByteCount))
        map[2] = 2
        map[3] = 1_790_000_000
        map[4] = linking
        map[5] = hint
        map[6] = channels
        return map
    }

    private func text(_ map: CBORMap, prefix: String = InvitationScheme.handOver.urlPrefix) -> String {
        prefix + QRDigits.encode(map.encoded().span)
    }

    private mutating func addTexts() throws {
        let plain = try contents()
        try parse("text", "the text of a receiver's code", rule: "PX-HOV-1", text(plain))
        try parse(
            "text-lower-case", "the scheme in lower case", rule: "PX-HOV-2", text(plain, prefix: "hybrid-handover:/"),
            flags: [.lenient])
        try parse(
            "text-hint", "a hint, which means nothing here", rule: "PX-HOV-3", text(try contents(hint: "mc")),
            flags: [.lenient])
        try parse(
            "text-linking", "an offer to be linked, which means nothing here", rule: "PX-HOV-3",
            text(try contents(linking: true)), flags: [.lenient])
        try parse(
            "text-channels", "both channels", rule: "PX-HOV-1", text(try contents(channels: [0, 1])))
        try parse("keys", "the keys come from the session secret, not the code's", rule: "PX-HOV-4", text(plain))
        for (slug, comment, prefix, failure) in [
            ("fido", "the code of a client", Invitation.urlPrefix, "other-purpose"),
            ("other", "another scheme", "HYBRID-HANDOVERS:/", "not-fido-url"),
            ("slashes", "two slashes", "HYBRID-HANDOVER://", "non-digit"),
        ] {
            try layer.invalid(
                "text-\(slug)", comment, rule: "PX-HOV-2", operation: "hand-over.parse",
                input: ["url": .string(text(plain, prefix: prefix))], failure: failure)
        }
    }

    private mutating func parse(
        _ slug: String, _ comment: String, rule: String, _ url: String, flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            slug, comment, rule: rule, operation: "hand-over.parse", input: ["url": .string(url)], flags: flags)
    }

    // MARK: Messages

    private func honest() throws -> [HandOverMessage] {
        let receiver = HandOverReceiver(key: try bytes("receiver-key"), name: "laptop")
        let passkeys = [
            HandOverOffer.Passkey(rpID: "example.com", userName: "alice", userDisplayName: "Alice Liddell"),
            HandOverOffer.Passkey(rpID: "example.org", userName: nil, userDisplayName: nil),
        ]
        return [
            .hello(commitment: try bytes("commitment")), .greeting(nonce: try bytes("sender-nonce")),
            .typing(commitment: try bytes("typed")), .reveal(nonce: try bytes("receiver-nonce")),
            .opening(nonce: try bytes("typed-nonce"), name: "desktop"),
            .identity(.init(receiver: receiver, proof: try bytes("proof", 64))),
            .offer(.init(mode: .move, passkeys: passkeys, inTransit: [try bytes("digest")])),
            .acceptance(holds: [true]),
            .payload(HandOverPayload(SecretBytes(copying: Array("{\"version\":{}}".utf8).span))),
            .receipt([.kept, .otherOfAccount]), .settled, .stopped(.declined),
        ]
    }

    private mutating func addMessages() throws {
        for message in try honest() {
            try decode("\(message.kind)", "an honest message", rule: "PX-HOV-8", message.encoded())
        }
        let known = HandOverReceiver(
            key: try bytes("receiver-key"), name: "laptop",
            formerID: try bytes("former-id", HandOverReceiver.formerIDByteCount))
        try decode(
            "identity-former", "a receiver that had a number in edition 1", rule: "PX-HOV-8",
            HandOverMessage.identity(.init(receiver: known, proof: try bytes("proof", 64))).encoded())
        try decode(
            "offer-of-nothing", "an offer that only settles", rule: "PX-HOV-8",
            HandOverMessage.offer(.init(mode: .copy, passkeys: [], inTransit: [])).encoded())
        let longest = String(repeating: "n", count: HandOverReceiver.maxNameByteCount)
        try decode(
            "longest-name", "a device's name of 64 bytes", rule: "PX-HOV-9",
            HandOverMessage.opening(nonce: try bytes("typed-nonce"), name: longest).encoded(), flags: [.boundary])
        let passkey = HandOverOffer.Passkey(rpID: "example.com", userName: nil, userDisplayName: nil)
        try decode(
            "most-passkeys", "an offer of 100 passkeys", rule: "PX-HOV-14",
            HandOverMessage.offer(
                .init(mode: .copy, passkeys: Array(repeating: passkey, count: HandOverOffer.maxCount))
            ).encoded(), flags: [.boundary])
        for reason in HandOverStop.allCases {
            try decode(
                "stopped-\(reason.rawValue)", "reason \(reason.rawValue)", rule: "PX-HOV-8",
                HandOverMessage.stopped(reason).encoded())
        }
    }

    private mutating func decode(
        _ slug: String, _ comment: String, rule: String, _ plaintext: [UInt8], flags: [CaseFlag] = []
    ) throws {
        try layer.valid(
            "message-\(CaseSlug(slug.lowercased()).text)", comment, rule: rule, operation: "hand-over.decode",
            input: ["plaintext": .hex(plaintext)], flags: flags)
    }

    private mutating func addRefusedMessages() throws {
        let nonce = CBORValue.bytes(try bytes("sender-nonce"))
        let opening: CBORMap = [1: nonce, 2: "desktop"]
        let hello: CBORMap = [1: 2, 2: .bytes(try bytes("commitment"))]
        let identity: CBORMap = [
            1: .bytes(try bytes("receiver-key")), 2: .bytes(try bytes("proof", 64)), 3: "laptop",
            4: .bytes(try bytes("former-id", 16)),
        ]
        let former: CBORMap = [
            1: 1, 2: .bytes(try bytes("commitment")), 3: .bytes(try bytes("receiver-id", 16)), 4: "laptop",
        ]
        let passkey: CBORValue = [1: "example.com"]
        func offer(_ passkeys: [CBORValue], mode: CBORValue = 1, _ digests: [CBORValue] = []) -> [UInt8] {
            let map: CBORMap = [1: mode, 2: .array(passkeys), 3: .array(digests)]
            return [7] + map.encoded()
        }
        let long = CBORValue.text(String(repeating: "n", count: HandOverReceiver.maxNameByteCount + 1))
        let cases: [(String, String, String, [UInt8], String)] = [
            ("empty", "nothing", "PX-HOV-7", [], "empty"),
            ("type-0", "type 0", "PX-HOV-7", [0, 0xa0], "unknown-type"),
            ("type-13", "type 13", "PX-HOV-7", [13, 0xa0], "unknown-type"),
            ("payload-empty", "a payload without contents", "PX-HOV-8", [9], "empty"),
            ("no-map", "an array", "PX-HOV-8", [11, 0x80], "not-a-map"),
            ("no-contents", "a type and nothing else", "PX-HOV-8", [11], "invalid-cbor"),
            ("trailing", "a byte behind the map", "PX-HOV-8", [11, 0xa0, 0], "invalid-cbor"),
            ("unknown-field", "a field that no message has", "PX-HOV-8", [11, 0xa1, 1, 1], "unknown-field"),
            (
                "opening-further", "an opening with a third field", "PX-HOV-8", [5] + opening.changed(3, "x"),
                "unknown-field"
            ),
            (
                "passkey-further", "a passkey with a fourth field", "PX-HOV-8", offer([[1: "example.com", 4: "x"]]),
                "unknown-field"
            ),
            (
                "missing-field", "an opening without a name", "PX-HOV-8",
                [5] + CBORMap([.init(key: 1, value: nonce)]).encoded(), "missing-field"
            ),
            (
                "greeting-name", "a greeting that says who sends it", "PX-HOV-8", [2] + opening.encoded(),
                "unknown-field"
            ),
            (
                "short-nonce", "a number of 31 bytes", "PX-HOV-8",
                [5] + opening.changed(1, .bytes(try bytes("sender-nonce", 31))), "wrong-length"
            ),
            ("nonce-text", "a number that is text", "PX-HOV-8", [5] + opening.changed(1, "n"), "wrong-type"),
            ("long-name", "a device's name of 65 bytes", "PX-HOV-9", [5] + opening.changed(2, long), "wrong-length"),
            ("edition-1", "the former edition", "PX-HOV-10", [1] + former.encoded(), "unsupported-version"),
            ("edition-3", "another edition", "PX-HOV-10", [1] + hello.changed(1, 3), "unsupported-version"),
            ("edition-missing", "no edition", "PX-HOV-10", [1, 0xa0], "missing-field"),
            (
                "hello-id", "a hello that says who the receiver is", "PX-HOV-8", [1] + former.changed(1, 2),
                "unknown-field"
            ),
            (
                "short-key", "a receiver's key of 31 bytes", "PX-HOV-8",
                [6] + identity.changed(1, .bytes(try bytes("receiver-key", 31))), "wrong-length"
            ),
            (
                "short-signature", "a signature of 63 bytes", "PX-HOV-8",
                [6] + identity.changed(2, .bytes(try bytes("proof", 63))), "wrong-length"
            ),
            (
                "short-former", "a former number of 15 bytes", "PX-HOV-8",
                [6] + identity.changed(4, .bytes(try bytes("former-id", 15))), "wrong-length"
            ),
            (
                "long-receiver", "a receiver's name of 65 bytes", "PX-HOV-9", [6] + identity.changed(3, long),
                "wrong-length"
            ),
            ("mode-0", "neither a copy nor a move", "PX-HOV-8", offer([], mode: 0), "wrong-type"),
            ("no-site", "a passkey of the empty RP ID", "PX-HOV-9", offer([[1: ""]]), "wrong-length"),
            (
                "long-site", "an RP ID of 254 bytes", "PX-HOV-9",
                offer([[1: .text(String(repeating: "a", count: 254))]]), "wrong-length"
            ),
            (
                "long-user", "an account's name of 257 bytes", "PX-HOV-9",
                offer([[1: "example.com", 2: .text(String(repeating: "a", count: 257))]]), "wrong-length"
            ),
            ("too-many", "101 passkeys", "PX-HOV-14", offer(Array(repeating: passkey, count: 101)), "too-long"),
            (
                "too-many-digests", "1025 digests", "PX-HOV-14",
                offer([], Array(repeating: .bytes(.zeros(32)), count: 1025)), "too-long"
            ),
            ("short-digest", "a digest of 31 bytes", "PX-HOV-8", offer([], [.bytes(.zeros(31))]), "wrong-length"),
            ("holds-number", "a number for a boolean", "PX-HOV-8", [8, 0xa1, 1, 0x81, 1], "wrong-type"),
            ("outcome-5", "an outcome that is unknown", "PX-HOV-8", [10, 0xa1, 1, 0x81, 5], "wrong-type"),
            ("reason-9", "a reason that is unknown", "PX-HOV-8", [12, 0xa1, 1, 9], "wrong-type"),
        ]
        for (slug, comment, rule, plaintext, failure) in cases {
            try layer.invalid(
                "refused-\(slug)", comment, rule: rule, operation: "hand-over.decode",
                input: ["plaintext": .hex(plaintext)], failure: failure)
        }
    }
}

extension CBORMap {
    /// The encoded map with another value for a key.
    fileprivate func changed(_ key: Int, _ value: CBORValue) -> [UInt8] {
        var map = self
        map[key] = value
        return map.encoded()
    }
}
