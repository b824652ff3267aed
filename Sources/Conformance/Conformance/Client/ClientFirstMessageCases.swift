internal import CTAP
internal import Encodings
internal import HybridProtocol

/// Cases of which first messages a client takes.
enum ClientFirstMessageCases {
    private static let first = CaseGroup<ClientTestContext>(
        role: .client, name: "first-message", rule: "HT-MSG-5")

    static let all = goodFirstMessages + badFirstMessages

    /// The right first message.
    private static var right: CBORMap { ClientTestContext.firstMessage }
    /// The getInfo response of the right first message.
    private static var info: [UInt8] { right[1]?.bytesValue ?? [] }

    // MARK: - First messages

    private static func takes(
        _ name: String, _ requirement: String, rule: String? = nil,
        message: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        first.behaves(name, requirement, rule: rule) { context in
            try await context.complete(context.connected(), firstMessage: message())
        }
    }

    private static func with(_ key: CBORValue, _ value: CBORValue?) -> [UInt8] { right.with(key, value).encoded() }

    private static let goodFirstMessages = [
        takes("get-info-alone", "infer the feature ctap from a first message with getInfo alone", rule: "HT-MSG-6") {
            right.encoded()
        },
        takes("features-ctap", "accept the feature ctap when it is listed", rule: "HT-MSG-4") {
            with(3, ["ctap"])
        },
        takes(
            "features-both", "accept a first message with the features ctap and dc", rule: "HT-DC-2"
        ) {
            with(3, ["dc", "ctap"])
        },
        takes("features-unknown", "ignore unknown features", rule: "HT-MSG-9") {
            with(3, ["future", "ctap"])
        },
        takes("features-number-beside", "skip a number beside ctap", rule: "HT-MSG-50") {
            with(3, [1, "ctap"])
        },
        takes("filler", "ignore the filler under key 0", rule: "HT-MSG-11") {
            with(0, .bytes([UInt8](repeating: 0, count: 300)))
        },
        takes("unknown-key", "ignore an unknown key", rule: "HT-MSG-10") { with(999, true) },
        takes("unknown-text-key", "ignore an unknown text key", rule: "HT-MSG-10") {
            with("future", 1)
        },
        takes("get-info-more-fields", "ignore unknown fields of getInfo", rule: "HT-CTAP-19") {
            guard case .map(var more)? = try? CBORValue.decode(info.span) else { return [] }
            more[0x7F] = ["future": [1, 2]]
            more[0x80] = .bytes([1, 2, 3])
            return with(1, .bytes(more.encoded()))
        },
        first.behaves(
            "revision-0", "accept caBLE v2.0: a padded first message, and no type bytes", rule: "HT-MSG-45"
        ) {
            try await revision0($0, countByteCount: 2, multiple: 512)
        },
        first.behaves(
            "revision-0-old-padding", "accept the padding of caBLE v2.0 before Chrome 99",
            rule: "HT-MSG-43"
        ) {
            try await revision0($0, countByteCount: 1, multiple: 256)
        },
        first.behaves(
            "old-construction", "accept the transport construction of early caBLE v2.0",
            rule: "HT-FRM-24"
        ) {
            context in
            let session = try await context.connected()
            await session.change { $0.construction = .old }
            await session.changeIncoming { $0.construction = .old }
            try await context.complete(session)
        },
        first.behaves("late", "accept a first message 1.5 seconds after the handshake", rule: "HT-MSG-40") {
            context in
            let session = try await context.connected()
            try await Task.sleep(for: UpgradeCases.delay)
            try await context.complete(session)
        },
        first.behaves(
            "with-handshake", "read a first message that arrives in one packet with message 2", rule: "HT-TUN-30"
        ) {
            context in
            let initiated = try await context.receiveHandshake(context.rendezvous())
            let (response, keys) = try AuthenticatorHandshake.answer(
                initiated.message, client: initiated.code.publicKey, presharedKey: initiated.presharedKey)
            let session = TunnelSession(initiated.socket, keys, asClient: false, timeout: context.peer.timeout)
            let frame = try await session.seal(right.encoded())
            await initiated.socket.send(raw: WireFrame(payload: response).bytes() + WireFrame(payload: frame).bytes())
            try await context.serve(session)
        },
    ]

    private static func revision0(_ context: ClientTestContext, countByteCount: Int, multiple: Int) async throws {
        let session = try await context.connected()
        let message = right.encoded()
        let zeroCount = multiple - 1 - (message.count + countByteCount - 1) % multiple
        let count = (0..<countByteCount).map { UInt8(truncatingIfNeeded: zeroCount >> (8 * $0)) }
        try await session.send(message + [UInt8](repeating: 0, count: zeroCount) + count)
        let request = try await session.next("its request")
        try await session.send(await ClientTestContext.answer(to: request))
        // Revision 0 knows no shutdown: the client closes.
        try await session.ends()
        try await context.peer.succeeded()
    }

    private static func refuses(
        _ name: String, _ requirement: String, rule: String? = nil,
        message: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        first.refuses(name, requirement, rule: rule) { context in
            let session = try await context.connected()
            try await session.send(message())
            try await context.givesUp(session)
        }
    }

    private static let badFirstMessages =
        first.refuses(FirstMessageMalformations.all) { context, damaged in
            let session = try await context.connected()
            try await session.send(damaged(info))
            try await context.givesUp(session)
        } + [
            refuses(
                "digital-credentials-alone", "not send a CTAP request in a session without the feature ctap",
                rule: "HT-MSG-26"
            ) {
                ([3: ["dc"]] as CBORMap).encoded()
            },
            refuses("get-info-with-status", "refuse getInfo with a status byte", rule: "HT-MSG-13") {
                with(1, .bytes([0] + info))
            },
            refuses(
                "features-numbers", "refuse getInfo with features that are numbers alone",
                rule: "HT-MSG-8"
            ) {
                with(3, [1, 2])
            },
            refuses(
                "deep-nesting", "refuse 1,000 nested arrays; canonical CBOR nests 4 levels deep at most",
                rule: "HT-CBOR-19"
            ) { [UInt8](repeating: 0x81, count: 1_000) + [0] },
            refuses(
                "huge-length",
                "refuse a byte string with a stated length near 2^63, without waiting or allocating",
                rule: "HT-CBOR-18"
            ) { [0xA1, 0x01, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7) },
        ]
}
