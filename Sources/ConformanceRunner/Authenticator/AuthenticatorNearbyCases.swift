internal import CBOR
internal import CTAP
internal import Cryptography
internal import Edges

/// Cases of what an authenticator offers a client that can do L2CAP, and of what it answers there.
enum AuthenticatorNearbyCases {
    private typealias Key = TestCode.Key
    private typealias MessageType = NearbySession.MessageType

    private static let offers = Group<AuthenticatorStage>(
        role: .authenticator, name: "l2cap-offer", source: "CTAP 2.3 section 11.5.1, the advertisement suffix")
    private static let sessions = Group<AuthenticatorStage>(
        role: .authenticator, name: "l2cap", source: "CTAP 2.3 section 11.5.1.1.2, the BLE channel")

    static let all = suffixes + silentCodes + oddCodes + choices + goodSessions

    // MARK: - The offer

    /// The PSMs that a system gives to Low Energy (Bluetooth Core Specification, volume 3 part A section 4.22).
    private static let dynamicPSMs: ClosedRange<UInt64> = 0x80...0xFF

    private static let suffixes = [
        offers.behaves("offered", "an authenticator that is offered L2CAP offers it in turn", .disputed) { stage in
            let psm = try AuthenticatorStage.psm(in: try await stage.advert(for: stage.nearbyCode))
            throw Observation(psm.map { "offers PSM \($0)" } ?? "offers no L2CAP")
        },
        offers.behaves("psm", "the suffix is a map whose key 1 is a PSM of Low Energy", .secondHand) { stage in
            let advert = try await stage.advert(for: stage.nearbyCode)
            guard let psm = try AuthenticatorStage.psm(in: advert) else {
                throw NotApplicable("it offers no L2CAP in its advert")
            }
            try demand(dynamicPSMs.contains(psm), "its PSM is \(psm)")
        },
        offers.behaves("advert-before-suffix", "the suffix leaves the first 20 bytes as they are", .secondHand) {
            stage in
            let advert = try await stage.advert(for: stage.nearbyCode)
            guard try AuthenticatorStage.psm(in: advert) != nil else {
                throw NotApplicable("it offers no L2CAP in its advert")
            }
            try demand(advert.plaintext[0] == 0, "the first byte of its plaintext is \(advert.plaintext[0])")
            try demand(Array(advert.plaintext[11..<14]) == AuthenticatorStage.routingID, "its routing ID is another")
        },
        offers.behaves("same-suffix", "an advert is repeated with the same suffix", .secondHand) { stage in
            let first = try await stage.advert(for: stage.nearbyCode)
            let again = try await stage.advert(stage.nearbyCode)
            try demand(first.received.serviceData == again.received.serviceData, "its advert changes")
        },
    ]

    /// What a code says in key 6, and what follows from it.
    private typealias OddCode = (name: String, rule: String, channels: CBORValue?)

    /// Codes that offer no L2CAP.
    private static let silentCodes =
        ([
            ("no-key-6", "a code without key 6 offers the WebSocket alone", nil),
            ("websocket-alone", "a code that offers the WebSocket alone", [0]),
            ("bool", "a bool in key 6, of caBLE v2.1, offers no channels", true),
            ("unknown-channel", "an unknown channel is not L2CAP", [0, 7]),
            ("large-channel", "a channel above 255 is not taken for its last byte", [0, 257]),
        ] as [OddCode]).map { name, rule, value in
            offers.behaves("none-for-\(name)", "\(rule): no suffix is sent, and the tunnel is used", .secondHand) {
                stage in
                let meeting = try await stage.meet(stage.code.with(Key.channels, value))
                let byteCount = meeting.advert.received.serviceData.count
                try demand(byteCount == 20, "its advert has \(byteCount) bytes")
                let handshake = try stage.handshake(meeting)
                await meeting.socket.send(handshake.message)
                let session = try await stage.shakeHands(handshake, on: meeting.socket)
                _ = try await stage.firstMessage(session)
                try await stage.complete(session)
            }
        }

    /// Codes of which nobody says what they mean.
    private static let oddCodes =
        ([
            ("empty", "a code that offers no channel at all is refused", []),
            ("number", "a number in key 6 is refused", 1),
            ("text", "text in key 6 is refused", "l2cap"),
            ("texts", "a list of texts in key 6 is refused", ["websocket", "l2cap"]),
            ("negative", "a negative channel is refused", [0, -1]),
            ("nested", "a list in the list of channels is refused", [0, [1]]),
            ("null", "null in key 6 is refused", .null),
            ("unknown-alone", "a code that offers an unknown channel alone is refused", [7]),
        ] as [OddCode]).map { name, rule, value in
            offers.refuses("odd-\(name)", rule, .disputed) { stage in
                try await stage.refuses(url: stage.code.with(Key.channels, value).url)
            }
        }

