internal import CBOR
internal import Edges

/// Cases of a client that offers L2CAP: which channel it takes, and what it understands there.
enum ClientNearbyCases {
    private typealias MessageType = NearbySession.MessageType

    private static let offers = Group<ClientStage>(
        role: .client, name: "l2cap-offer", source: "CTAP 2.3 section 11.5.1, the advertisement suffix")
    private static let sessions = Group<ClientStage>(
        role: .client, name: "l2cap", source: "CTAP 2.3 section 11.5.1.1.2, the BLE channel")

    static let all = taken + tunnelled + choices + goodSessions + badSessions

    // MARK: - Suffixes that bring the client

    private static func takes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty,
        _ suffix: @escaping @Sendable (UInt16) -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        offers.behaves("suffix-\(name)", rule, certainty) { stage in
            try await stage.complete(stage.answer(stage.greetNearby(suffix: suffix)))
        }
    }

    private static func map(_ psm: UInt16, _ others: [CBORValue: CBORValue]) -> [UInt8] {
        var map: CBORMap = [1: .unsigned(UInt64(psm))]
        for (key, value) in others { map[key] = value }
        return map.encoded()
    }

    private static let taken = [
        offers.behaves("offered", "a client that can do L2CAP says so in key 6", .disputed) { stage in
            let channels = try await stage.start().map[TestCode.Key.channels]?.arrayValue
            throw Observation(channels?.contains(1) == true ? "offers L2CAP" : "offers no L2CAP")
        },
        takes("psm", "a client comes to the PSM in the suffix, without pairing", .secondHand) {
            ClientStage.suffix($0)
        },
        takes("more-channels", "data of other channels in the suffix are ignored", .secondHand) { map($0, [7: 1]) },
        takes("draft-form-too", "Firefox's draft form beside the PSM is ignored", .disputed) { map($0, [0: 1]) },
        takes("text-key", "a key of text in the suffix is ignored", .secondHand) { map($0, ["a": ["b", 1]]) },
        takes("long", "a suffix of 200 bytes is read", .secondHand) {
            map($0, [9: .bytes([UInt8](repeating: 7, count: 190))])
        },
        takes("wide-psm", "a PSM in a longer form than needed is read", .disputed) {
            [0xA1, 1, 0x19, 0, UInt8(truncatingIfNeeded: $0)]
        },
        takes("trailing", "bytes after the suffix's map are ignored", .disputed) { ClientStage.suffix($0) + [0] },
        takes("indefinite", "a map of indefinite length is read", .disputed) {
            [0xBF, 1, 0x18, UInt8(truncatingIfNeeded: $0), 0xFF]
        },
    ]

    // MARK: - Suffixes that leave it to the tunnel

    private static func falls(
        _ name: String, _ rule: String, _ suffix: [UInt8], _ certainty: ConformanceCase.Certainty = .secondHand
    ) -> PlayedCase<ClientStage> {
        offers.behaves("tunnel-\(name)", rule + ": the tunnel is used", certainty) { stage in
            let code = try await stage.nearbyCode()
            // Whoever takes the suffix for PSM 128 finds somebody there, and never comes to the tunnel.
            let listening = try await stage.listen()
            let plaintext = try stage.plaintext()
            let advert = TestAdvert(data: try ClientStage.seal(plaintext, code) + suffix)
            try await stage.comes(for: [advert], plaintext, of: code)
            await listening.close()
        }
    }

    private static let tunnelled = [
        falls("no-suffix", "an advert without a suffix offers no L2CAP", []),
        falls("empty-map", "a suffix that is an empty map offers no L2CAP", [0xA0]),
        falls("psm-zero", "0 is no PSM", [0xA1, 1, 0]),
        falls("psm-65536", "65536 is no PSM", [0xA1, 1, 0x1A, 0, 1, 0, 0]),
        falls("psm-2-to-32", "a PSM is not taken for its last bytes", [0xA1, 1, 0x1B, 0, 0, 0, 1, 0, 0, 0, 0x80]),
        falls("psm-negative", "a negative number is no PSM", [0xA1, 1, 0x38, 0x7F]),
        falls("psm-text", "text is no PSM", [0xA1, 1, 0x63, 0x31, 0x32, 0x38]),
        falls("psm-bytes", "a string of bytes is no PSM", [0xA1, 1, 0x41, 0x80]),
        falls("psm-list", "a list is no PSM", [0xA1, 1, 0x81, 0x18, 0x80]),
        falls("psm-null", "null is no PSM", [0xA1, 1, 0xF6]),
        falls("no-map", "a suffix that is no map offers no L2CAP", [0x18, 0x80]),
        falls("no-cbor", "a suffix that is no CBOR offers no L2CAP", [0xFF, 0x80]),
        falls("cut", "a suffix that is cut off offers no L2CAP", [0xA1, 1, 0x18]),
        falls("draft-form", "the key 0 of Firefox's draft is no PSM", [0xA1, 0, 0x18, 0x80], .disputed),
        falls("psm-classic", "a PSM that Low Energy does not have leads nowhere", [0xA1, 1, 0x19, 0x12, 0x34]),
        falls("psm-refused", "a PSM at which nobody listens leads nowhere", [0xA1, 1, 0x18, 0xFF]),
    ]

    // MARK: - Which channel

    private static let choices = [
        offers.behaves("tunnel-not-joined", "a client that came on L2CAP joins no tunnel too", .disputed) { stage in
            let session = try await stage.answer(stage.greetNearby())
            let service = stage.service
            let hasJoined = (try? await within(ClientStage.vigil, "the client") { try await service.accept() }) != nil
            try await stage.complete(session)
            try demand(!hasJoined, "it joins the tunnel too")
        },
        offers.behaves("advert-twice", "an advert may be heard with its suffix and without", .secondHand) { stage in
            try await stage.comesEitherWay { advert, psm in [advert + ClientStage.suffix(psm), advert] }
        },
        offers.behaves("advert-twice-reversed", "an advert may be heard without its suffix and with it", .secondHand) {
            stage in try await stage.comesEitherWay { advert, psm in [advert, advert + ClientStage.suffix(psm)] }
        },
        offers.behaves("forged-psm-first", "a forged PSM at worst makes an attempt fail", .secondHand) { stage in
            try await stage.comesEitherWay { advert, psm in
                [advert + ClientStage.suffix(0xFE), advert + ClientStage.suffix(psm)]
            }
        },
        offers.behaves("closed-at-once", "a client whose channel is closed at once joins the tunnel", .disputed) {
            stage in
            let code = try await stage.nearbyCode()
            let listening = try await stage.listen()
            let plaintext = try stage.plaintext()
            let advert = TestAdvert(data: try ClientStage.seal(plaintext, code) + ClientStage.suffix(listening.psm))
            let request = try await stage.air.send([advert]) {
                let end = try await stage.accept(listening)
                await listening.close()
                await end.close()
                return try await stage.request()
            }
            let meeting = ClientStage.Meeting(code: code, plaintext: plaintext, request: request)
            try await stage.complete(stage.answer(stage.greet(meeting)))
        },
        offers.refuses("other-session", "the PSM in another session's advert is nobody's business") { stage in
            let code = try await stage.nearbyCode()
            let listening = try await stage.listen()
            let other = try ScannedCode(url: TestCode().url)
            let advert = TestAdvert(
                data: try ClientStage.seal(stage.plaintext(), other) + ClientStage.suffix(listening.psm))
            let hasCome = try await stage.air.send([advert]) {
                (try? await within(ClientStage.vigil, "the client") { try await listening.accept() }) != nil
            }
            await listening.close()
            try demand(!hasCome, "it connects to the sender of such an advert")
            try await stage.staysAway([advert], of: code)
        },
    ]

    // MARK: - Sessions

    private static let goodSessions = [
        sessions.behaves("framing", "a client ends its messages in 0D 0A", .disputed) { stage in
            let session = try await stage.readyNearby()
            _ = try await stage.request(session)
            throw Observation(
                session.socket.endedInTerminator ? "ends its messages in 0D 0A" : "sends SDUs without a terminator")
        },
        sessions.behaves("handshake-and-first-message", "several messages may come in one SDU", .secondHand) { stage in
            let greeting = try await stage.greetNearby()
            let (response, keys) = try stage.response(to: greeting)
            let session = stage.session(greeting, keys)
            try await session.sendTogether(response, [ClientStage.firstMessage.encoded()])
            try await stage.serve(session)
        },
        sessions.behaves(
            "handshake-and-first-message-and-updates", "a handshake message and five others may come in one SDU",
            .secondHand
        ) { stage in
            let greeting = try await stage.greetNearby()
            let (response, keys) = try stage.response(to: greeting)
            let session = stage.session(greeting, keys)
            let update = [MessageType.update, 0xA0]
            try await session.sendTogether(
                response, [ClientStage.firstMessage.encoded(), update, update, update, update])
            try await stage.serve(session)
        },
        sessions.behaves("first-message-and-update", "two sealed messages may come in one SDU", .secondHand) { stage in
            let session = try await stage.answer(stage.greetNearby())
            try await session.sendTogether(
                [], [ClientStage.firstMessage.encoded(), [MessageType.update, 0xA0]])
            try await stage.serve(session)
        },
        sessions.behaves("update-and-answer", "an update and an answer may come in one SDU", .secondHand) { stage in
            let session = try await stage.readyNearby()
            let answer = await ClientStage.answer(to: try await stage.request(session))
            try await session.sendTogether([], [[MessageType.update, 0xA0], [MessageType.ctap] + answer])
            try await stage.finish(session)
        },
        sessions.behaves("long-message", "a message that is longer than an SDU is read", .secondHand) { stage in
            let session = try await stage.readyNearby { NearbyEnd.cut($0 + NearbyEnd.terminator, NearbyEnd.longestSDU) }
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 40_000))]
            try await session.send(MessageType.update, map.encoded())
            try await stage.serve(session)
        },
        sessions.behaves("close-after-answer", "an authenticator may close when it has answered", .secondHand) {
            stage in
            let session = try await stage.readyNearby()
            let answer = await ClientStage.answer(to: try await stage.request(session))
            try await session.send(MessageType.ctap, answer)
            await session.socket.close()
            try await stage.peer.succeeded()
        },
    ]

    private static let badSessions = [
        sessions.refuses("first-message-replayed", "a frame counts once") { stage in
            let session = try await stage.answer(stage.greetNearby())
            let frame = try await session.seal(ClientStage.firstMessage.encoded())
            await session.socket.send(frame)
            _ = try await stage.request(session)
            await session.socket.send(frame)
            try await stage.givesUp(session)
        },
        sessions.refuses("handshake-replayed", "a handshake message counts once") { stage in
            let greeting = try await stage.greetNearby()
            let (response, keys) = try stage.response(to: greeting)
            await greeting.end.send(response)
            await greeting.end.send(response)
            let session = stage.session(greeting, keys)
            try await session.send(ClientStage.firstMessage.encoded())
            try await stage.givesUp(session)
        },
        sessions.refuses("own-handshake", "a client's own handshake message is no answer to it") { stage in
            let greeting = try await stage.greetNearby()
            await greeting.end.send(greeting.message)
            try await stage.givesUp(greeting.end)
        },
    ]
}

