internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import PasskeyExchange

// Whole hand-overs, from the handshake to the last frame.

extension HandOverCases {
    private func keys() throws -> CaseFields {
        let nonce = seed.bytes("hand-over/advert", AdvertPlaintext.nonceByteCount)
        let advert = try AdvertPlaintext([0] + nonce + [1, 2, 3, 0, 0])
        return [
            "static_private": .hex(seed.privateKey("hand-over/static")),
            "secret": .hex(seed.bytes("hand-over/secret", Invitation.secretByteCount)),
            "advert_plaintext": .hex(advert.bytes),
            "initiator_ephemeral_private": .hex(seed.privateKey("hand-over/initiator")),
            "responder_ephemeral_private": .hex(seed.privateKey("hand-over/responder")),
        ]
    }

    mutating func addSessions() throws {
        let keys = try keys()
        func input(_ messages: [HandOverMessage]) -> CaseFields {
            keys.with("messages", .array(messages.map { .hex($0.encoded()) }))
        }
        let empty = try layer.outcome(of: "hand-over.session", input([]))
        let hash = try empty.bytes("handshake_hash")
        let nonce = seed.bytes("hand-over/receiver-nonce", ComparisonCode.nonceByteCount)
        let keySeed = seed.bytes("hand-over/receiver-key", Ed25519.seedByteCount)
        func identity(of hash: [UInt8]) throws -> HandOverMessage { try Self.identity(keySeed, signing: hash) }
        let senderNonce = seed.bytes("hand-over/sender-nonce", ComparisonCode.nonceByteCount)
        let digits = ComparisonCode(handshakeHash: hash, receiver: nonce, sender: senderNonce).digits
        let typedNonce = seed.bytes("hand-over/typed-nonce", ComparisonCode.nonceByteCount)
        func typing(_ digits: String) -> HandOverMessage {
            .typing(
                commitment: ComparisonCode.commitment(toDigits: digits, nonce: typedNonce, handshakeHash: hash))
        }
        let opening = HandOverMessage.opening(nonce: typedNonce, name: "desktop")
        let greeting: [HandOverMessage] = [
            .hello(commitment: ComparisonCode.commitment(to: nonce, handshakeHash: hash)),
            .greeting(nonce: senderNonce), typing(digits), .reveal(nonce: nonce), opening, try identity(of: hash),
        ]
        let passkey = HandOverOffer.Passkey(rpID: "example.com", userName: "alice", userDisplayName: nil)
        let payload = HandOverMessage.payload(HandOverPayload(SecretBytes(copying: Array("{}".utf8).span)))
        let offer = HandOverMessage.offer(.init(mode: .move, passkeys: [passkey]))
        let settling = HandOverMessage.offer(
            .init(mode: .copy, passkeys: [], inTransit: [HandOverOffer.digest(of: [1])]))
        let whole = greeting + [offer, .acceptance(holds: []), payload, .receipt([.kept]), .settled]
        try session("handshake", "the handshake alone, under the label", rule: "PX-HOV-5", input([]))
        try session(
            "frames", "frames of one to three blocks, padded and counted as those of requests", rule: "PX-HOV-6",
            input(greeting + [.stopped(.failed)]))
        try session("whole", "a passkey is moved", rule: "PX-HOV-7", input(whole))
        try session(
            "settling", "nothing is handed over, and one passkey in transit has arrived", rule: "PX-HOV-17",
            input(greeting + [settling, .acceptance(holds: [true]), .settled]))
        try session(
            "stopped", "the sender stops after the digits", rule: "PX-HOV-7",
            input(greeting.prefix(4) + [.stopped(.wrongDigits)]))
        let refused: [(String, String, String, [HandOverMessage], String)] = [
            (
                "no-greeting", "a reveal before the greeting", "PX-HOV-7", [greeting[0], greeting[3]],
                "unexpected-message"
            ),
            (
                "no-typing", "a reveal before the digits were typed", "PX-HOV-7",
                Array(greeting.prefix(2)) + [greeting[3]], "unexpected-message"
            ),
            (
                "no-opening", "an identity before the digits were shown to be right", "PX-HOV-7",
                Array(greeting.prefix(4)) + [greeting[5]], "unexpected-message"
            ),
            (
                "no-identity", "an offer to a receiver that has not said who it is", "PX-HOV-7",
                Array(greeting.prefix(5)) + [offer], "unexpected-message"
            ),
            ("hello-twice", "a second hello", "PX-HOV-7", [greeting[0], greeting[0]], "unexpected-message"),
            (
                "payload-early", "a payload before the acceptance", "PX-HOV-7", greeting + [offer, payload],
                "unexpected-message"
            ),
            (
                "settled-early", "settled before the receipt", "PX-HOV-7", Array(whole.prefix(9)) + [.settled],
                "unexpected-message"
            ),
            (
                "payload-of-nothing", "a payload where nothing was offered", "PX-HOV-7",
                greeting + [settling, .acceptance(holds: [true]), payload], "unexpected-message"
            ),
            ("after-the-end", "a hello after the end", "PX-HOV-7", whole + [greeting[0]], "session-ended"),
            (
                "after-a-stop", "an offer after a stop", "PX-HOV-7", greeting + [.stopped(.cancelled), offer],
                "session-ended"
            ),
            (
                "other-number", "another number than was committed to", "PX-HOV-11",
                Array(greeting.prefix(3)) + [.reveal(nonce: .zeros(32))], "wrong-commitment"
            ),
            (
                "other-digits", "other digits than those of the session", "PX-HOV-27",
                Array(greeting.prefix(2)) + [typing(digits == "000000" ? "000001" : "000000"), greeting[3], opening],
                "wrong-digits"
            ),
            (
                "other-opening", "another number than opens what was typed", "PX-HOV-27",
                Array(greeting.prefix(4)) + [.opening(nonce: .zeros(32), name: "desktop")], "wrong-digits"
            ),
            (
                "other-hash", "a receiver that has signed another session", "PX-HOV-26",
                Array(greeting.prefix(5)) + [try identity(of: .zeros(32))], "bad-signature"
            ),
            (
                "no-signature", "a receiver whose signature is of nothing", "PX-HOV-26",
                Array(greeting.prefix(5)) + [try identity(of: [])], "bad-signature"
            ),
            (
                "short-acceptance", "an acceptance that leaves one out", "PX-HOV-17",
                greeting + [settling, .acceptance(holds: [])], "unexpected-message"
            ),
            (
                "long-acceptance", "an acceptance of one more than was asked about", "PX-HOV-17",
                greeting + [settling, .acceptance(holds: [true, false])], "unexpected-message"
            ),
            (
                "short-receipt", "a receipt that leaves one out", "PX-HOV-17",
                Array(whole.prefix(9)) + [.receipt([])], "unexpected-message"
            ),
            (
                "long-receipt", "a receipt for two passkeys of one", "PX-HOV-17",
                Array(whole.prefix(9)) + [.receipt([.kept, .kept])], "unexpected-message"
            ),
        ]
        for (slug, comment, rule, messages, failure) in refused {
            try layer.invalid(
                "session-\(slug)", comment, rule: rule, operation: "hand-over.session", input: input(messages),
                failure: failure, flags: [.order])
        }
    }

    /// The identity of a receiver that has signed a session.
    private static func identity(_ keySeed: [UInt8], signing hash: [UInt8]) throws -> HandOverMessage {
        let key = try Ed25519.PrivateKey(seed: keySeed.span)
        let statement = HandOverReceiver.statement(handshakeHash: hash)
        let proof = try key.sign(statement.span)
        return .identity(.init(receiver: HandOverReceiver(key: key.publicKey.bytes, name: "laptop"), proof: proof))
    }

    private mutating func session(_ slug: String, _ comment: String, rule: String, _ input: CaseFields) throws {
        try layer.valid("session-\(slug)", comment, rule: rule, operation: "hand-over.session", input: input)
    }
}
