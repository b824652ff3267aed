internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of a client that offers L2CAP: the channel that it takes, and the messages that it understands there.
enum ClientNearbyCases {
    private typealias MessageType = NearbySession.MessageType

    private static let offers = CaseGroup<ClientTestContext>(
        role: .client, name: "l2cap-offer", rule: "HT-BLE-5", profile: .l2cap)
    private static let sessions = CaseGroup<ClientTestContext>(
        role: .client, name: "l2cap", rule: "HT-BLE-16", profile: .l2cap)

    static let all = taken + tunnelled + choices + goodSessions + badSessions

    // MARK: - Suffixes that bring the client

    private static func takes(
        _ name: String, _ requirement: String, rule: String,
        suffix: @escaping @Sendable (UInt16) -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        offers.behaves("suffix-\(name)", requirement, rule: rule) { context in
            try await context.complete(context.answer(context.receiveNearbyHandshake(suffix: suffix)))
        }
    }

    private static func map(_ psm: UInt16, _ others: [CBORValue: CBORValue]) -> [UInt8] {
        var map: CBORMap = [1: .unsigned(UInt64(psm))]
        for (key, value) in others { map[key] = value }
        return map.encoded()
    }

    private static let taken = [
        offers.behaves("offered", "offer L2CAP in key 6 of the QR code", rule: "HT-BLE-2") { context in
            throw ObservedBehaviour(try await context.start().offersNearby ? "offers L2CAP" : "offers no L2CAP")
        },
        takes("psm", "connect to the PSM of the suffix, without pairing", rule: "HT-BLE-4") {
            ClientTestContext.suffix($0)
        },
        takes("more-channels", "ignore other channels' data in the suffix", rule: "HT-ADV-32") {
            map($0, [7: 1])
        },
        takes(
            "draft-form-too", "ignore the form of Firefox's draft beside the PSM", rule: "HT-ADV-33"
        ) {
            map($0, [0: 1])
        },
        takes("text-key", "ignore a text key in the suffix", rule: "HT-ADV-32") {
            map($0, ["a": ["b", 1]])
        },
        takes("long", "read a suffix of 200 bytes", rule: "HT-ADV-28") {
            map($0, [9: .bytes([UInt8](repeating: 7, count: 190))])
        },
        takes("wide-psm", "accept a PSM that is not in its shortest form", rule: "HT-ADV-39") {
            [0xA1, 1, 0x19, 0, UInt8(truncatingIfNeeded: $0)]
        },
        takes("trailing", "ignore bytes after the suffix's map", rule: "HT-ADV-39") {
            ClientTestContext.suffix($0) + [0]
        },
        takes("indefinite", "accept a suffix of indefinite length", rule: "HT-ADV-39") {
            [0xBF, 1, 0x18, UInt8(truncatingIfNeeded: $0), 0xFF]
        }.observed,
    ]

    // MARK: - Suffixes that leave it to the tunnel

