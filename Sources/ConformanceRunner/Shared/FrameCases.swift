/// Cases of one sealed frame, padded or damaged: the same for authenticators and clients.
struct FrameCases<Stage: TunnelStage>: Sendable {
    let group: Group<Stage>
    /// Goes so far that it is our turn to send, and says what.
    let turn: @Sendable (Stage) async throws -> (session: PlayedSession, message: [UInt8])
    /// Goes through the rest of a session whose message was read.
    let complete: @Sendable (Stage, PlayedSession) async throws -> Void

    typealias Pad = @Sendable ([UInt8]) -> [UInt8]
    typealias Send = FrameMistake<WebSocketEnd>.Send

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
            + FrameMistake<WebSocketEnd>.all.map { mistake in refuses(mistake.name, mistake.rule, mistake.send) }
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
}
