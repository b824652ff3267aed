/// Cases of one sealed frame, padded or damaged: the same for authenticators and clients.
struct FrameCases<Stage: TunnelStage>: Sendable {
    let group: Group<Stage>
    /// Goes so far that it is our turn to send, and says what.
    let turn: @Sendable (Stage) async throws -> (session: PlayedSession, message: [UInt8])
    /// Goes through the rest of a session whose message was read.
    let complete: @Sendable (Stage, PlayedSession) async throws -> Void

    typealias Pad = @Sendable ([UInt8]) -> [UInt8]
    typealias Send = @Sendable (PlayedSession, [UInt8]) async throws -> Void

    /// A message that is padded in a way of its own, and read.
    func reads(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, _ pad: @escaping Pad
    ) -> PlayedCase<Stage> {
        group.behaves(name, rule, certainty) { [turn, complete] stage in
            let (session, message) = try await turn(stage)
            try await session.send(padded: pad(message))
            try await complete(stage, session)
        }
    }

    /// A frame that is none.
    func refuses(_ name: String, _ rule: String, _ send: @escaping Send) -> PlayedCase<Stage> {
        group.refuses(name, rule) { [turn] stage in
            let (session, message) = try await turn(stage)
            let right = await session.outgoing
            try await send(session, message)
            // To whoever passes the mistake over, the right frame comes after it.
            await session.change { $0 = right }
            try await session.send(message)
            try await stage.givesUp(session)
        }
    }

    /// What every frame may and must not be.
    var all: Group<Stage>.Cases {
        Self.paddings.map { reads($0.name, $0.rule, $0.certainty, $0.pad) } + [fragments]
            + Self.mistakes.map { refuses($0.name, $0.rule, $0.send) }
    }

    private static var paddings: [(name: String, rule: String, certainty: ConformanceCase.Certainty, pad: Pad)] {
        [
            (
                "libwebauthn-padding", "a plaintext of 32k + 1 bytes is read, as libwebauthn sends it", .secondHand,
                { message in [message[0]] + Direction.padded(Array(message.dropFirst())) }
            ),
            (
                "no-padding", "a plaintext whose length is no multiple of 32 is read", .disputed,
                { Direction.padded($0, zeroCount: 0) }
            ),
            (
                "padding-255", "as much padding as a byte can count is read", .disputed,
                { Direction.padded($0, zeroCount: 255) }
            ),
            (
                "padding-not-zero", "what the padding is made of does not count", .disputed,
                { message in
                    var padded = Direction.padded(message)
                    for index in message.count..<padded.count - 1 { padded[index] = 0xAA }
                    return padded
                }
            ),
        ]
    }

    private var fragments: PlayedCase<Stage> {
        group.behaves(
            "fragments", "a sealed message may come in several WebSocket frames", source: "RFC 6455 section 5.4"
        ) { [turn, complete] stage in
            let (session, message) = try await turn(stage)
            for part in WireFrame.fragments(try await session.seal(message), byteCount: 11) {
                await session.socket.send(part)
            }
            try await complete(stage, session)
        }
    }

    private static var mistakes: [(name: String, rule: String, send: Send)] {
        [
            (
                "flipped-first-bit", "every bit of a frame is authentic: the first",
                { session, message in
                    var frame = try await session.seal(message)
                    frame[0] ^= 0x80
                    await session.socket.send(frame)
                }
            ),
            (
                "flipped-last-bit", "every bit of a frame is authentic: the last",
                { session, message in
                    var frame = try await session.seal(message)
                    frame[frame.count - 1] ^= 1
                    await session.socket.send(frame)
                }
            ),
            (
                "truncated", "a frame is whole",
                { session, message in await session.socket.send(Array(try await session.seal(message).dropLast())) }
            ),
            (
                "longer", "nothing follows a frame",
                { session, message in await session.socket.send(try await session.seal(message) + [0]) }
            ),
            ("one-byte", "a frame has at least a tag", { session, _ in await session.socket.send([0]) }),
            (
                "48-zero-bytes", "zeros are no frame",
                { session, _ in await session.socket.send([UInt8](repeating: 0, count: 48)) }
            ),
            (
                "plaintext", "a message that is not sealed is none",
                { session, message in await session.socket.send(Direction.padded(message)) }
            ),
            (
                "counter-skipped", "frames are counted without a gap",
                { session, message in
                    await session.change { $0.counter += 1 }
                    try await session.send(message)
                }
            ),
            (
                "zero-key", "a frame under a key of zeros is none",
                { session, message in
                    await session.change { $0.key = [UInt8](repeating: 0, count: 32) }
                    try await session.send(message)
                }
            ),
            (
                "empty-plaintext", "a sealed message holds at least its padding count",
                { session, _ in try await session.send(padded: []) }
            ),
            (
                "padding-count-too-large", "a padding count is less than what is there",
                { session, message in try await session.send(padded: message.prefix(31) + [32]) }
            ),
            ("padding-only", "a message is not empty", { session, _ in try await session.send([UInt8]()) }),
        ]
    }
}
