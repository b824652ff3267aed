internal import CBOR
internal import Cryptography
internal import Edges

/// Cases of a client's linked session: when it begins, which adverts bring it, and what it is.
enum LinkedClientCases {
    static let linked = Group<ClientStage>(
        role: .client, name: "linked", source: "CTAP 2.2 section 11.5.2, state-assisted transactions")

    static let all =
        sessions + adverts + badAdverts
        + beginnings.map { played in PlayedCase(testCase: played.testCase) { try await played.play(.with($0)) } }

    private static let beginnings: Group<LinkedClientStage>.Cases =
        UpgradeCases.linked(.client) + HandshakeCases.linked(.client)

    // MARK: - Sessions

    /// A session that goes well.
    private static func session(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ greet:
            @escaping @Sendable (LinkedClientStage, LinkedClientStage.Call) async throws
            -> LinkedClientStage.Greeting
    ) -> PlayedCase<ClientStage> {
        linked.behaves(name, rule, certainty) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let greeting = try await greet(stage, stage.call())
            try await stage.base.complete(stage.answer(greeting))
        }
    }

    private static let sessions = [
        session("session", "a linked authenticator is used without a QR code: NKpsk0") { try await $0.greet($1) },
        session("upgrade-late", "the tunnel may open a second and a half after the advert") { stage, call in
            let plaintext = try LinkedClientStage.plaintext()
            let advert = try stage.advert(plaintext, for: call)
            let socket = try await stage.base.air.send([advert]) {
                try await call.request.answer(stage.acceptance, .after(UpgradeCases.delay))
            }
            return try await stage.greet(socket, [advert], plaintext)
        },
        session("advert-late", "the advert may come a second and a half after the tunnel has opened") { stage, call in
            let plaintext = try LinkedClientStage.plaintext()
            let socket = try await call.request.answer(stage.acceptance)
            try await Task.sleep(for: UpgradeCases.delay)
            return try await stage.greet(socket, [stage.advert(plaintext, for: call)], plaintext)
        },
        session("signal-first", "the service's signal may come before the advert", .secondHand) { stage, call in
            let plaintext = try LinkedClientStage.plaintext()
            let socket = try await stage.signalled(call)
            await socket.send([0])
            try await Task.sleep(for: .milliseconds(300))
            return try await stage.greet(socket, [stage.advert(plaintext, for: call)], plaintext)
        },
        session("signal-with-answer", "the service's signal may come in one packet with the answer", .secondHand) {
            stage, call in
            let plaintext = try LinkedClientStage.plaintext()
            let socket = try await stage.signalled(call, .followed(by: WireFrame(payload: [0]).bytes()))
            return try await stage.greet(socket, [stage.advert(plaintext, for: call)], plaintext)
        },
        session("signal-after", "the service's signal may come after the handshake message was sent", .disputed) {
            stage, call in
            let plaintext = try LinkedClientStage.plaintext()
            let socket = try await stage.signalled(call)
            let greeting = try await stage.greet(socket, [stage.advert(plaintext, for: call)], plaintext)
            await socket.send([0])
            return greeting
        },
        linked.behaves("again", "a link is good for more than one session") { stage in
            let stage = try await LinkedClientStage.with(stage)
            for _ in 0..<2 { try await stage.base.complete(stage.connected()) }
        },
        linked.behaves("filler", "an update, which nobody expects here, does no harm", .secondHand) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let session = try await stage.connected()
            try await session.send(ClientStage.firstMessage.encoded())
            try await session.send(TestLink.update(nil))
            try await stage.base.serve(session)
        },
        linked.behaves("linking-data", "linking data of a linked session are dropped, and the link stays", .secondHand)
        {
            stage in
            let stage = try await LinkedClientStage.with(stage)
            let session = try await stage.connected()
            let other = try TestLink(scalar: stage.link.scalar)
            // There is no QR key to sign for; the authenticator's own would do if anything did.
            let hash = session.keys.handshakeHash
            let map = try other.map(LinkableSession(client: stage.link.publicKey, handshakeHash: hash))
            try await session.send(ClientStage.firstMessage.encoded())
            try await session.send(TestLink.update(map))
            try? await stage.base.serve(session)
            _ = try await stage.atRequest()
        },
        linked.behaves("features", "a linked session has the feature ctap, whether it says so or not", .secondHand) {
            stage in
            let stage = try await LinkedClientStage.with(stage)
            var first = ClientStage.firstMessage
            first[3] = ["ctap"]
            try await stage.base.complete(stage.connected(), firstMessage: first.encoded())
        },
    ]

    // MARK: - Adverts

    /// An advert whose plaintext is right.
    private static func reads(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ plaintext: @escaping @Sendable () throws -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        session("advert-\(name)", rule, certainty) { stage, call in
            try await stage.greet(call, plaintext: plaintext())
        }
    }

    private static let adverts =
        [
            reads("zeros", "the plaintext of an advert may be all zeros, as Clavertus sends it", .secondHand) {
                [UInt8](repeating: 0, count: 16)
            },
            reads("random", "all 15 bytes of an advert's plaintext are the authenticator's to choose", .secondHand) {
                try [0] + randomBytes(count: 13) + [0x34, 0x12]
            },
            reads("unassigned-domain", "the last two bytes are no domain: 200 is no reason to refuse", .secondHand) {
                try [0] + randomBytes(count: 13) + [200, 0]
            },
            session("advert-fde2", "an advert may come under FDE2") { stage, call in
                let plaintext = try LinkedClientStage.plaintext()
                var advert = try stage.advert(plaintext, for: call)
                advert.service = .google
                return try await stage.greet(call.request.answer(stage.acceptance), [advert], plaintext)
            },
        ]
        + foreignAdverts.map { name, rule, other in
            session("advert-\(name)", rule) { stage, call in
                let plaintext = try LinkedClientStage.plaintext()
                let socket = try await call.request.answer(stage.acceptance)
                return try await stage.greet(
                    socket, [TestAdvert(data: other()), stage.advert(plaintext, for: call)], plaintext)
            }
        }

    private static let foreignAdverts: [(name: String, rule: String, advert: @Sendable () throws -> [UInt8])] =
        [
            (
                "foreign-first", "another authenticator's advert does not hide the right one",
                { try randomBytes(count: 20) }
            ),
            (
                "other-link-first", "the advert of another link does not hide the right one",
                { try TestLink().secret.seal(advert: LinkedClientStage.plaintext(), nonce: randomBytes(count: 16)) }
            ),
        ]

    /// An advert that does not open for this call.
    private static func ignores(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ advert: @escaping @Sendable (LinkedClientStage, LinkedClientStage.Call, [UInt8]) throws -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        linked.refuses("advert-\(name)", rule, certainty) { stage in
            let stage = try await LinkedClientStage.with(stage)
            let call = try await stage.call()
            let socket = try await call.request.answer(stage.acceptance)
            let wrong = try advert(stage, call, LinkedClientStage.plaintext())
            let message = try? await stage.base.air.send([TestAdvert(data: wrong)]) {
                try await within(ClientStage.vigil, "its handshake message") { try await socket.message() }
            }
            try demand(message == nil, "it begins a handshake for such an advert")
        }
    }

    private static let badAdverts = [
        ignores("reserved-byte", "the first byte of an advert's plaintext is zero") { stage, call, plaintext in
            try stage.advert([1] + plaintext.dropFirst(), for: call).data
        },
        ignores("tag", "every bit of an advert's tag counts") { stage, call, plaintext in
            let right = try stage.advert(plaintext, for: call).data
            return right.dropLast() + [right[19] ^ 1]
        },
        ignores("without-nonce", "an advert's key comes from the nonce too") { stage, _, plaintext in
            try stage.link.secret.seal(advert: plaintext)
        },
        ignores("other-nonce", "an advert for another nonce, an old one, does not open") { stage, _, plaintext in
            try stage.link.secret.seal(advert: plaintext, nonce: randomBytes(count: 16))
        },
        ignores("other-secret", "an advert of another link does not open") { _, call, plaintext in
            try TestLink().secret.seal(advert: plaintext, nonce: call.nonce)
        },
        ignores("19-bytes", "an advert has 20 bytes, not 19") { stage, call, plaintext in
            try stage.advert(plaintext, for: call).data.dropLast()
        },
        linked.refuses("no-advert", "without an advert there is no handshake: nearness is what it proves") { stage in
            let stage = try await LinkedClientStage.with(stage)
            let socket = try await stage.call().request.answer(stage.acceptance)
            let message = try? await within(ClientStage.vigil, "its message") { try await socket.message() }
            try demand(message == nil, "it begins a handshake without an advert")
        },
    ]
}

extension LinkedClientStage {
    /// Answers a call, and promises the signal.
    ///
    /// - Throws: ``NotApplicable`` if the client did not ask for it.
    func signalled(_ call: Call, _ style: TunnelRequest.Style = .atOnce) async throws -> WebSocketEnd {
        guard !call.request.head[Self.signalField].isEmpty else {
            throw NotApplicable("it does not ask for the service's signal")
        }
        return try await call.request.answer(acceptance.with(Self.signalField, "true"), style)
    }
}
