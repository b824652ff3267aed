internal import CTAP
internal import Encodings
internal import HybridProtocol
internal import PasskeyAuthenticator

/// One session of an emulated phone.
struct PhoneSession: Sendable {
    let phone: EmulatedPhone
    let code: ScannedCode

    private typealias MessageType = SessionMessageType
    private static let timeout = Duration.seconds(120)
    private static let answerOfNone: JSONValue = ["error": "NO_CREDENTIAL"]

    /// True where messages have no type byte (HT-MSG-45).
    private var isOld: Bool { phone.has(.revision0) && code.map[InvitationKey.linking] == nil }

    /// Shakes hands, and answers requests to the end.
    func serve(_ end: some MessageEnd, _ message: [UInt8], _ presharedKey: [UInt8]) async throws {
        let (response, keys) = try AuthenticatorHandshake.answer(
            message, client: code.publicKey, presharedKey: presharedKey,
            takesPayload: phone.has(.takesHandshakePayload))
        await end.send(response)
        phone.observe(.connected(isNearby: end is NearbyEnd))
        let session = ScriptedSession(end, keys, asClient: false, timeout: Self.timeout)
        do {
            try await greet(session)
            try await answer(session, keys.handshakeHash)
        } catch let closed as WebSocketEnd.Closed {
            phone.observe(.ended("the client closed the \(closed.channel)"))
            await end.drop()
        }
    }

    private func greet(_ session: ScriptedSession<some MessageEnd>) async throws {
        var map: CBORMap = [1: .bytes(PhoneGetInfo(phone).encoded())]
        if phone.has(.featuresWithDC) { map[3] = ["ctap", .text(DigitalCredentialMessages.feature)] }
        guard isOld else { return try await session.send(map.encoded()) }
        // HT-MSG-42: zeros, and their count in two bytes.
        let zeroCount = 64
        try await session.send(map.encoded() + [UInt8](repeating: 0, count: zeroCount) + [UInt8(zeroCount), 0])
    }

    private func answer(_ session: ScriptedSession<some MessageEnd>, _ handshakeHash: [UInt8]) async throws {
        var hasUpdated = false
        while true {
            let message = try await session.next("a request")
            let request: [UInt8]
            switch isOld ? MessageType.ctap : message.first {
            case MessageType.shutdown?: return await end(session, "the client's shutdown")
            case MessageType.update?: continue
            case MessageType.json? where phone.has(.featuresWithDC):
                let answer = DigitalCredentialMessages.answer(Self.answerOfNone)
                try await session.send(MessageType.json, Array(answer.utf8))
                continue
            case MessageType.ctap?: request = isOld ? message : Array(message.dropFirst())
            default: return await end(session, "a message of type \(message.first.map(String.init) ?? "none")")
            }
            switch await PhoneAnswer(phone: phone).answer(to: request) {
            case .silence: phone.observe(.answered(command: request.first ?? 0, status: nil))
            case .end:
                phone.observe(.answered(command: request.first ?? 0, status: nil))
                return await end(session, "it ends the session")
            case .answer(let answer):
                try await session.send(isOld ? answer : [MessageType.ctap] + answer)
                phone.observe(.answered(command: request.first ?? 0, status: answer.first))
            }
            if !isOld, !hasUpdated, let update = try update(handshakeHash) {
                try await session.send(update)
                hasUpdated = true
            }
            if phone.has(.sendsShutdown) {
                try await session.send(MessageType.shutdown)
                return await end(session, "its shutdown")
            }
        }
    }

    private func end(_ session: ScriptedSession<some MessageEnd>, _ why: String) async {
        await session.socket.close()
        phone.observe(.ended(why))
    }

    /// The update that comes after the first answer; nil for none.
    private func update(_ handshakeHash: [UInt8]) throws -> [UInt8]? {
        var map: CBORMap?
        if code.map[InvitationKey.linking] == true, !phone.has(.noLinking) {
            var linking = try TestLink().map(LinkableSession(client: code.publicKey, handshakeHash: handshakeHash))
            if phone.has(.linkWith999) { linking[999] = 0 }
            map = linking
            phone.observe(.linkOffered)
        }
        guard !phone.has(.updateOf512) else { return TestLink.update(map) }
        return map.map { [MessageType.update] + ([1: .map($0)] as CBORMap).encoded() }
    }
}

/// The answer of an emulated phone to authenticatorGetInfo.
struct PhoneGetInfo: Sendable {
    private let phone: EmulatedPhone

    /// iCloud Keychain's.
    private static let appleAAGUID: [UInt8] = [
        0xF2, 0x4A, 0x8E, 0x70, 0xD0, 0xD3, 0xF8, 0x2C, 0x29, 0x37, 0x32, 0x52, 0x3C, 0xC4, 0xDE, 0x5A,
    ]
    private static let versions: CBORValue = ["FIDO_2_0", "FIDO_2_1"]

    init(_ phone: EmulatedPhone) { self.phone = phone }

    func encoded() -> [UInt8] {
        if phone.has(.getInfoICloud) {
            let options: CBORMap = ["jsonMessages": true, "rk": true, "uv": true]
            return
                ([
                    1: Self.versions, 2: ["largeBlob", "prf"], 3: .bytes(Self.appleAAGUID), 4: .map(options),
                ] as CBORMap).encoded()
        }
        guard !phone.has(.getInfoAndroid) else {
            let options: CBORMap = ["rk": true, "uv": true]
            return
                ([
                    1: Self.versions, 2: phone.has(.devicePubKey) ? ["devicePubKey", "prf"] : ["prf"],
                    3: .bytes([UInt8](repeating: 0, count: 16)), 4: .map(options),
                ] as CBORMap).encoded()
        }
        let right = PasskeyAuthenticator.approvingAll().getInfo()
        guard phone.has(.devicePubKey), var map = try? CBORValue.decode(right.span).mapValue else { return right }
        map[2] = .array((map[2]?.arrayValue ?? []) + ["devicePubKey"])
        return map.encoded()
    }
}
