internal import CBOR
internal import CTAP
internal import Noise

/// Cases of which first messages a client takes.
enum ClientFirstMessageCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let first = Group<ClientStage>(
        role: .client, name: "first-message", source: "CTAP 2.2 section 11.5.1, after the handshake")

    static let all = goodFirstMessages + badFirstMessages

    /// The right first message.
    private static var right: CBORMap { ClientStage.firstMessage }

    // MARK: - First messages

    private static func takes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ message: @escaping @Sendable () -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        first.behaves(name, rule, certainty) { stage in
            try await stage.complete(stage.connected(), firstMessage: message())
        }
    }

    private static func with(_ key: CBORValue, _ value: CBORValue?) -> [UInt8] {
        var map = right
        map[key] = value
        return map.encoded()
    }

    private static let goodFirstMessages = [
        takes("get-info-alone", "a first message of getInfo alone means the feature ctap") { right.encoded() },
        takes("features-ctap", "the feature ctap may be stated") { with(3, ["ctap"]) },
        takes("features-both", "a session may carry digital credentials too", .secondHand) { with(3, ["dc", "ctap"]) },
        takes("features-unknown", "features that nobody knows are ignored", .secondHand) {
            with(3, ["future", "ctap"])
        },
        takes("filler", "key 0 is filler", .secondHand) { with(0, .bytes([UInt8](repeating: 0, count: 300))) },
        takes("unknown-key", "an unknown key is ignored", .secondHand) { with(999, true) },
        takes("unknown-text-key", "an unknown key of text is ignored", .secondHand) { with("future", 1) },
        takes("get-info-more-fields", "fields of getInfo that nobody knows are ignored") {
            let bytes = right[1]?.bytesValue ?? []
            guard case .map(var info)? = try? CBORValue.decode(bytes.span) else { return [] }
            info[0x7F] = ["future": [1, 2]]
            info[0x80] = .bytes([1, 2, 3])
            return with(1, .bytes(info.encoded()))
        },
        first.behaves(
            "revision-0", "an authenticator of caBLE v2.0 is understood: padded first message, no type bytes",
            .secondHand
        ) {
            try await revision0($0, countByteCount: 2, multiple: 512)
        },
        first.behaves("revision-0-old-padding", "so is its padding of before Chrome 99", .secondHand) {
            try await revision0($0, countByteCount: 1, multiple: 256)
        },
        first.behaves("old-construction", "an authenticator of early caBLE v2.0 is understood", .disputed) { stage in
            let session = try await stage.connected()
            await session.change { $0.construction = .old }
            await session.changeIncoming { $0.construction = .old }
            try await stage.complete(session)
        },
        first.behaves("late", "the first message may come a second and a half after the handshake") { stage in
            let session = try await stage.connected()
            try await Task.sleep(for: UpgradeCases.delay)
            try await stage.complete(session)
        },
        first.behaves("with-handshake", "the first message may come in one packet with message 2") { stage in
            let greeting = try await stage.greet(stage.meet())
            let (response, keys) = try AuthenticatorHandshake.answer(
                greeting.message, client: greeting.code.publicKey, presharedKey: greeting.presharedKey)
            let session = PlayedSession(greeting.socket, keys, asClient: false, patience: stage.peer.patience)
            let frame = try await session.seal(right.encoded())
            await greeting.socket.send(raw: WireFrame(payload: response).bytes() + WireFrame(payload: frame).bytes())
            try await stage.serve(session)
        },
    ]

    private static func revision0(_ stage: ClientStage, countByteCount: Int, multiple: Int) async throws {
        let session = try await stage.connected()
        let message = right.encoded()
        let zeroCount = multiple - 1 - (message.count + countByteCount - 1) % multiple
        let count = (0..<countByteCount).map { UInt8(truncatingIfNeeded: zeroCount >> (8 * $0)) }
        try await session.send(message + [UInt8](repeating: 0, count: zeroCount) + count)
        let request = try await session.next("its request")
        try await session.send(await ClientStage.answer(to: request))
        // Revision 0 knows no shutdown: the client closes.
        try await session.ends()
        try await stage.peer.succeeded()
    }

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ message: @escaping @Sendable () -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        first.refuses(name, rule, certainty) { stage in
            let session = try await stage.connected()
            try await session.send(message())
            try await stage.givesUp(session)
        }
    }

    private static let badFirstMessages = [
        refuses("empty", "the first message is not empty") { [] },
        refuses("empty-map", "a session without features has getInfo") { [0xA0] },
        refuses("no-get-info", "the feature ctap comes with getInfo") { with(1, nil) },
        refuses("ctap-without-get-info", "the stated feature ctap comes with getInfo") {
            ([3: ["ctap"]] as CBORMap).encoded()
        },
        refuses("get-info-without-ctap", "getInfo comes with the feature ctap") { with(3, ["dc"]) },
        refuses("no-features", "getInfo comes with the feature ctap, not with no features") { with(3, []) },
        refuses("digital-credentials-alone", "a session without ctap takes no CTAP request") {
            ([3: ["dc"]] as CBORMap).encoded()
        },
        refuses("array", "the first message is a map") { [0x81, 0x01] },
        refuses("number", "the first message is a map, not a number") { [0x01] },
        refuses("get-info-no-bytes", "getInfo is wrapped in bytes") { with(1, ["versions": 1]) },
        refuses("get-info-with-status", "getInfo has no status byte") {
            with(1, .bytes([0] + (right[1]?.bytesValue ?? [])))
        },
        refuses("features-text", "features are a list", .secondHand) { with(3, "ctap") },
        refuses("features-numbers", "features are text", .secondHand) { with(3, [1, 2]) },
        refuses("features-number-beside", "all features are text", .secondHand) { with(3, ["ctap", 1]) },
        refuses("truncated", "the first message is whole") { right.encoded().dropLast() },
        refuses("trailing-bytes", "nothing but a padding of revision 0 follows the map") {
            right.encoded() + [1, 2, 3]
        },
        refuses("typed", "the first message has no type byte") { [MessageType.update] + right.encoded() },
        refuses("indefinite-map", "the first message is canonical CBOR", .secondHand) {
            [0xBF] + right.encoded().dropFirst() + [0xFF]
        },
        refuses("deep-nesting", "nobody follows a thousand arrays") { [UInt8](repeating: 0x81, count: 1_000) + [0] },
        refuses("huge-length", "nobody waits for 2^63 bytes") {
            [0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        },
    ]
}
