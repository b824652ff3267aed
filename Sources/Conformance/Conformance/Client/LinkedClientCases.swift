internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of a client's linked session: its beginning, its messages, and the adverts that bring it.
enum LinkedClientCases {
    static let linked = CaseGroup<ClientTestContext>(
        role: .client, name: "linked", rule: "HT-HS-2", profile: .linked)

    static let all =
        sessions + adverts + badAdverts
        + beginnings.map { scripted in
            ScriptedCase(testCase: scripted.testCase) { try await scripted.script(.with($0)) }
        }

    private static let beginnings: CaseGroup<LinkedClientTestContext>.Cases =
        UpgradeCases.linked(.client) + HandshakeCases.linked(.client)

    // MARK: - Sessions

    /// A session that goes well.
    private static func session(
        _ name: String, _ requirement: String, rule: String? = nil,
        receiveHandshake:
            @escaping @Sendable (LinkedClientTestContext, LinkedClientTestContext.Call) async throws
            -> LinkedClientTestContext.InitiatedHandshake
    ) -> ScriptedCase<ClientTestContext> {
        linked.behaves(name, requirement, rule: rule) { context in
            let context = try await LinkedClientTestContext.with(context)
            let initiated = try await receiveHandshake(context, context.call())
            try await context.base.complete(context.answer(initiated))
        }
    }

    private static let sessions = [
        session("session", "use a linked authenticator without a QR code (NKpsk0)", rule: "HT-HS-2") {
            try await $0.receiveHandshake($1)
        },
        session("upgrade-late", "accept a tunnel that opens 1.5 seconds after the advert", rule: "HT-STA-34") {
            context, call in
            let plaintext = LinkedClientTestContext.plaintext()
            let advert = try context.advert(plaintext, for: call)
            let socket = try await context.base.transmitter.send([advert]) {
                try await call.request.answer(context.acceptance, .after(UpgradeCases.delay))
            }
            return try await context.receiveHandshake(socket, [advert], plaintext)
        },
        session("advert-late", "accept an advert 1.5 seconds after the tunnel has opened", rule: "HT-STA-34") {
            context, call in
            let plaintext = LinkedClientTestContext.plaintext()
            let socket = try await call.request.answer(context.acceptance)
            try await Task.sleep(for: UpgradeCases.delay)
            return try await context.receiveHandshake(socket, [context.advert(plaintext, for: call)], plaintext)
        },
        session("signal-first", "accept the service's signal before the advert", rule: "HT-TUN-79") { context, call in
            let plaintext = LinkedClientTestContext.plaintext()
            let socket = try await context.signalled(call)
            await socket.send([0])
            try await Task.sleep(for: .milliseconds(300))
            return try await context.receiveHandshake(socket, [context.advert(plaintext, for: call)], plaintext)
        },
        session(
            "signal-with-answer", "accept the service's signal in one packet with the response",
            rule: "HT-TUN-79"
        ) {
            context, call in
            let plaintext = LinkedClientTestContext.plaintext()
            let socket = try await context.signalled(call, .followed(by: WireFrame(payload: [0]).bytes()))
            return try await context.receiveHandshake(socket, [context.advert(plaintext, for: call)], plaintext)
        },
        session(
            "signal-after", "accept the service's signal after sending its own handshake message",
            rule: "HT-TUN-79"
        ) {
            context, call in
            let plaintext = LinkedClientTestContext.plaintext()
            let socket = try await context.signalled(call)
            let initiated = try await context.receiveHandshake(
                socket, [context.advert(plaintext, for: call)], plaintext)
            await socket.send([0])
            return initiated
        }.observed,
        linked.behaves("again", "be able to use a link for more than one session", rule: "HT-STA-12") { context in
            let context = try await LinkedClientTestContext.with(context)
            for _ in 0..<2 { try await context.base.complete(context.connected()) }
        },
        linked.behaves("filler", "accept an update in a linked session", rule: "HT-STA-40") {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let session = try await context.connected()
            try await session.send(ClientTestContext.firstMessage.encoded())
            try await session.send(TestLink.update(nil))
            try await context.base.serve(session)
        },
        linked.behaves(
            "linking-data", "drop linking data that come in a linked session, and keep its link",
            rule: "HT-STA-41"
        ) {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let session = try await context.connected()
            let other = try TestLink(scalar: context.link.scalar)
            // There is no QR key to sign for; the authenticator's own would do if anything did.
            let hash = session.keys.handshakeHash
            let map = try other.map(LinkableSession(client: context.link.publicKey, handshakeHash: hash))
            try await session.send(ClientTestContext.firstMessage.encoded())
            try await session.send(TestLink.update(map))
            try? await context.base.serve(session)
            _ = try await context.atRequest()
        },
        linked.behaves(
            "features", "accept the feature ctap when a linked session lists it", rule: "HT-STA-45"
        ) {
            context in
            let context = try await LinkedClientTestContext.with(context)
            var first = ClientTestContext.firstMessage
            first[3] = ["ctap"]
            try await context.base.complete(context.connected(), firstMessage: first.encoded())
        },
    ]

    // MARK: - Adverts