extension NearbySession {
    /// Sends bytes and sealed messages in one SDU, each with a terminator.
    ///
    /// - Parameter first: what comes before the sealed messages; nothing if empty.
    fileprivate func sendTogether(_ first: [UInt8], _ messages: [[UInt8]]) async throws {
        var sdu = first.isEmpty ? [] : first + NearbyEnd.terminator
        for message in messages { sdu += try seal(message) + NearbyEnd.terminator }
        await socket.send(sdu: sdu)
    }
}

extension ClientStage {
    /// Demands that a client comes by one of the adverts, on L2CAP or by the tunnel, and that its session goes well.
    ///
    /// - Parameter adverts: the service data that are sent, from the sealed advert and the PSM on which we listen.
    fileprivate func comesEitherWay(_ adverts: ([UInt8], UInt16) -> [[UInt8]]) async throws {
        let code = try await nearbyCode()
        let listening = try await listen()
        let plaintext = try plaintext()
        let sent = adverts(try Self.seal(plaintext, code), listening.psm).map { TestAdvert(data: $0) }
        enum Arrival: Sendable {
            case nearby(NearbyEnd)
            case tunnel(TunnelRequest)
        }
        let arrival = try await air.send(sent) {
            try await withThrowingTaskGroup(of: Arrival.self) { group in
                group.addTask { .nearby(try await accept(listening)) }
                group.addTask { .tunnel(try await request()) }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
        await listening.close()
        switch arrival {
        case .nearby(let end): try await complete(answer(greet(end, code, plaintext)))
        case .tunnel(let request):
            try await complete(answer(greet(Meeting(code: code, plaintext: plaintext, request: request))))
        }
    }
}
