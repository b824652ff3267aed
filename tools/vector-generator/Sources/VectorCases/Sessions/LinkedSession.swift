internal import Conformance
internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// A state-assisted session with all its keys (the article StateAssistedTransactions).
struct LinkedSession: CraftedSession {
    /// The link as the client has it.
    let link: CraftedLink
    /// The link by which the phone answers: the same one, unless the session should fail.
    let answering: CraftedLink
    let nonce: [UInt8]
    let hint: RequestHint
    /// The random bytes of the phone's advert.
    let random: [UInt8]
    let ephemeral: SessionHandshake.EphemeralKeys
    let payload: [UInt8]
    let plaintext: LinkedAdvertPlaintext
    let eidKey: [UInt8]
    let advert: [UInt8]
    let handshake: SessionHandshake
    var script = SealedScript()

    /// Makes a session of the bytes that its label gives.
    ///
    /// - Parameters:
    ///   - random: the 15 random bytes of the advert; nil for those of the label.
    ///   - plaintext: an advert of another kind; nil for the one that our phone makes of the random bytes.
    init(
        _ label: String, _ seed: VectorSeed, _ link: CraftedLink, answering: CraftedLink? = nil,
        hint: RequestHint = .getAssertion, nonce: [UInt8]? = nil, random: [UInt8]? = nil,
        plaintext: LinkedAdvertPlaintext? = nil
    ) throws {
        self.link = link
        self.answering = answering ?? link
        self.hint = hint
        self.nonce = nonce ?? seed.bytes("linked/\(label)/nonce", ClientNonce.byteCount)
        self.random = random ?? seed.bytes("linked/\(label)/random", LinkedAdvertPlaintext.randomByteCount)
        ephemeral = SessionHandshake.EphemeralKeys(
            client: seed.privateKey("linked/\(label)/initiator"),
            authenticator: seed.privateKey("linked/\(label)/responder"))
        payload = try Self.payload(linkID: link.linkID, nonce: self.nonce, hint: hint)
        self.plaintext = try plaintext ?? LinkedAdvertPlaintext(random: self.random)
        eidKey = CraftedAdvert.eidKey(self.answering.secret, nonce: self.nonce)
        advert = try CraftedAdvert(self.plaintext.bytes, eidKey: eidKey).bytes
        let presharedKey = SessionHandshake.presharedKey(self.answering.secret, self.plaintext.bytes)
        handshake = try SessionHandshake(
            .nkPSK0, staticKey: link.identityKey, presharedKey: presharedKey, ephemeral)
    }

    /// The payload that a client sends to its authenticator first.
    static func payload(linkID: [UInt8], nonce: [UInt8], hint: RequestHint) throws -> [UInt8] {
        try ContactRequest(linkID: LinkID(linkID), nonce: ClientNonce(nonce), hint: hint).encoded()
    }

    func input(_ side: SessionSide) -> CaseFields {
        switch side {
        case .authenticator:
            [
                "root_secret": .hex(answering.root), "contact_id": .hex(answering.contactID), "payload": .hex(payload),
                "advert_random": .hex(random), "ephemeral_private": .hex(ephemeral.authenticator),
                "message_1": .hex(handshake.message1), "frames": script.input(side),
            ]
        case .client:
            [
                "link_id": .hex(link.linkID), "link_secret": .hex(link.secret),
                "authenticator_public": .hex(link.identityPublicKey), "nonce": .hex(nonce),
                "hint": .string(hint.rawValue), "advert": .hex(advert), "ephemeral_private": .hex(ephemeral.client),
                "message_2": .hex(handshake.message2), "frames": script.input(side),
            ]
        }
    }

    static func operation(_ side: SessionSide) -> String { "session.linked-\(side.rawValue)" }

    static func outcome(_ side: SessionSide) -> [String] {
        switch side {
        case .authenticator:
            ["link_secret", "identity_private", "eid_key", "plaintext", "advert", "psk", "message_2"]
                + outcomeOfHandshake
        case .client: ["payload", "eid_key", "plaintext", "psk", "message_1"] + outcomeOfHandshake
        }
    }
}
