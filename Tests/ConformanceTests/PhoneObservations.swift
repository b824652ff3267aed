import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import Testing

@testable import Conformance

/// Observation of a quirk in a session with an emulated phone: the test is client and tunnel service.
struct PhoneObservation: Sendable {
    var change: @Sendable (TestCode) -> TestCode = { $0 }
    /// The text that is shown, from the code's own.
    var shown: @Sendable (String) -> String = { $0 }
    var declines = false
    /// The time after which a phone falls silent that does; nil where that cannot be seen.
    var advertLimit: Duration?
    let script: @Sendable (PhoneMeeting) async throws -> String

    /// The observation of a phone with these quirks.
    func of(_ quirks: Set<PhoneQuirk>) async throws -> String {
        let radio = try await SimulatedRadioAddress.unused()
        let code = change(try TestCode())
        return try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { listener in
            let service = try ServiceSettings(
                isSecure: false, host: "127.0.0.1", port: UInt16(listener.port), authorities: [], timeout: .seconds(20))
            let (silence, pauses) = (Mailbox<String>(), Mailbox<Duration>())
            let phone = EmulatedPhone(
                quirks, radio: .simulated(radio), service: service, declines: declines,
                advertLimit: advertLimit ?? .seconds(20),
                pause: {
                    pauses.put($0)
                    try await Task.sleep(for: $0)
                }
            ) { if $0 == .silent { silence.put("silent") } }
            return try await SimulatedScanner(at: radio).scan { adverts in
                try await withThrowingTaskGroup(of: String?.self) { group in
                    group.addTask {
                        do { try await phone.answer(shown(code.url)) } catch let error as EmulationError {
                            return "refused: \(error.reason)"
                        }
                        return nil
                    }
                    group.addTask {
                        do {
                            return try await script(PhoneMeeting(code, listener, adverts, pauses))
                        } catch is WebSocketEnd.Closed {
                            return nil
                        }
                    }
                    if advertLimit != nil { group.addTask { try await silence.next() } }
                    defer { group.cancelAll() }
                    while let seen = try await group.next() { if let seen { return seen } }
                    return "ended"
                }
            }
        }
    }
}

/// A phone that has opened its tunnel and advertised it.
struct PhoneMeeting: Sendable {
    let code: TestCode
    let path: String
    let advert: ReceivedAdvert
    /// 16 bytes.
    let plaintext: [UInt8]
    private let socket: WebSocketEnd
    private let adverts: ReceivedAdverts
    /// The pauses between its adverts.
    let pauses: Mailbox<Duration>

    init(
        _ code: TestCode, _ listener: WireListener, _ adverts: ReceivedAdverts, _ pauses: Mailbox<Duration>
    ) async throws {
        self.code = code
        self.adverts = adverts
        self.pauses = pauses
        let connection = try await listener.accept()
        let head = try RequestHead(try #require(try await connection.takeHead()))
        path = head.path
        let request = PendingRequest(head: head, connection: connection)
        socket = try await request.answer(UpgradeResponse(routingID: "a10bc2"))
        let secret = SharedSecret(bytes: code.map[InvitationKey.secret]?.bytesValue ?? [])
        for try await advert in adverts {
            guard let plaintext = try secret.open(advert: advert.serviceData) else { continue }
            self.advert = advert
            self.plaintext = plaintext
            return
        }
        throw CancellationError()
    }

    /// Shakes hands.
    func session(payload: [UInt8] = []) async throws -> TunnelSession {
        let handshake = try ClientHandshake(
            scalar: code.scalar, presharedKey: code.secret.presharedKey(plaintext), payload: payload)
        await socket.send(handshake.message)
        return TunnelSession(
            socket, try handshake.finish(try await socket.message()), asClient: true, timeout: .seconds(30))
    }

    /// The first message, as it is after the handshake.
    func first() async throws -> [UInt8] { try await session().next() }

    /// A session that is ready for requests.
    func ready() async throws -> TunnelSession {
        let session = try await session()
        _ = try await session.next()
        return session
    }

    /// Waits for so many adverts more.
    func pass(_ count: Int) async throws {
        var left = count
        for try await _ in adverts {
            left -= 1
            guard left > 0 else { return }
        }
        throw CancellationError()
    }

    func ping() async { await socket.send(WireFrame.ping()) }
}

extension TunnelSession {
    /// Sends a request.
    ///
    /// - Returns: the status and the bytes after it.
    func ask(_ request: [UInt8]) async throws -> [UInt8] {
        try await send(MessageType.ctap, request)
        return try await next(MessageType.ctap, "its answer")
    }

