internal import Noise

/// Cases of which frames an authenticator takes: how they are padded, sealed and counted.
enum AuthenticatorFrameCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let frames = Group<AuthenticatorStage>(
        role: .authenticator, name: "frame", source: "CTAP 2.2 section 11.5.1, encryption and padding")
    static let all = paddings + single.all + goodFrames + badFrames

    // MARK: - Padding

    private static let makeCredential: @Sendable (Int) throws -> [UInt8] = { zeroCount in
        let shortest = try AuthenticatorStage.makeCredential(name: "")
        // A name of up to 23 letters has a head of one byte, one of up to 255 a head of two; so there are two that fit.
        for length in 24..<24 + 2 * Direction.blockByteCount {
            let request = try AuthenticatorStage.makeCredential(name: String(repeating: "a", count: length))
            let byteCount = request.count + 1
            if Direction.blockByteCount - 1 - byteCount % Direction.blockByteCount == zeroCount { return request }
        }
        return shortest
    }

    private static let paddings = (0..<Direction.blockByteCount).map { zeroCount in
        frames.behaves("padding-\(zeroCount)", "a message padded with \(zeroCount) zeros is read") { stage in
            try await stage.complete(stage.ready(), request: makeCredential(zeroCount))
        }
    }

    // MARK: - Other frames

    private static let single = FrameCases<AuthenticatorStage>(
        group: frames,
        turn: { stage in (try await stage.ready(), try [MessageType.ctap] + AuthenticatorStage.makeCredential()) },
        complete: { stage, session in try await stage.completeAnswer(session) })

    private static let goodFrames = [
        single.reads("padding-63", "more padding than needed is read", .disputed) {
            Direction.padded($0, zeroCount: 63)
        },
        frames.behaves("old-construction", "a client of early caBLE v2.0 is understood", .disputed) { stage in
            let session = try await stage.ready()
            await session.change { $0.construction = .old }
            try await stage.complete(session)
        },
    ]

    private static let badFrames = [
        single.refuses("15-bytes", "a frame has at least the 16 bytes of its tag") { session, _ in
            await session.socket.send([UInt8](repeating: 0, count: 15))
        },
        single.refuses("counter-last", "a frame with the counter 2^24 - 1 is not the first") { session, message in
            await session.change { $0.counter = (1 << 24) - 1 }
            try await session.send(message)
        },
        single.refuses("own-key", "a frame sealed with the authenticator's own key is none of the client's") {
            session, message in
            let key = session.keys.authenticatorToClient
            await session.change { $0.key = key }
            try await session.send(message)
        },
        single.refuses("reflected", "the authenticator's own first frame is none of the client's") { session, _ in
            await session.socket.send(await session.frames[0])
        },
        single.refuses("padding-count-255", "a padding count of 255 does not fit 32 bytes") { session, message in
            try await session.send(padded: message.prefix(31) + [255])
        },
        single.refuses("padding-count-zero-only", "a message is not empty, even without padding") { session, _ in
            try await session.send(padded: [0])
        },
        frames.refuses("replayed", "a frame counts once") { stage in
            let session = try await stage.ready()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorStage.makeCredential())
            await session.socket.send(frame)
            _ = try await stage.answer(session)
            await session.socket.send(frame)
            try await stage.givesUp(session)
        },
        frames.refuses("text", "a sealed message is binary", source: "CTAP 2.3 section 11.5.1.1.1") { stage in
            let session = try await stage.ready()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorStage.makeCredential())
            await session.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: frame))
            try await stage.givesUp(session)
        },
    ]
}
