internal import CTAP
internal import Cryptography
internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of an authenticator's offer to a client that can do L2CAP, and of its answers there.
enum AuthenticatorNearbyCases {
    private typealias Key = InvitationKey
    private typealias MessageType = NearbySession.MessageType

    private static let offers = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "l2cap-offer", rule: "HT-BLE-1", profile: .l2cap)
    private static let sessions = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "l2cap", rule: "HT-BLE-16", profile: .l2cap)

    static let all = suffixes + codesWithoutL2CAP + malformedCodes + choices + goodSessions

    // MARK: - The offer

    /// The PSMs that a system gives to Low Energy (Bluetooth Core Specification, volume 3 part A section 4.22).
    private static let dynamicPSMs: ClosedRange<UInt64> = 0x80...0xFF

    /// Shows whether an authenticator has a BLE channel.
    static let offered = offers.behaves("offered", "offer L2CAP to a client that offers it", rule: "HT-BLE-1") {
        context in
        let psm = try AuthenticatorTestContext.psm(in: try await context.advert(for: context.nearbyCode))
        throw ObservedBehaviour(psm.map { "offers PSM \($0)" } ?? "offers no L2CAP")
    }

    private static let suffixes = [
        offered,
        offers.behaves(
            "psm", "put a PSM of 128 to 255 under key 1 of the suffix's map", rule: "HT-BLE-3"
        ) { context in
            let advert = try await context.advert(for: context.nearbyCode)
            guard let psm = try AuthenticatorTestContext.psm(in: advert) else {
                throw NotApplicable("it offers no L2CAP in its advert")
            }
            try demand(dynamicPSMs.contains(psm), "its PSM is \(psm)")
        },
        offers.behaves(
            "advert-before-suffix", "not change the first 20 bytes of the advert when it sends a suffix",
            rule: "HT-ADV-25"
        ) {
            context in
            let advert = try await context.advert(for: context.nearbyCode)
            guard try AuthenticatorTestContext.psm(in: advert) != nil else {
                throw NotApplicable("it offers no L2CAP in its advert")
            }
            try demand(advert.plaintext[0] == 0, "the first byte of its plaintext is \(advert.plaintext[0])")
            try demand(
                Array(advert.plaintext[11..<14]) == AuthenticatorTestContext.routingID,
                "it advertises another routing ID")
        },
        offers.behaves("same-suffix", "repeat its advert with the same suffix", rule: "HT-ADV-22") {
            context in
            let first = try await context.advert(for: context.nearbyCode)
            let again = try await context.advert(context.nearbyCode)
            try demand(first.received.serviceData == again.received.serviceData, "its advert changes")
        },
    ]

    /// A value of key 6, and the rule for it.
    private typealias ChannelsCode = (name: String, requirement: String, rule: String, channels: CBORValue?)

    /// Codes that offer no L2CAP.
    private static let codesWithoutL2CAP =
        ([
            ("no-key-6", "a QR code without key 6", "HT-QR-47", nil),
            ("websocket-alone", "a key 6 that lists the WebSocket alone", "HT-BLE-31", [0]),
            ("bool", "a bool in key 6, as caBLE v2.1 has it", "HT-QR-48", true),
            ("unknown-channel", "an unknown channel beside the WebSocket", "HT-ADV-20", [0, 7]),
            ("large-channel", "the channel 257, whose last byte is 1", "HT-ADV-20", [0, 257]),
        ] as [ChannelsCode]).map { name, requirement, rule, value in
            usesTunnel(
                "none-for-\(name)", "send no suffix, and use the tunnel, for \(requirement)", rule,
                value)
        }

    private static func usesTunnel(
        _ name: String, _ requirement: String, _ rule: String,
        _ channels: CBORValue?
    ) -> ScriptedCase<AuthenticatorTestContext> {
        offers.behaves(name, requirement, rule: rule) { context in
            let rendezvous = try await context.rendezvous(context.code.with(Key.channels, channels))
            let byteCount = rendezvous.advert.received.serviceData.count
            try demand(byteCount == 20, "its advert has \(byteCount) bytes")
            let handshake = try context.handshake(rendezvous)
            await rendezvous.socket.send(handshake.message)
            let session = try await context.shakeHands(handshake, on: rendezvous.socket)
            _ = try await context.firstMessage(session)
            try await context.complete(session)
        }
    }

    private static let noChannel = "HT-QR-50"
    private static let noList = "HT-QR-51"

    /// Codes whose key 6 is treated as absent.
    private static let malformedCodes =
        ([
            ("empty", "an empty list in key 6", Self.noChannel, []),
            ("unknown-alone", "an unknown channel alone", Self.noChannel, [7]),
            ("number", "a number in key 6", Self.noList, 1),
            ("text", "text in key 6", Self.noList, "l2cap"),
            ("texts", "a list of texts in key 6", Self.noList, ["websocket", "l2cap"]),
            ("negative", "a negative channel", Self.noList, [0, -1]),
            ("nested", "a list in the list of channels", Self.noList, [0, [1]]),
            ("null", "null in key 6", Self.noList, .null),
        ] as [ChannelsCode]).map { name, requirement, rule, value in
            usesTunnel("absent-for-\(name)", "treat key 6 as absent, given \(requirement)", rule, value)
        }

    /// Codes that offer L2CAP, and the choice of the channel.
    private static let choices =
        ([
            ("reversed", "accept the channels of key 6 in any order", "HT-QR-46", [1, 0]),
            ("with-unknown", "skip an unknown channel beside L2CAP", "HT-QR-49", [0, 1, 7]),
            ("twice", "accept a channel that is listed twice", "HT-QR-49", [0, 1, 1, 0]),
        ] as [ChannelsCode]).map { name, requirement, rule, value in
            offers.behaves("offered-\(name)", requirement, rule: rule) { context in
                let code = context.code.with(Key.channels, value)
                let advert = try await context.advert(for: code)
                let end = try await context.connect(to: advert)
                try await context.completeSession(code, advert, on: end)
            }
        } + [
            offers.behaves("l2cap-alone", "accept a QR code that offers L2CAP alone", rule: "HT-BLE-32") {
                context in
                let code = context.code.with(Key.channels, [1])
                let advert = try await context.advert(for: code)
                try await context.completeSession(code, advert, on: try await context.connect(to: advert))
            }.observed,
            offers.behaves(
                "tunnel-all-the-same", "accept a client in the tunnel although it offered L2CAP",
                rule: "HT-BLE-11"
            ) {
                context in
                try await context.takes(context.nearbyCode)
            },
            offers.behaves(
                "without-tunnel", "accept a client over L2CAP although the tunnel service refuses",
                rule: "HT-BLE-12"
            ) { context in
                let refusal = UpgradeResponse(routingID: nil).with(
                    statusLine: "HTTP/1.1 500 Internal Server Error")
                let advert = try await context.advert(for: context.nearbyCode, answering: refusal)
                try await context.completeSession(context.nearbyCode, advert, on: try await context.connect(to: advert))
            },
            offers.behaves(
                "second-client", "accept the client after another device has connected and closed",
                rule: "HT-BLE-13"
            ) {
                context in
                let (unrelated, advert) = try await context.nearbyRendezvous()
                await unrelated.close()
                try await context.completeSession(context.nearbyCode, advert, on: try await context.connect(to: advert))
            },
            offers.behaves(
                "after-noise", "accept the client after another device has sent a handshake message of random bytes",
                rule: "HT-BLE-13"
            ) { context in
                let (unrelated, advert) = try await context.nearbyRendezvous()
                await unrelated.send(randomBytes(count: HandshakeCases.messageByteCount))
                try await context.completeSession(context.nearbyCode, advert, on: try await context.connect(to: advert))
                await unrelated.close()
            },
            offers.behaves(
                "beside-silence", "accept the client while another device has connected and is silent",
                rule: "HT-BLE-13"
            ) { context in
                let (unrelated, advert) = try await context.nearbyRendezvous()
                try await context.completeSession(context.nearbyCode, advert, on: try await context.connect(to: advert))
                await unrelated.close()
            },
            offers.behaves(
                "closed-afterwards", "refuse further connections when its client has connected",
                rule: "HT-BLE-14"
            ) {
                context in
                let (end, advert) = try await context.nearbyRendezvous()
                let handshake = try context.handshake(context.nearbyCode, advert)
                await end.send(handshake.message)
                _ = try await context.firstMessage(context.shakeHands(handshake, on: end))
                do { _ = try await context.connect(to: advert) } catch is Deviation {
                    throw ObservedBehaviour("refuses others")
                }
                throw ObservedBehaviour("lets others connect")
            },
        ]

    // MARK: - Sessions

    /// A number of credentials that makes a request longer than an SDU.
    private static let manyCredentials = 300

    private static let goodSessions = [
        sessions.behaves("framing", "end its messages in 0D 0A", rule: "HT-BLE-17") { context in
            let session = try await context.readyNearby()
            throw ObservedBehaviour(
                session.socket.endsInTerminator ? "ends its messages in 0D 0A" : "sends SDUs without a terminator")
        },
        sessions.behaves(
            "bare-answer", "answer without a terminator a client whose handshake message has none", rule: "HT-BLE-29"
        ) { context in
            let session = try await context.readyNearby(NearbyEnd.bare)
            try await session.send([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            try await context.completeAnswer(session)
            try demand(!session.socket.endsInTerminator, "it ends its messages in 0D 0A")
        },
        sessions.behaves(
            "long-request", "read a request that is longer than an SDU", rule: "HT-BLE-20"
        ) { context in
            let session = try await context.readyNearby {
                NearbyEnd.cut($0 + NearbyEnd.terminator, NearbyEnd.longestSDU)
            }
            let request = try AuthenticatorTestContext.makeCredential(excluding: manyCredentials)
            try await session.send([MessageType.ctap] + request)
            try await context.completeAnswer(session)
        },
        sessions.behaves(
            "two-requests", "not serve a second operation after one that succeeded",
            rule: "HT-CTAP-48"
        ) { context in
            try await context.servesOneOperation(try await context.readyNearby())
        },
        sessions.behaves(
            "two-messages-in-one", "read a request and a shutdown in one SDU as two messages",
            rule: "HT-BLE-21"
        ) { context in
            let session = try await context.readyNearby()
            let request = try await session.seal([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            let shutdown = try await session.seal([MessageType.shutdown])
            await session.socket.send(
                sdu: request + NearbyEnd.terminator + shutdown + NearbyEnd.terminator)
            let hasAnswer = (try? await context.answer(session)) != nil
            let status = try await context.peer.ended()
            throw ObservedBehaviour("\(hasAnswer ? "answers" : "does not answer"), and ends with exit status \(status)")
        }.observed,
        sessions.refuses("replayed", "refuse a frame that it has received before", rule: "HT-FRM-18") { context in
            let session = try await context.readyNearby()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            await session.socket.send(frame)
            _ = try await context.answer(session)
            await session.socket.send(frame)
            try await context.givesUp(session)
        },
        sessions.refuses(
            "replayed-handshake", "refuse a handshake message that it has received before", rule: "HT-HS-23"
        ) {
            context in
            let (end, advert) = try await context.nearbyRendezvous()
            let handshake = try context.handshake(context.nearbyCode, advert)
            await end.send(handshake.message)
            let session = try await context.shakeHands(handshake, on: end)
            _ = try await context.firstMessage(session)
            await end.send(handshake.message)
            try await context.givesUp(session)
        },
    ]
}

extension AuthenticatorTestContext {
    /// Completes a session with the sender of an advert, on an open channel.
    fileprivate func completeSession(_ code: TestCode, _ advert: Advert, on end: NearbyEnd) async throws {
        let handshake = try handshake(code, advert)
        await end.send(handshake.message)
        let session = try await shakeHands(handshake, on: end)
        _ = try await firstMessage(session)
        try await complete(session)
    }

    /// A request that excludes so many credentials that do not exist.
    fileprivate static func makeCredential(excluding count: Int) throws -> [UInt8] {
        let request = makeCredential()
        guard var map = try CBORValue.decode(Array(request.dropFirst()).span).mapValue else { return request }
        map[5] = .array(
            (0..<count).map { _ in ["id": .bytes(randomBytes(count: 64)), "type": "public-key"] })
        return [request[0]] + map.encoded()
    }
}
