internal import HybridProtocol

/// Cases of which frames an authenticator takes: how they are padded, sealed and counted.
enum AuthenticatorFrameCases {
    private typealias MessageType = TunnelSession.MessageType

    private static let frames = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "frame", rule: "HT-FRM-3")
    static let all = paddings + single.all + goodFrames + badFrames

    // MARK: - Padding

    private static let makeCredential: @Sendable (Int) throws -> [UInt8] = { zeroCount in
        let shortest = AuthenticatorTestContext.makeCredential(name: "")
        // A name of up to 23 letters has a head of one byte, one of up to 255 a head of two; so there are two that fit.
        for length in 24..<24 + 2 * Direction.blockByteCount {
            let request = AuthenticatorTestContext.makeCredential(name: String(repeating: "a", count: length))
            let byteCount = request.count + 1
            if Direction.blockByteCount - 1 - byteCount % Direction.blockByteCount == zeroCount { return request }
        }
        return shortest
    }

    private static let paddings = (0..<Direction.blockByteCount).map { zeroCount in
        frames.behaves("padding-\(zeroCount)", "read a message padded with \(zeroCount) zeros") { context in
            try await context.complete(context.ready(), request: makeCredential(zeroCount))
        }
    }

    // MARK: - Other frames

    private static let single = FrameCases<AuthenticatorTestContext>(
        group: frames,
        turn: { context in
            (try await context.ready(), [MessageType.ctap] + AuthenticatorTestContext.makeCredential())
        },
        complete: { context, session in try await context.completeAnswer(session) })

    private static let goodFrames = [
        single.reads("padding-63", "read a message with more padding than needed", rule: "HT-FRM-8") {
            Direction.padded($0, zeroCount: 63)
        }
    ]

    private static let badFrames = [
        single.refuses("15-bytes", "refuse a frame of 15 bytes: the tag alone has 16", rule: "HT-FRM-17") {
            session, _ in
            await session.socket.send([UInt8](repeating: 0, count: 15))
        },
        single.refuses(
            "counter-last", "refuse a frame sealed with the counter 2^24 - 1 as the first one", rule: "HT-FRM-18"
        ) {
            session, message in
            await session.change { $0.counter = (1 << 24) - 1 }
            try await session.send(message)
        },
        single.refuses("own-key", "refuse a frame sealed with the authenticator's own key", rule: "HT-FRM-19") {
            session, message in
            let key = session.keys.authenticatorToClient
            await session.change { $0.key = key }
            try await session.send(message)
        },
        // Its own first frame has the current construction; HT-FRM-24 is about the client alone.
        single.refuses(
            "old-construction", "refuse a frame in the construction of early caBLE v2.0", rule: "HT-FRM-26"
        ) {
            session, message in
            await session.change { $0.construction = .old }
            try await session.send(message)
        },
        single.refuses("reflected", "refuse its own first frame", rule: "HT-FRM-19") { session, _ in
            await session.socket.send(await session.frames[0])
        },
        single.refuses(
            "padding-count-255", "refuse a padding count of 255 in a plaintext of 32 bytes", rule: "HT-FRM-5"
        ) {
            session, message in
            try await session.send(padded: message.prefix(31) + [255])
        },
        single.refuses(
            "padding-count-zero-only", "refuse an empty message without padding", rule: "HT-MSG-18"
        ) { session, _ in
            try await session.send(padded: [0])
        },
        frames.refuses("replayed", "refuse a frame that it has received before", rule: "HT-FRM-18") { context in
            let session = try await context.ready()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            await session.socket.send(frame)
            _ = try await context.answer(session)
            await session.socket.send(frame)
            try await context.givesUp(session)
        },
        frames.refuses("text", "refuse a sealed message in a text frame", rule: "HT-TUN-59") {
            context in
            let session = try await context.ready()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorTestContext.makeCredential())
            await session.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: frame))
            try await context.givesUp(session)
        },
    ]
}
