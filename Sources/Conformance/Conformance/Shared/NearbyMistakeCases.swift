/// Cases of mistakes on an L2CAP channel: the same for authenticators and clients.
enum NearbyMistakeCases {
    static func all<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        handshakes(group) + frames(group)
    }

    // MARK: - The handshake

    private static func handshakes<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases
    {
        func refuses(
            _ name: String, _ requirement: String, rule: String,
            message: @escaping @Sendable (NearbyHandshake) throws -> [UInt8]
        ) -> ScriptedCase<Context> {
            group.refuses("handshake-\(name)", requirement, rule: rule) { context in
                let handshake = try await context.atNearbyHandshake(NearbyEnd.terminated, ephemeral: nil)
                await handshake.end.send(try message(handshake))
                try await context.givesUp(handshake.end)
            }
        }
        return HandshakeCases.damages.filter(keepsLength).map { damage in
            refuses(damage.name, damage.requirement, rule: damage.rule) { try damage.change($0.message) }
        }
            + HandshakeCases.mistakes.filter { $0.mistake != .payload }.map { mistake in
                refuses(mistake.name, mistake.requirement, rule: mistake.rule) { try $0.wrong(mistake.mistake) }
            }
            + [
                refuses(
                    "garbage-before", "refuse a byte before the handshake message", rule: "HT-BLE-26"
                ) {
                    [0xAA] + $0.message
                },
                refuses(
                    "line-before", "refuse a line of text before the handshake message",
                    rule: "HT-BLE-26"
                ) {
                    Array("hello\r\n".utf8) + $0.message
                },
            ]
    }

    /// True if a message changed like this still has 81 bytes: a stream does not show that bytes are missing.
    private static func keepsLength(_ damage: HandshakeCases.Damage) -> Bool {
        let sample = [UInt8](repeating: 4, count: HandshakeCases.messageByteCount)
        return (try? damage.change(sample).count) == sample.count
    }

    // MARK: - Sealed frames

    private static func frames<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        func refuses(
            _ mistake: FrameMistake<NearbyEnd>
        ) -> ScriptedCase<Context> {
            group.refuses("frame-\(mistake.name)", mistake.requirement, rule: mistake.rule) { context in
                let turn = try await context.atNearbyTurn(NearbyEnd.terminated)
                let right = await turn.session.outgoing
                try await mistake.send(turn.session, turn.message)
                await turn.session.mistakeIsSent()
                // A peer that ignores the mistake finds the right frame after it.
                await turn.session.change { $0 = right }
                try await turn.session.send(turn.message)
                try await context.givesUp(turn.session)
            }
        }
        return FrameMistake<NearbyEnd>.all.map { refuses($0) } + mistakes.map { refuses($0) }
    }

    private static let mistakes = [
        FrameMistake<NearbyEnd>("reflected", "refuse its own frame", rule: "HT-FRM-19") { session, _ in
            await session.socket.send(await session.frames.last ?? [0])
        },
        FrameMistake<NearbyEnd>(
            "cut-by-terminator", "refuse a frame with a terminator inserted in it", rule: "HT-FRM-20"
        ) {
            session, message in
            let frame = try await session.seal(message)
            await session.socket.send(Array(frame.prefix(48)) + NearbyEnd.terminator + frame.dropFirst(48))
        },
        FrameMistake<NearbyEnd>(
            "first-half-alone", "refuse the first half of a frame alone", rule: "HT-FRM-20"
        ) {
            session, message in
            await session.socket.send(Array(try await session.seal(message).prefix(48)))
        },
        FrameMistake<NearbyEnd>(
            "second-half-first", "refuse the halves of a frame in the wrong order", rule: "HT-FRM-20"
        ) {
            session, message in
            let frame = try await session.seal(message)
            await session.socket.send(sdu: frame.dropFirst(40) + NearbyEnd.terminator)
            await session.socket.send(sdu: Array(frame.prefix(40)))
        },
    ]
}
