/// One thing that can be wrong with a sealed frame: the same on every channel, and in both directions.
struct FrameMistake<End: MessageEnd>: Sendable {
    typealias Send = @Sendable (ScriptedSession<End>, [UInt8]) async throws -> Void

    let name: String
    /// The behaviour that is demanded of the peer, as in ``ConformanceCase``.
    let requirement: String
    /// The ID of its rule.
    let rule: String
    /// Sends the message that is due, wrongly.
    let send: Send

    init(_ name: String, _ requirement: String, rule: String, _ send: @escaping Send) {
        self.name = name
        self.requirement = requirement
        self.rule = rule
        self.send = send
    }

    /// All of them.
    static var all: [Self] {
        malformed(FrameMalformations.frames) { session, message, damage in
            await session.socket.send(try damage(await session.seal(message)))
        }
            + malformed(FrameMalformations.plaintexts) { session, message, damage in
                try await session.send(padded: damage(message))
            } + [
                Self("plaintext", "refuse a message that is not sealed", rule: "HT-FRM-16") { session, message in
                    await session.socket.send(Direction.padded(message))
                },
                Self("counter-skipped", "refuse a frame whose counter skips a value", rule: "HT-FRM-18") {
                    session, message in
                    await session.change { $0.counter += 1 }
                    try await session.send(message)
                },
                Self("zero-key", "refuse a frame sealed with a key of zeros", rule: "HT-FRM-19") {
                    session, message in
                    await session.change { $0.key = [UInt8](repeating: 0, count: 32) }
                    try await session.send(message)
                },
                Self("padding-only", "refuse an empty message", rule: "HT-MSG-18") { session, _ in
                    try await session.send([UInt8]())
                },
            ]
    }

    private static func malformed(
        _ malformations: [Malformation<[UInt8], [UInt8]>],
        send: @escaping @Sendable (ScriptedSession<End>, [UInt8], ([UInt8]) throws -> [UInt8]) async throws -> Void
    ) -> [Self] {
        malformations.compactMap { malformation in
            malformation.test.map { test in
                Self(test.name, test.requirement, rule: malformation.rule) {
                    try await send($0, $1, malformation.apply)
                }
            }
        }
    }
}