    private static func usesTunnel(
        _ name: String, _ requirement: String, rule: String, _ suffix: [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        offers.behaves("tunnel-\(name)", requirement + ": the tunnel is used", rule: rule) { context in
            let code = try await context.nearbyCode()
            // A client that takes the suffix for PSM 128 can connect there, and never joins the tunnel.
            let listening = try await context.listen()
            let plaintext = context.plaintext()
            let advert = TestAdvert(data: try ClientTestContext.seal(plaintext, code) + suffix)
            try await context.comes(for: [advert], plaintext, of: code)
            await listening.close()
        }
    }

    private static let tunnelled = [
        usesTunnel("no-suffix", "use the tunnel for an advert without a suffix", rule: "HT-BLE-5", []),
        usesTunnel("empty-map", "use the tunnel if the suffix is an empty map", rule: "HT-BLE-5", [0xA0]),
        usesTunnel("psm-zero", "use the tunnel if the PSM is 0", rule: "HT-ADV-31", [0xA1, 1, 0]),
        usesTunnel(
            "psm-65536", "use the tunnel if the PSM is 65536", rule: "HT-BLE-5", [0xA1, 1, 0x1A, 0, 1, 0, 0]),
        usesTunnel(
            "psm-2-to-32", "use the tunnel, and not truncate the PSM, if it exceeds 2^32", rule: "HT-BLE-5",
            [0xA1, 1, 0x1B, 0, 0, 0, 1, 0, 0, 0, 0x80]),
        usesTunnel(
            "psm-negative", "use the tunnel if the PSM is negative", rule: "HT-BLE-5", [0xA1, 1, 0x38, 0x7F]),
        usesTunnel(
            "psm-text", "use the tunnel if the PSM is text", rule: "HT-BLE-5",
            [0xA1, 1, 0x63, 0x31, 0x32, 0x38]),
        usesTunnel(
            "psm-bytes", "use the tunnel if the PSM is a byte string", rule: "HT-BLE-5", [0xA1, 1, 0x41, 0x80]),
        usesTunnel(
            "psm-list", "use the tunnel if the PSM is a list", rule: "HT-BLE-5", [0xA1, 1, 0x81, 0x18, 0x80]),
        usesTunnel("psm-null", "use the tunnel if the PSM is null", rule: "HT-BLE-5", [0xA1, 1, 0xF6]),
        usesTunnel(
            "no-map", "use the tunnel if the suffix is a number, not a map", rule: "HT-BLE-5", [0x18, 0x80]),
        usesTunnel("no-cbor", "use the tunnel if the suffix is not CBOR", rule: "HT-BLE-5", [0xFF, 0x80]),
        usesTunnel("cut", "use the tunnel if the suffix is truncated", rule: "HT-BLE-5", [0xA1, 1, 0x18]),
        usesTunnel(
            "draft-form", "use the tunnel for a suffix in the form of Firefox's draft (key 0)",
            rule: "HT-ADV-33",
            [0xA1, 0, 0x18, 0x80]),
        usesTunnel(
            "psm-classic", "use the tunnel if the PSM is not one of Low Energy", rule: "HT-BLE-6",
            [0xA1, 1, 0x19, 0x12, 0x34]),
        usesTunnel(
            "psm-refused", "use the tunnel if the PSM refuses the connection", rule: "HT-BLE-6",
            [0xA1, 1, 0x18, 0xFF]),
    ]

    // MARK: - Which channel

    private static let choices = [
        offers.behaves(
            "tunnel-not-joined", "not join the tunnel when it has connected over L2CAP",
            rule: "HT-BLE-8"
        ) {
            context in
            let session = try await context.answer(context.receiveNearbyHandshake())
            let hasJoined = try await context.service.isAsked(within: ClientTestContext.absenceTimeout)
            try await context.complete(session)
            try demand(!hasJoined, "it joins the tunnel too")
        },
        offers.behaves(
            "advert-twice", "connect when an advert comes with its suffix and then without",
            rule: "HT-BLE-10"
        ) { context in
            try await context.comesEitherWay { advert, psm in [advert + ClientTestContext.suffix(psm), advert] }
        },
        offers.behaves(
            "advert-twice-reversed", "connect when an advert comes without its suffix and then with it",
            rule: "HT-BLE-10"
        ) {
            context in
            try await context.comesEitherWay { advert, psm in [advert, advert + ClientTestContext.suffix(psm)] }
        },
        offers.behaves(
            "forged-psm-first", "be able to connect when an advert with a forged PSM comes first",
            rule: "HT-BLE-10"
        ) {
            context in
            try await context.comesEitherWay { advert, psm in
                [advert + ClientTestContext.suffix(0xFE), advert + ClientTestContext.suffix(psm)]
            }
        },
        offers.behaves(
            "closed-at-once", "join the tunnel when its L2CAP channel is closed at once",
            rule: "HT-BLE-7"
        ) {
            context in
            let code = try await context.nearbyCode()
            let listening = try await context.listen()
            let plaintext = context.plaintext()
            let advert = TestAdvert(
                data: try ClientTestContext.seal(plaintext, code) + ClientTestContext.suffix(listening.psm))
            let request = try await context.transmitter.send([advert]) {
                let end = try await context.accept(listening)
                await listening.close()
                await end.close()
                return try await context.request()
            }
            let rendezvous = ClientTestContext.Rendezvous(code: code, plaintext: plaintext, request: request)
            try await context.complete(context.answer(context.receiveHandshake(rendezvous)))
        },
        offers.behaves(
            "handshake-fails", "join the tunnel when the handshake on its L2CAP channel fails",
            rule: "HT-BLE-7"
        ) { context in
            let initiated = try await context.receiveNearbyHandshake()
            await initiated.end.send(initiated.message)
            let request = try await context.request()
            let rendezvous = ClientTestContext.Rendezvous(
                code: initiated.code, plaintext: initiated.plaintext, request: request)
            try await context.complete(context.answer(context.receiveHandshake(rendezvous)))
        },
        offers.refuses("other-session", "ignore the PSM of an advert that does not decrypt", rule: "HT-BLE-9") {
            context in
            let code = try await context.nearbyCode()
            let listening = try await context.listen()
            let other = try ScannedCode(url: TestCode().url)
            let advert = TestAdvert(
                data: try ClientTestContext.seal(context.plaintext(), other) + ClientTestContext.suffix(listening.psm))
            let hasCome = try await context.transmitter.send([advert]) {
                (try? await within(ClientTestContext.absenceTimeout, "the client") { try await listening.accept() })
                    != nil
            }
            await listening.close()
            try demand(!hasCome, "it connects to the sender of such an advert")
            try await context.staysAway([advert], of: code)
        },
    ]

    // MARK: - Sessions

    private static let goodSessions = [
        sessions.behaves("framing", "end its messages in 0D 0A", rule: "HT-BLE-17") { context in
            let session = try await context.readyNearby()
            _ = try await context.request(session)
            throw ObservedBehaviour(
                session.socket.endsInTerminator ? "ends its messages in 0D 0A" : "sends SDUs without a terminator")
        },
        sessions.behaves(
            "handshake-and-first-message", "read a handshake message and the first message from one SDU",
            rule: "HT-BLE-21"
        ) {
            context in
            let initiated = try await context.receiveNearbyHandshake()
            let (response, keys) = try context.response(to: initiated)
            let session = context.session(initiated, keys)
            try await session.sendTogether(response, [ClientTestContext.firstMessage.encoded()])
            try await context.serve(session)
        },
        sessions.behaves(
            "handshake-and-first-message-and-updates", "read a handshake message and five others from one SDU",
            rule: "HT-BLE-21"
        ) { context in
            let initiated = try await context.receiveNearbyHandshake()
            let (response, keys) = try context.response(to: initiated)
            let session = context.session(initiated, keys)
            let update = [MessageType.update, 0xA0]
            try await session.sendTogether(
                response, [ClientTestContext.firstMessage.encoded(), update, update, update, update])
            try await context.serve(session)
        },
        sessions.behaves(
            "first-message-and-update", "read two sealed messages from one SDU", rule: "HT-BLE-21"
        ) {
            context in
            let session = try await context.answer(context.receiveNearbyHandshake())
            try await session.sendTogether(
                [], [ClientTestContext.firstMessage.encoded(), [MessageType.update, 0xA0]])
            try await context.serve(session)
        },
        sessions.behaves(
            "update-and-answer", "read an update and an answer from one SDU", rule: "HT-BLE-21"
        ) {
            context in
            let session = try await context.readyNearby()
            let answer = await ClientTestContext.answer(to: try await context.request(session))
            try await session.sendTogether([], [[MessageType.update, 0xA0], [MessageType.ctap] + answer])
            try await context.finish(session)
        },
        sessions.behaves(
            "long-message", "read a message that is longer than an SDU", rule: "HT-BLE-20"
        ) { context in
            let session = try await context.readyNearby {
                NearbyEnd.cut($0 + NearbyEnd.terminator, NearbyEnd.longestSDU)
            }
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 40_000))]
            try await session.send(MessageType.update, map.encoded())
            try await context.serve(session)
        },
        sessions.behaves(
            "close-after-answer", "accept that the authenticator closes after its answer",
            rule: "HT-MSG-38"
        ) {
            context in
            let session = try await context.readyNearby()
            let answer = await ClientTestContext.answer(to: try await context.request(session))
            try await session.send(MessageType.ctap, answer)
            await session.socket.close()
            try await context.peer.succeeded()
        },
    ]

    private static let badSessions = [
        sessions.refuses("first-message-replayed", "refuse a frame that it has received before", rule: "HT-FRM-18") {
            context in
            let session = try await context.answer(context.receiveNearbyHandshake())
            let frame = try await session.seal(ClientTestContext.firstMessage.encoded())
            await session.socket.send(frame)
            _ = try await context.request(session)
            await session.socket.send(frame)
            try await context.givesUp(session)
        },
        sessions.refuses(
            "handshake-replayed", "refuse a handshake message that it has received before", rule: "HT-HS-23"
        ) {
            context in
            let initiated = try await context.receiveNearbyHandshake()
            let (response, keys) = try context.response(to: initiated)
            await initiated.end.send(response)
            await initiated.end.send(response)
            await initiated.end.record.mistakeIsSent()
            let session = context.session(initiated, keys)
            try await session.send(ClientTestContext.firstMessage.encoded())
            try await context.givesUp(session)
        },
        sessions.refuses("own-handshake", "refuse its own handshake message as the response", rule: "HT-HS-23") {
            context in
            let initiated = try await context.receiveNearbyHandshake()
            await initiated.end.send(initiated.message)
            try await context.givesUp(initiated.end)
        },
    ]
}
