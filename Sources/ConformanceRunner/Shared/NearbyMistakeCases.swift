/// Cases of what is wrong on an L2CAP channel: the same for authenticators and clients.
enum NearbyMistakeCases {
    static func all<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        handshakes(group) + frames(group)
    }

    // MARK: - The handshake

    private static func handshakes<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func refuses(
            _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
            _ manner: @escaping NearbyEnd.Manner = NearbyEnd.terminated,
            _ message: @escaping @Sendable (NearbyHandshake) throws -> [UInt8]
        ) -> PlayedCase<Stage> {
            group.refuses("handshake-\(name)", rule, certainty) { stage in
                let handshake = try await stage.atNearbyHandshake(manner, ephemeral: nil)
                await handshake.end.send(try message(handshake))
                try await stage.givesUp(handshake.end)
            }
        }
        return HandshakeCases.damages.filter(keepsLength).map { damage in
            refuses(damage.name, damage.rule) { damage.change($0.message) }
        }
            + HandshakeCases.mistakes.filter { $0.mistake != .payload }.map { mistake in
                refuses(mistake.name, mistake.rule) { try $0.wrong(mistake.mistake) }
            }
            + [
                refuses("garbage-before", "a channel begins with the handshake message", .secondHand) {
                    [0xAA] + $0.message
                },
                refuses("line-before", "a line of text before the handshake message is none", .secondHand) {
                    Array("hello\r\n".utf8) + $0.message
                },
            ]
    }

    /// Whether a message that is changed so still has 81 bytes: of others, a stream cannot tell what is missing.
    private static func keepsLength(_ damage: HandshakeCases.Damage) -> Bool {
        let sample = [UInt8](repeating: 4, count: HandshakeCases.messageByteCount)
        return damage.change(sample).count == sample.count
    }

    // MARK: - Sealed frames

    private static func frames<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func refuses(
            _ mistake: FrameMistake<NearbyEnd>, _ certainty: ConformanceCase.Certainty = .certain
        ) -> PlayedCase<Stage> {
            group.refuses("frame-\(mistake.name)", mistake.rule, certainty) { stage in
                let turn = try await stage.atNearbyTurn(NearbyEnd.terminated)
                let right = await turn.session.outgoing
                try await mistake.send(turn.session, turn.message)
                // To whoever passes the mistake over, the right frame comes after it.
                await turn.session.change { $0 = right }
                try await turn.session.send(turn.message)
                try await stage.givesUp(turn.session)
            }
        }
        return FrameMistake<NearbyEnd>.all.map { refuses($0) } + mistakes.map { refuses($0, .secondHand) }
    }

    private static let mistakes = [
        FrameMistake<NearbyEnd>("reflected", "the other side's own frame is none of ours") { session, _ in
            await session.socket.send(await session.frames.last ?? [0])
        },
        FrameMistake<NearbyEnd>("cut-by-terminator", "a terminator inside of a frame spoils it") {
            session, message in
            let frame = try await session.seal(message)
            await session.socket.send(Array(frame.prefix(48)) + NearbyEnd.terminator + frame.dropFirst(48))
        },
        FrameMistake<NearbyEnd>("first-half-alone", "half a frame, with a terminator, is none") {
            session, message in
            await session.socket.send(Array(try await session.seal(message).prefix(48)))
        },
        FrameMistake<NearbyEnd>("second-half-first", "the halves of a frame have an order") {
            session, message in
            let frame = try await session.seal(message)
            await session.socket.send(sdu: frame.dropFirst(40) + NearbyEnd.terminator)
            await session.socket.send(sdu: Array(frame.prefix(40)))
        },
    ]
}
