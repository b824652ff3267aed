internal import CBOR
internal import ContactProtocol
internal import Cryptography
internal import Edges
internal import HybridProtocol

/// Cases of an authenticator that waits for linked clients: what wakes it, its advert, its session, and clients that go away.
enum ListeningCases {
    typealias Cases = Group<AuthenticatorStage>.Cases
    private typealias MessageType = PlayedSession.MessageType

    private static let wake = Group<AuthenticatorStage>(
        role: .authenticator, name: "wake", source: "CTAP 2.2 section 11.5.2, the contact request")
    private static let linked = Group<AuthenticatorStage>(
        role: .authenticator, name: "linked", source: "CTAP 2.2 section 11.5.2, state-assisted transactions")

    static let all =
        wakes + badWakes + adverts + sessions
        + linked.survives(losses, at: Place.self, serves)
        + beginnings.map { played in
            PlayedCase(testCase: played.testCase) { try await ListeningStage.with($0, played.play) }
        }

    private static let beginnings: Group<ListeningStage>.Cases =
        UpgradeCases.linked(.authenticator) + HandshakeCases.linked(.authenticator)

    // MARK: - What wakes it

    /// A wake that is answered.
    private static func comes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ change: @escaping @Sendable (inout CBORMap) -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        wake.listening(name, rule, certainty) { stage in
            var payload = try stage.payload()
            change(&payload)
            try await stage.complete(stage.ready(payload))
        }
    }

    private static let wakes = [
        wake.listening("joins", "a linked client is met in the tunnel that the service names") { stage in
            let head = try await stage.joins(stage.call()).head
            let offered = head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
            try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
        },
        comes("hint-ga", "a client may announce a sign-in") { $0[3] = "ga" },
        comes("hint-mc", "a client may announce a registration") { $0[3] = "mc" },
        comes("unknown-key", "a key that nobody knows is ignored", .secondHand) { $0[9] = [1, 2] },
        wake.listening("replayed", "a contact request is answered once", .disputed) { stage in
            let payload = try stage.payload()
            let first = try await stage.call(payload)
            try await stage.joins(first).connection.close()
            try await Task.sleep(for: .milliseconds(300))
            try await stage.turnsAway(stage.call(payload).wake)
        },
    ]

    /// A wake that makes no sense.
    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ payload: @escaping @Sendable (CBORMap) throws -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        wake.refuses(name, rule, certainty) {
            try await ListeningStage.with($0) { stage in
                try await stage.turnsAway(stage.wake(payload(stage.payload())))
            }
        }
    }

    private static func changed(_ map: CBORMap, _ key: Int, _ value: CBORValue?) -> [UInt8] {
        var map = map
        map[key] = value
        return map.encoded()
    }

    private static func bytes(_ count: Int) -> CBORValue { .bytes([UInt8](repeating: 7, count: count)) }

    private static let badWakes = [
        refuses("no-link-id", "a contact request names a link") { changed($0, 1, nil) },
        refuses("link-id-of-7", "a link ID has 8 bytes, not 7") { changed($0, 1, bytes(7)) },
        refuses("link-id-of-9", "a link ID has 8 bytes, not 9") { changed($0, 1, bytes(9)) },
        refuses("link-id-text", "a link ID is bytes") { changed($0, 1, "12345678") },
        refuses("link-id-unknown", "a link that does not exist wakes nobody") {
            changed($0, 1, .bytes(try randomBytes(count: LinkID.byteCount)))
        },
        refuses("no-nonce", "a contact request has a nonce") { changed($0, 2, nil) },
        refuses("nonce-of-0", "a nonce has 16 bytes, not 0") { changed($0, 2, bytes(0)) },
        refuses("nonce-of-15", "a nonce has 16 bytes, not 15") { changed($0, 2, bytes(15)) },
        refuses("nonce-of-17", "a nonce has 16 bytes, not 17") { changed($0, 2, bytes(17)) },
        refuses("nonce-text", "a nonce is bytes") { changed($0, 2, "1234567890123456") },
        refuses("no-hint", "a contact request has a hint", .secondHand) { changed($0, 3, nil) },
        refuses("hint-number", "a hint is text", .secondHand) { changed($0, 3, 1) },
        refuses("hint-dcp", "a linked session is for ga and mc, not for digital credentials", .secondHand) {
            changed($0, 3, "dcp")
        },
        refuses("hint-unknown", "a hint that nobody knows is not answered", .secondHand) { changed($0, 3, "xx") },
        refuses("no-map", "a contact request is a map") { _ in [0x80] },
        refuses("empty-map", "a contact request is not empty") { _ in [0xA0] },
        refuses("no-cbor", "a contact request is CBOR") { _ in [0xFF, 0xFF] },
        refuses("truncated", "a contact request is whole") { $0.encoded().dropLast() },
        refuses("trailing", "nothing follows a contact request's map", .secondHand) { $0.encoded() + [0] },
        refuses("deep", "nobody follows two hundred arrays") { _ in [UInt8](repeating: 0x81, count: 200) + [0] },
    ]

    // MARK: - Adverts

    private static func advertised(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (AuthenticatorStage.Advert) throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        linked.listening("advert-\(name)", rule, certainty) { stage in try check(try await stage.meet().advert) }
    }

    private static let adverts = [
        advertised("opens", "an advert opens with the key of the link's secret and the client's nonce, under FFF9") {
            try demand($0.received.service == .fido, "it advertises under another service")
        },
        advertised("length", "an advert has 20 bytes: a linked session knows no other channel", .secondHand) {
            try demand($0.received.serviceData.count == 20, "its advert has \($0.received.serviceData.count) bytes")
        },
        advertised("reserved-byte", "the first byte of an advert's plaintext is zero") {
            try demand($0.plaintext[0] == 0, "the first byte is \($0.plaintext[0])")
        },
        advertised(
            "domain", "the last two bytes of an advert do not read as a domain that Chromium refuses", .secondHand
        ) {
            let number = UInt16($0.plaintext[14]) | UInt16($0.plaintext[15]) << 8
            try demand((try? TunnelDomain(number)) != nil, "they are \(number)")
        },
        advertised("random", "the plaintext of an advert is random", .disputed) {
            try demand(Set($0.plaintext.dropFirst()).count > 2, "it is of one or two different bytes")
        },
        linked.listening("advert-not-before", "nothing is advertised before a client has come") { stage in
            try await Task.sleep(for: .milliseconds(500))
            try stage.hasNotAdvertised("it advertises")
        },
        linked.listening("advert-fresh", "two clients have two adverts, of two plaintexts", .secondHand) { stage in
            let first = try await stage.meet()
            await first.socket.close()
            try await stage.serves()
            let second = try await stage.meet()
            try demand(first.advert.plaintext != second.advert.plaintext, "it uses a plaintext twice")
        },
        linked.listening("advert-off-the-air", "an advert is off the air when the session is over") { stage in
            try await stage.complete(stage.ready())
            _ = stage.base.ear.takeAll()
            try await Task.sleep(for: .milliseconds(700))
            try stage.hasNotAdvertised("it is still advertising")
        },
    ]

    // MARK: - Sessions

    private static let sessions = [
        linked.listening("session", "a linked client is served without a QR code: NKpsk0") { stage in
            try await stage.complete(stage.ready())
        },
        linked.listening("again", "one client after the other is served") { stage in
            for _ in 0..<2 {
                try await stage.complete(stage.ready())
                try await stage.serves()
            }
        },
        linked.listening("first-message", "the first message has getInfo, and no linking data", .secondHand) { stage in
            let first = try await stage.base.firstMessage(stage.connected())
            try demand(first[1]?.bytesValue != nil, "it has no bytes under key 1")
            try demand(first[2] == nil, "it has linking data")
        },
        linked.listening("features", "a linked session has the feature ctap", .secondHand) { stage in
            let features = try await stage.base.firstMessage(stage.connected())[3]?.arrayValue
            try demand(features?.contains("ctap") ?? true, "its features lack ctap")
        },
        linked.listening("no-update", "a linked session has no update", .secondHand) { stage in
            let session = try await stage.ready()
            try await stage.complete(session)
            try demand(await session.updates.isEmpty, "it sends an update")
        },
        linked.listening(
            "second-client", "a client that comes during another's session does not disturb it", .secondHand
        ) {
            stage in
            let session = try await stage.ready()
            _ = try await stage.call()
            try await Task.sleep(for: .milliseconds(300))
            try await stage.complete(session)
            try await stage.serves()
        },
        linked.listening(
            "hint-untrue", "a client that asks for something else than it has announced is served", .disputed
        ) {
            stage in
            try await stage.complete(stage.ready(stage.payload(hint: "ga")))
        },
        linked.refuses("update-from-client", "an update comes from the authenticator alone", .secondHand) {
            try await ListeningStage.with($0) { stage in
                let session = try await stage.ready()
                try await session.send([MessageType.update, 0xA0])
                try await session.send([MessageType.ctap] + AuthenticatorStage.makeCredential())
                try await stage.givesUp(session)
            }
        },
    ]

    // MARK: - Clients and services that go away

    private enum Place: String, CaseIterable {
        case beforeTunnel = "before-tunnel"
        case beforeHandshake = "before-handshake"
        case beforeFirstMessage = "before-first-message"
        case beforeRequest = "before-request"
        case beforeAnswer = "before-answer"
    }

    private static let losses: [SessionLoss] = [
        .close("after a client that closes the next one is served"),
        .silence("after a client that says nothing more the next one is served, in bounded time"),
    ]

    private static func serves(_ place: Place, _ loss: SessionLoss, _ stage: AuthenticatorStage) async throws {
        try await ListeningStage.with(stage) { stage in
            await loss.happen(try await reach(place, stage))
            try await stage.serves()
        }
    }

    private static func reach(_ place: Place, _ stage: ListeningStage) async throws -> WebSocketEnd {
        switch place {
        case .beforeTunnel: return WebSocketEnd(connection: try await stage.atRequest().connection, side: .server)
        case .beforeHandshake: return try await stage.meet().socket
        case .beforeFirstMessage: return try await stage.connected().socket
        case .beforeRequest: return try await stage.ready().socket
        case .beforeAnswer:
            let session = try await stage.ready()
            try await session.send(MessageType.ctap, AuthenticatorStage.makeCredential())
            return session.socket
        }
    }
}