    /// The status of an answer, or that there is none.
    func status(_ request: [UInt8]) async throws -> String {
        do { return hexadecimal(try await ask(request).first ?? 0xFF) } catch is WebSocketEnd.Closed {
            return "closed"
        }
    }
}

/// Requests of the observations.
enum Ask {
    /// Reads a map.
    static func map(_ bytes: some Sequence<UInt8>) throws -> CBORMap? {
        let bytes = Array(bytes)
        return try CBORValue.decode(bytes.span).mapValue
    }

    static let make = AuthenticatorTestContext.makeCredential()
    static let none = AuthenticatorTestContext.getAssertion()
    private static let site = "conformance.example"

    /// makeCredential with its parameters changed.
    static func make(_ change: (inout CBORMap) -> Void) throws -> [UInt8] {
        var map = try #require(try map(make.dropFirst()))
        change(&map)
        return [1] + map.encoded()
    }

    /// The same parameters with their keys in the wrong order.
    static func unsorted() throws -> [UInt8] {
        let map = try #require(try map(make.dropFirst()))
        return [1, 0xA0 | UInt8(map.count)] + map.entries.reversed().flatMap { $0.key.encoded() + $0.value.encoded() }
    }

    static func assert(_ id: [UInt8], transports: [String]? = nil) -> [UInt8] {
        var descriptor: CBORMap = ["id": .bytes(id), "type": "public-key"]
        descriptor["transports"] = transports.map { .array($0.map { .text($0) }) }
        return [2]
            + ([
                1: .text(site), 2: .bytes([UInt8](repeating: 7, count: 32)), 3: [.map(descriptor)],
            ] as CBORMap).encoded()
    }

    /// The credential ID in an answer to makeCredential.
    static func id(_ answer: [UInt8]) throws -> [UInt8] {
        let data = try #require(try Ask.map(answer.dropFirst())?[2]?.bytesValue)
        let count = Int(data[53]) << 8 | Int(data[54])
        return Array(data[55..<55 + count])
    }
}

extension PhoneObservation {
    /// The linking map that came in an update before the answer to a second request; nil without one.
    private static func update(_ meeting: PhoneMeeting) async throws -> TunnelSession.Update? {
        let session = try await meeting.ready()
        _ = try await session.ask(Ask.make)
        // A phone may have sent its shutdown.
        _ = try? await session.ask(Ask.none)
        return await session.updates.first
    }

    private static func link(_ meeting: PhoneMeeting) async throws -> CBORMap? {
        guard let update = try await update(meeting) else { return nil }
        return try Ask.map(update.payload)?[1]?.mapValue
    }

    private static let firstMessage = { @Sendable (key: Int) in
        PhoneObservation { meeting in
            let message = try await meeting.first()
            return try Ask.map(message)?[key]?.diagnostic() ?? "none"
        }
    }

    private static func getInfo(_ key: Int) -> Self {
        Self { meeting in
            let info = try Ask.map(try await meeting.first())?[1]?.bytesValue ?? []
            return try Ask.map(info)?[key]?.diagnostic() ?? "none"
        }
    }

    private static let linking = { @Sendable (code: TestCode) in code.with(InvitationKey.linking, true) }

