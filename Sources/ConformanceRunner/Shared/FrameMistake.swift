/// One thing that can be wrong with a sealed frame: the same on every channel, and in both directions.
struct FrameMistake<End: MessageEnd>: Sendable {
    typealias Send = @Sendable (SessionOn<End>, [UInt8]) async throws -> Void

    let name: String
    /// What it breaks, in a sentence.
    let rule: String
    /// Sends the message that is due, wrongly.
    let send: Send

    init(_ name: String, _ rule: String, _ send: @escaping Send) {
        self.name = name
        self.rule = rule
        self.send = send
    }

    /// All of them.
    static var all: [Self] {
        [
            Self(
                "flipped-first-bit", "every bit of a frame is authentic: the first",
                { session, message in
                    var frame = try await session.seal(message)
                    frame[0] ^= 0x80
                    await session.socket.send(frame)
                }
            ),
            Self(
                "flipped-last-bit", "every bit of a frame is authentic: the last",
                { session, message in
                    var frame = try await session.seal(message)
                    frame[frame.count - 1] ^= 1
                    await session.socket.send(frame)
                }
            ),
            Self(
                "truncated", "a frame is whole",
                { session, message in await session.socket.send(Array(try await session.seal(message).dropLast())) }
            ),
            Self(
                "longer", "nothing follows a frame",
                { session, message in await session.socket.send(try await session.seal(message) + [0]) }
            ),
            Self("one-byte", "a frame has at least a tag", { session, _ in await session.socket.send([0]) }),
            Self(
                "48-zero-bytes", "zeros are no frame",
                { session, _ in await session.socket.send([UInt8](repeating: 0, count: 48)) }
            ),
            Self(
                "plaintext", "a message that is not sealed is none",
                { session, message in await session.socket.send(Direction.padded(message)) }
            ),
            Self(
                "counter-skipped", "frames are counted without a gap",
                { session, message in
                    await session.change { $0.counter += 1 }
                    try await session.send(message)
                }
            ),
            Self(
                "zero-key", "a frame under a key of zeros is none",
                { session, message in
                    await session.change { $0.key = [UInt8](repeating: 0, count: 32) }
                    try await session.send(message)
                }
            ),
            Self(
                "empty-plaintext", "a sealed message holds at least its padding count",
                { session, _ in try await session.send(padded: []) }
            ),
            Self(
                "padding-count-too-large", "a padding count is less than what is there",
                { session, message in try await session.send(padded: message.prefix(31) + [32]) }
            ),
            Self("padding-only", "a message is not empty", { session, _ in try await session.send([UInt8]()) }),
        ]
    }
}