    /// Which channel is used.
    private static let choices =
        ([
            ("reversed", "the order of channels in key 6 does not count", [1, 0]),
            ("with-unknown", "an unknown channel beside L2CAP is skipped", [0, 1, 7]),
            ("twice", "a channel may be listed twice", [0, 1, 1, 0]),
        ] as [OddCode]).map { name, rule, value in
            offers.behaves("offered-\(name)", rule, .secondHand) { stage in
                let code = stage.code.with(Key.channels, value)
                let advert = try await stage.advert(for: code)
                let end = try await stage.connect(to: advert)
                try await stage.play(code, advert, on: end)
            }
        } + [
            offers.behaves("l2cap-alone", "a code may offer L2CAP alone", .disputed) { stage in
                let code = stage.code.with(Key.channels, [1])
                let advert = try await stage.advert(for: code)
                try await stage.play(code, advert, on: try await stage.connect(to: advert))
            },
            offers.behaves("tunnel-all-the-same", "a client that is offered L2CAP may come to the tunnel", .secondHand)
            {
                stage in
                try await stage.takes(stage.nearbyCode)
            },
            offers.behaves("without-tunnel", "L2CAP works although the tunnel service refuses", .disputed) { stage in
                let refusal = UpgradeAnswer(routingID: nil).with(
                    statusLine: "HTTP/1.1 500 Internal Server Error")
                let advert = try await stage.advert(for: stage.nearbyCode, answering: refusal)
                try await stage.play(stage.nearbyCode, advert, on: try await stage.connect(to: advert))
            },
            offers.behaves("second-client", "whoever connects and goes away does not keep the client out", .disputed) {
                stage in
                let (stranger, advert) = try await stage.meetNearby()
                await stranger.close()
                try await stage.play(stage.nearbyCode, advert, on: try await stage.connect(to: advert))
            },
            offers.behaves("closed-afterwards", "nobody else can connect when a client has come", .disputed) { stage in
                let (end, advert) = try await stage.meetNearby()
                let handshake = try stage.handshake(stage.nearbyCode, advert)
                await end.send(handshake.message)
                _ = try await stage.firstMessage(stage.shakeHands(handshake, on: end))
                do { _ = try await stage.connect(to: advert) } catch is Deviation {
                    throw Observation("refuses others")
                }
                throw Observation("lets others connect")
            },
        ]

    // MARK: - Sessions

    /// How many credentials make a request longer than an SDU.
    private static let manyCredentials = 300

    private static let goodSessions = [
        sessions.behaves("framing", "an authenticator ends its messages in 0D 0A", .disputed) { stage in
            let session = try await stage.readyNearby()
            throw Observation(
                session.socket.endedInTerminator ? "ends its messages in 0D 0A" : "sends SDUs without a terminator")
        },
        sessions.behaves("long-request", "a request that is longer than an SDU is read", .secondHand) { stage in
            let session = try await stage.readyNearby { NearbyEnd.cut($0 + NearbyEnd.terminator, NearbyEnd.longestSDU) }
            let request = try AuthenticatorStage.makeCredential(excluding: manyCredentials)
            try await session.send([MessageType.ctap] + request)
            try await stage.completeAnswer(session)
        },
        sessions.behaves("two-requests", "a second request in a session is answered", .disputed) { stage in
            let session = try await stage.readyNearby()
            _ = try await stage.ask(session, AuthenticatorStage.makeCredential())
            try await stage.complete(session)
        },
        sessions.behaves(
            "two-messages-in-one", "a request and a shutdown in one SDU are two messages", .disputed
        ) { stage in
            let session = try await stage.readyNearby()
            let request = try await session.seal([MessageType.ctap] + AuthenticatorStage.makeCredential())
            let shutdown = try await session.seal([MessageType.shutdown])
            await session.socket.send(
                sdu: request + NearbyEnd.terminator + shutdown + NearbyEnd.terminator)
            let hasAnswer = (try? await stage.answer(session)) != nil
            throw Observation(
                "\(hasAnswer ? "answers" : "does not answer"), and ends with exit status \(try await stage.peer.ended())"
            )
        },
        sessions.refuses("replayed", "a frame counts once") { stage in
            let session = try await stage.readyNearby()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorStage.makeCredential())
            await session.socket.send(frame)
            _ = try await stage.answer(session)
            await session.socket.send(frame)
            try await stage.givesUp(session)
        },
        sessions.refuses("replayed-handshake", "a handshake message counts once") { stage in
            let (end, advert) = try await stage.meetNearby()
            let handshake = try stage.handshake(stage.nearbyCode, advert)
            await end.send(handshake.message)
            let session = try await stage.shakeHands(handshake, on: end)
            _ = try await stage.firstMessage(session)
            await end.send(handshake.message)
            try await stage.givesUp(session)
        },
    ]
}

extension AuthenticatorStage {
    /// Plays a whole session with the sender of an advert, on an open channel.
    fileprivate func play(_ code: TestCode, _ advert: Advert, on end: NearbyEnd) async throws {
        let handshake = try handshake(code, advert)
        await end.send(handshake.message)
        let session = try await shakeHands(handshake, on: end)
        _ = try await firstMessage(session)
        try await complete(session)
    }

    /// A request that excludes so many credentials that do not exist.
    fileprivate static func makeCredential(excluding count: Int) throws -> [UInt8] {
        let request = try makeCredential()
        guard var map = try CBORValue.decode(Array(request.dropFirst()).span).mapValue else { return request }
        map[5] = .array(
            try (0..<count).map { _ in ["id": .bytes(try randomBytes(count: 64)), "type": "public-key"] })
        return [request[0]] + map.encoded()
    }
}
