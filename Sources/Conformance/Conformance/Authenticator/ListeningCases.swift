internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of an authenticator that waits for linked clients: contact requests, its advert, its session, and clients
/// that go away.
enum ListeningCases {
    typealias Cases = CaseGroup<AuthenticatorTestContext>.Cases
    private typealias MessageType = TunnelSession.MessageType

    private static let wake = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "wake", rule: "HT-STA-19", profile: .linked)
    private static let linked = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "linked", rule: "HT-STA-42", profile: .linked)

    static let all =
        wakes + badWakes + adverts + sessions
        + linked.survives(losses, at: Place.self, serves)
        + beginnings.map { scripted in
            ScriptedCase(testCase: scripted.testCase) { try await ListeningTestContext.with($0, scripted.script) }
        }

    private static let beginnings: CaseGroup<ListeningTestContext>.Cases =
        UpgradeCases.linked(.authenticator) + HandshakeCases.linked(.authenticator)

    // MARK: - Contact requests

    /// A contact request that is answered.
    private static func comes(
        _ name: String, _ requirement: String, rule: String? = nil,
        change: @escaping @Sendable (inout CBORMap) -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        wake.listening(name, requirement, rule: rule) { context in
            var payload = try context.payload()
            change(&payload)
            try await context.complete(context.ready(payload))
        }
    }

    private static let wakes = [
        wake.listening(
            "joins", "join the tunnel that the wake names, and offer the subprotocol fido.cable", rule: "HT-STA-28"
        ) {
            context in
            let head = try await context.joins(context.call()).head
            let offered = head["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
            try demand(offered.contains { $0.filter { $0 != " " } == "fido.cable" }, "it does not offer fido.cable")
        },
        comes("hint-ga", "accept the hint ga in a contact request", rule: "HT-STA-44") { $0[3] = "ga" },
        comes("hint-mc", "accept the hint mc in a contact request", rule: "HT-STA-44") { $0[3] = "mc" },
        comes("unknown-key", "ignore an unknown key in a contact request", rule: "HT-STA-21") {
            $0[9] = [1, 2]
        },
        wake.listening("replayed", "not answer a contact request a second time", rule: "HT-STA-27") {
            context in
            let payload = try context.payload()
            let first = try await context.call(payload)
            try await context.joins(first).connection.close()
            try await Task.sleep(for: .milliseconds(300))
            try await context.ignores(context.call(payload).wake)
        },
    ]

    /// A contact request that is refused.
    private static func refuses(
        _ name: String, _ requirement: String, rule: String, payload: @escaping @Sendable (CBORMap) throws -> [UInt8]
    ) -> ScriptedCase<AuthenticatorTestContext> {
        wake.refuses(name, requirement, rule: rule) { try await isIgnored(payload, $0) }
    }

    private static func isIgnored(
        _ payload: @escaping @Sendable (CBORMap) throws -> [UInt8], _ context: AuthenticatorTestContext
    ) async throws {
        try await ListeningTestContext.with(context) { context in
            try await context.ignores(context.wake(payload(context.payload())))
        }
    }

    private static let badWakes =
        wake.refuses(ContactRequestMalformations.fields + ContactRequestMalformations.encodings) { context, damaged in
            try await isIgnored(damaged, context)
        } + [
            refuses("link-id-unknown", "refuse a contact request with an unknown link ID", rule: "HT-STA-16") {
                $0.with(1, .bytes(randomBytes(count: LinkID.byteCount))).encoded()
            },
            refuses("nonce-text", "refuse a nonce that is text", rule: "HT-STA-17") {
                $0.with(2, "1234567890123456").encoded()
            },
            refuses("empty-map", "refuse a contact request that is an empty map", rule: "HT-STA-15") { _ in [0xA0]
            },
            refuses("no-cbor", "refuse a contact request that is not CBOR", rule: "HT-STA-19") { _ in [0xFF, 0xFF]
            },
            refuses("deep", "refuse a contact request of 200 nested arrays", rule: "HT-STA-19") { _ in
                [UInt8](repeating: 0x81, count: 200) + [0]
            },
        ]

    // MARK: - Adverts

    private static func advertised(
        _ name: String, _ requirement: String, rule: String? = nil,
        check: @escaping @Sendable (AuthenticatorTestContext.Advert) throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        linked.listening("advert-\(name)", requirement, rule: rule) { context in
            try check(try await context.rendezvous().advert)
        }
    }

    private static let adverts = [
        advertised(
            "opens", "seal the advert with the link's secret and the client's nonce, under FFF9", rule: "HT-KEY-7"
        ) {
            try demand($0.received.service == .fido, "it advertises under another service")
        },
        advertised(
            "length", "send an advert of 20 bytes, without a suffix, in a linked session",
            rule: "HT-STA-30"
        ) {
            try demand($0.received.serviceData.count == 20, "its advert has \($0.received.serviceData.count) bytes")
        },
        advertised("reserved-byte", "set the first byte of the advert's plaintext to zero", rule: "HT-STA-46") {
            try demand($0.plaintext[0] == 0, "the first byte of the plaintext is \($0.plaintext[0])")
        },
        advertised(
            "domain", "not end the advert's plaintext in a number that Chromium refuses as a domain",
            rule: "HT-STA-48"
        ) {
            let number = UInt16($0.plaintext[14]) | UInt16($0.plaintext[15]) << 8
            try demand((try? TunnelDomain(number)) != nil, "the last two bytes are \(number)")
        },
        advertised("random", "fill the advert's plaintext with random bytes", rule: "HT-STA-47") {
            try demand(Set($0.plaintext.dropFirst()).count > 2, "its plaintext has two different bytes at most")
        },
        linked.listening(
            "advert-not-before", "not advertise before a client has sent a contact request", rule: "HT-STA-31"
        ) {
            context in
            try await Task.sleep(for: .milliseconds(500))
            try context.hasNotAdvertised("it advertises")
        },
        linked.listening("advert-fresh", "use a new plaintext for each advert", rule: "HT-STA-29") {
            context in
            let first = try await context.rendezvous()
            await first.socket.close()
            try await context.serves()
            let second = try await context.rendezvous()
            try demand(first.advert.plaintext != second.advert.plaintext, "it uses a plaintext twice")
        },
        linked.listening("advert-off-the-air", "stop advertising when the session is over", rule: "HT-ADV-23") {
            context in
            try await context.complete(context.ready())
            _ = context.base.receivedAdverts.takeAll()
            try await Task.sleep(for: .milliseconds(700))
            try context.hasNotAdvertised("it is still advertising")
        },
    ]

    // MARK: - Sessions

    private static let sessions = [
        linked.listening("session", "serve a linked client without a QR code (NKpsk0)", rule: "HT-HS-2") {
            context in
            try await context.complete(context.ready())
        },
        linked.listening("again", "serve linked clients one after the other", rule: "HT-STA-12") { context in
            for _ in 0..<2 {
                try await context.complete(context.ready())
                try await context.serves()
            }
        },
        linked.listening(
            "first-message", "send getInfo and no linking data in the first message of a linked session",
            rule: "HT-STA-35"
        ) {
            context in
            let first = try await context.base.firstMessage(context.connected())
            try demand(first[1]?.bytesValue != nil, "its first message has no bytes under key 1")
            try demand(first[2] == nil, "its first message has linking data")
        },
        linked.listening(
            "features", "not list features without ctap in a linked session", rule: "HT-STA-37"
        ) {
            context in
            let features = try await context.base.firstMessage(context.connected())[3]?.arrayValue
            try demand(features?.contains("ctap") ?? true, "its features lack ctap")
        },
        linked.listening("no-update", "not send an update in a linked session", rule: "HT-STA-39") {
            context in
            let session = try await context.ready()
            try await context.complete(session)
            try demand(await session.updates.isEmpty, "it sends an update")
        },
        linked.listening(
            "second-client", "complete a session during which another client sends a contact request", rule: "HT-STA-43"
        ) {
            context in
            let session = try await context.ready()
            _ = try await context.call()
            try await Task.sleep(for: .milliseconds(300))
            try await context.complete(session)
            try await context.serves()
        },
        linked.listening(
            "hint-untrue", "serve a client that sends another command than its hint announced",
            rule: "HT-STA-25"
        ) {
            context in
            try await context.complete(context.ready(context.payload(hint: "ga")))
        },
        linked.listening(
            "update-ignored", "go on after an update from the client", rule: "HT-MSG-48"
        ) { context in
            let session = try await context.ready()
            try await session.send(MessageType.update, [0xA0])
            try await context.complete(session)
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
        .close("serve the next client after one that closes", rule: "HT-STA-42"),
        .silence("serve the next client, in bounded time, after a silent one"),
    ]

    private static func serves(_ place: Place, _ loss: SessionLoss, _ context: AuthenticatorTestContext) async throws {
        try await ListeningTestContext.with(context) { context in
            await loss.apply(try await reach(place, context))
            try await context.serves()
        }
    }

    private static func reach(_ place: Place, _ context: ListeningTestContext) async throws -> WebSocketEnd {
        switch place {
        case .beforeTunnel: return WebSocketEnd(connection: try await context.atRequest().connection, side: .server)
        case .beforeHandshake: return try await context.rendezvous().socket
        case .beforeFirstMessage: return try await context.connected().socket
        case .beforeRequest: return try await context.ready().socket
        case .beforeAnswer:
            let session = try await context.ready()
            try await session.send(MessageType.ctap, AuthenticatorTestContext.makeCredential())
            return session.socket
        }
    }
}
