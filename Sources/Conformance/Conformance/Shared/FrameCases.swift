/// Cases of one sealed frame, padded or damaged: the same for authenticators and clients.
struct FrameCases<Context: TunnelTestContext>: Sendable {
    let group: CaseGroup<Context>
    /// Goes so far that it is our turn to send, and returns the message.
    let turn: @Sendable (Context) async throws -> (session: TunnelSession, message: [UInt8])
    /// Goes through the rest of a session whose message was read.
    let complete: @Sendable (Context, TunnelSession) async throws -> Void

    typealias Pad = @Sendable ([UInt8]) -> [UInt8]
    typealias Send = FrameMistake<WebSocketEnd>.Send

    /// A message that is padded in a way of its own, and read.
    func reads(
        _ name: String, _ requirement: String, rule: String,
        pad: @escaping Pad
    ) -> ScriptedCase<Context> {
        group.behaves(name, requirement, rule: rule) { [turn, complete] context in
            let (session, message) = try await turn(context)
            try await session.send(padded: pad(message))
            try await complete(context, session)
        }
    }

    /// A frame that is refused.
    func refuses(
        _ name: String, _ requirement: String, rule: String, _ send: @escaping Send
    ) -> ScriptedCase<Context> {
        group.refuses(name, requirement, rule: rule) { [turn] context in
            let (session, message) = try await turn(context)
            let right = await session.outgoing
            try await send(session, message)
            await session.mistakeIsSent()
            // A peer that ignores the mistake finds the right frame after it.
            await session.change { $0 = right }
            try await session.send(message)
            try await context.givesUp(session)
        }
    }

    /// All cases of a single frame.
    var all: CaseGroup<Context>.Cases {
        Self.paddings.map { reads($0.name, $0.requirement, rule: $0.rule, pad: $0.pad) } + [fragments]
            + FrameMistake<WebSocketEnd>.all.map { mistake in
                refuses(mistake.name, mistake.requirement, rule: mistake.rule, mistake.send)
            }
    }

    private static var paddings: [(name: String, requirement: String, rule: String, pad: Pad)] {
        [
            (
                "libwebauthn-padding", "read a plaintext of 32k + 1 bytes, as libwebauthn sends it",
                "HT-FRM-6",
                { message in [message[0]] + Direction.padded(Array(message.dropFirst())) }
            ),
            (
                "no-padding", "read a plaintext whose length is not a multiple of 32",
                "HT-FRM-7",
                { Direction.padded($0, zeroCount: 0) }
            ),
            (
                "padding-255", "read a message with 255 bytes of padding", "HT-FRM-8",
                { Direction.padded($0, zeroCount: 255) }
            ),
            (
                "padding-not-zero", "ignore the values of padding bytes", "HT-FRM-9",
                { message in
                    var padded = Direction.padded(message)
                    for index in message.count..<padded.count - 1 { padded[index] = 0xAA }
                    return padded
                }
            ),
        ]
    }

    private var fragments: ScriptedCase<Context> {
        group.behaves(
            "fragments", "accept a sealed message in several WebSocket frames", rule: "HT-TUN-61"
        ) { [turn, complete] context in
            let (session, message) = try await turn(context)
            for part in WireFrame.fragments(try await session.seal(message), byteCount: 11) {
                await session.socket.send(part)
            }
            try await complete(context, session)
        }
    }
}