    /// The observation of each quirk, and its result where the quirk is.
    static func noticing(_ quirk: PhoneQuirk) -> (observation: Self, shows: String) {
        switch quirk {
        case .domainApple: (Self { "\($0.plaintext[14...])" }, "[1, 0]")
        case .uuidFDE2: (Self { "\($0.advert.service == .google)" }, "true")
        case .noSuffix:
            (
                Self(change: { $0.with(InvitationKey.channels, [0, 1]) }) { "\($0.advert.serviceData.count - 20)" },
                "0"
            )
        case .advertEach100ms: (Self { "\(try await $0.pauses.next() ?? .zero)" }, "0.1 seconds")
        case .advertises20Seconds:
            (
                Self(advertLimit: .milliseconds(200)) {
                    try await $0.pass(50)
                    return "advertises on"
                }, "silent"
            )
        case .noLinking: (Self(change: linking) { try await link($0) == nil ? "none" : "a link" }, "none")
        case .dropsWhenDeclined: (Self(declines: true) { try await $0.ready().status(Ask.make) }, "closed")
        case .silentGetInfo:
            (
                Self { meeting in
                    let session = try await meeting.ready()
                    try await session.send(1, [4])
                    let answer = try await session.ask(Ask.make)
                    return try Ask.map(answer.dropFirst())?[1]?.textValue ?? "getInfo"
                }, "packed"
            )
        case .wantsNames:
            (
                Self { try await $0.ready().status(Ask.make { $0[2] = ["id": "conformance.example"] }) },
                "0x14"
            )
        case .passesOverUSB:
            (
                Self { meeting in
                    let session = try await meeting.ready()
                    let id = try Ask.id(await session.ask(Ask.make))
                    return try await session.status(Ask.assert(id, transports: ["usb"]))
                }, "0x2e"
            )
        case .onePerAccount:
            (
                Self { meeting in
                    let session = try await meeting.ready()
                    let request = try Ask.make { $0[7] = ["uv": true] }
                    let id = try Ask.id(await session.ask(request))
                    _ = try await session.ask(request)
                    return try await session.status(Ask.assert(id))
                }, "0x2e"
            )
        case .getInfoICloud: (getInfo(3), "h'f24a8e70d0d3f82c293732523cc4de5a'")
        case .featuresWithDC: (firstMessage(3), #"["ctap", "dc"]"#)
        case .getInfoAndroid: (getInfo(3), "h'00000000000000000000000000000000'")
        case .devicePubKey: (getInfo(2), #"["devicePubKey", "prf"]"#)
        case .updateOf512: (Self { "\(try await update($0)?.paddedByteCount ?? 0)" }, "544")
        case .endsAtUnknown: (Self { try await $0.ready().status([0x0B]) }, "closed")
        case .linkWith999: (Self(change: linking) { "\(try await link($0)?[999] != nil)" }, "true")
        case .strictOrder: (Self { try await $0.ready().status(Ask.unsorted()) }, "0x12")
        case .refusesChannelList:
            (
                Self(change: { $0.with(InvitationKey.channels, [0]) }) { $0.path.isEmpty ? "" : "opens" },
                "refused: key 6 of its QR code is an array"
            )
        case .revision0:
            (
                Self(change: { $0.with(InvitationKey.linking, nil) }) {
                    let message = try await $0.first()
                    return "\(try FirstMessage(decoding: message.span).revision)"
                }, "padded"
            )
        case .lowerCaseTunnel: (Self { "\($0.path == $0.path.lowercased())" }, "true")
        case .findsCodeInText: (Self(shown: { "see \($0) now" }) { $0.path.isEmpty ? "" : "opens" }, "opens")
        case .anySecret:
            (
                Self(change: { $0.with(InvitationKey.secret, .bytes([UInt8](repeating: 1, count: 8))) }) { _ in
                    "opens"
                }, "opens"
            )
        case .timeInNonce: (Self { "\($0.plaintext[9..<11] == [0, 0])" }, "true")
        case .takesHandshakePayload:
            (
                Self { meeting in
                    _ = try await meeting.session(payload: [1])
                    return "answers"
                }, "answers"
            )
        case .sendsShutdown:
            (
                Self { meeting in
                    let session = try await meeting.ready()
                    _ = try await session.ask(Ask.make)
                    try await session.send(1, Ask.none)
                    return try await session.next() == [0] ? "shutdown" : "goes on"
                }, "shutdown"
            )
        case .endsAtPing:
            (
                Self { meeting in
                    let session = try await meeting.ready()
                    await meeting.ping()
                    return try await session.status(Ask.make)
                }, "closed"
            )
        case .other02For2E: (Self { try await $0.ready().status(Ask.none) }, "0x02")
        case .dropsUV:
            (
                Self { meeting in
                    let answer = try await meeting.ready().ask(Ask.make)
                    let data = try Ask.map(answer.dropFirst())?[2]?.bytesValue ?? []
                    return "\(data.count > 32 && data[32] & 4 == 0)"
                }, "true"
            )
        }
    }
}