    /// An advert whose plaintext is right.
    private static func reads(
        _ name: String, _ requirement: String, rule: String? = nil,
        plaintext: @escaping @Sendable () throws -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        session("advert-\(name)", requirement, rule: rule) { context, call in
            try await context.receiveHandshake(call, plaintext: plaintext())
        }
    }

    private static let adverts =
        [
            reads(
                "zeros", "accept an advert whose plaintext is all zeros, as Clavertus sends it",
                rule: "HT-STA-50"
            ) {
                [UInt8](repeating: 0, count: 16)
            },
            reads(
                "random", "accept an advert with any 15 bytes after the reserved byte",
                rule: "HT-STA-50"
            ) {
                [0] + randomBytes(count: 13) + [0x34, 0x12]
            },
            reads(
                "unassigned-domain", "not read the last two bytes of the plaintext as a tunnel domain",
                rule: "HT-STA-50"
            ) {
                [0] + randomBytes(count: 13) + [200, 0]
            },
            session("advert-fde2", "accept an advert under the service UUID FDE2", rule: "HT-ADV-18") {
                context, call in
                let plaintext = LinkedClientTestContext.plaintext()
                var advert = try context.advert(plaintext, for: call)
                advert.service = .google
                return try await context.receiveHandshake(call.request.answer(context.acceptance), [advert], plaintext)
            },
        ]
        + foreignAdverts.map { name, requirement, other in
            session("advert-\(name)", requirement, rule: "HT-ADV-13") { context, call in
                let plaintext = LinkedClientTestContext.plaintext()
                let socket = try await call.request.answer(context.acceptance)
                return try await context.receiveHandshake(
                    socket, [TestAdvert(data: other()), context.advert(plaintext, for: call)], plaintext)
            }
        }

    private static let foreignAdverts: [(name: String, requirement: String, advert: @Sendable () throws -> [UInt8])] =
        [
            (
                "foreign-first", "find its advert after another authenticator's",
                { randomBytes(count: 20) }
            ),
            (
                "other-link-first", "find its advert after that of another link",
                {
                    try TestLink().secret.seal(
                        advert: LinkedClientTestContext.plaintext(), nonce: randomBytes(count: 16))
                }
            ),
        ]

    /// An advert that does not open for this call.
    private static func ignores(
        _ name: String, _ requirement: String, rule: String? = nil,
        advert: @escaping @Sendable (LinkedClientTestContext, LinkedClientTestContext.Call, [UInt8]) throws -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        linked.refuses("advert-\(name)", requirement, rule: rule) { context in
            let context = try await LinkedClientTestContext.with(context)
            let call = try await context.call()
            let socket = try await call.request.answer(context.acceptance)
            let wrong = try advert(context, call, LinkedClientTestContext.plaintext())
            let message = try? await context.base.transmitter.send([TestAdvert(data: wrong)]) {
                try await within(ClientTestContext.absenceTimeout, "its handshake message") {
                    try await socket.message()
                }
            }
            try demand(message == nil, "it begins a handshake for such an advert")
        }
    }

    private static let badAdverts = [
        ignores("reserved-byte", "ignore an advert whose first plaintext byte is not zero", rule: "HT-STA-49") {
            context, call, plaintext in
            try context.advert([1] + plaintext.dropFirst(), for: call).data
        },
        ignores("tag", "ignore an advert with a changed tag", rule: "HT-ADV-9") { context, call, plaintext in
            let right = try context.advert(plaintext, for: call).data
            return right.dropLast() + [right[19] ^ 1]
        },
        ignores("without-nonce", "ignore an advert sealed without the nonce", rule: "HT-KEY-7") {
            context, _, plaintext in
            try context.link.secret.seal(advert: plaintext)
        },
        ignores("other-nonce", "ignore an advert sealed with another nonce", rule: "HT-STA-33") {
            context, _, plaintext in
            try context.link.secret.seal(advert: plaintext, nonce: randomBytes(count: 16))
        },
        ignores("other-secret", "ignore the advert of another link", rule: "HT-STA-33") { _, call, plaintext in
            try TestLink().secret.seal(advert: plaintext, nonce: call.nonce)
        },
        ignores("19-bytes", "ignore an advert of 19 bytes; it has 20", rule: "HT-ADV-8") {
            context, call, plaintext in
            try context.advert(plaintext, for: call).data.dropLast()
        },
        linked.refuses("no-advert", "not begin a handshake before it has received the advert", rule: "HT-STA-32") {
            context in
            let context = try await LinkedClientTestContext.with(context)
            let socket = try await context.call().request.answer(context.acceptance)
            let message = try? await within(ClientTestContext.absenceTimeout, "its message") {
                try await socket.message()
            }
            try demand(message == nil, "it begins a handshake without an advert")
        },
    ]
}

extension LinkedClientTestContext {
    /// Answers a call, and promises the signal.
    ///
    /// - Throws: ``NotApplicable`` if the client did not ask for it.
    func signalled(_ call: Call, _ style: PendingRequest.Style = .atOnce) async throws -> WebSocketEnd {
        guard !call.request.head[Self.signalField].isEmpty else {
            throw NotApplicable("it does not ask for the service's signal")
        }
        return try await call.request.answer(acceptance.with(Self.signalField, "true"), style)
    }
}
