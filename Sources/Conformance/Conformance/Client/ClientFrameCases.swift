internal import Encodings
internal import HybridProtocol

/// Cases of which frames a client takes: how they are padded, sealed and counted.
enum ClientFrameCases {
    private typealias MessageType = TunnelSession.MessageType

    private static let frames = CaseGroup<ClientTestContext>(
        role: .client, name: "frame", rule: "HT-FRM-3")
    static let all = paddings + single.all + goodFrames + badFrames

    private static let paddings = (0..<Direction.blockByteCount).map { zeroCount in
        frames.behaves("padding-\(zeroCount)", "read a message padded with \(zeroCount) zeros") { context in
            let session = try await context.ready()
            // An update, whose filler may be of any length, before the answer.
            try await session.send(update(zeroCount: zeroCount))
            try await context.serve(session)
        }
    }

    /// An update whose padding has so many zeros.
    private static func update(zeroCount: Int) -> [UInt8] {
        let block = Direction.blockByteCount
        let messages = (24..<24 + block).map { byteCount in
            [MessageType.update] + ([0: .bytes([UInt8](repeating: 0, count: byteCount))] as CBORMap).encoded()
        }
        return messages.first { block - 1 - $0.count % block == zeroCount } ?? messages[0]
    }

    private static let single = FrameCases<ClientTestContext>(
        group: frames,
        turn: { context in
            let (session, answer) = try await context.asked()
            return (session, [MessageType.ctap] + answer)
        },
        complete: { context, session in try await context.finish(session) })

    private static let goodFrames = [
        frames.behaves(
            "padded-length", "pad its frames to multiples of 32 bytes", rule: "HT-FRM-2"
        ) { context in
            let session = try await context.ready()
            _ = try await context.request(session)
            let byteCount = await session.frames[0].count - Direction.tagByteCount
            throw ObservedBehaviour("its request has 32k + \(byteCount % Direction.blockByteCount) bytes")
        }
    ]

    private static let badFrames = [
        single.refuses("counter-repeated", "refuse a counter that was used before", rule: "HT-FRM-18") {
            session, message in
            await session.change { $0.counter = 0 }
            try await session.send(message)
        },
        single.refuses("own-key", "refuse a frame sealed with the client's own key", rule: "HT-FRM-19") {
            session, message in
            let key = session.keys.clientToAuthenticator
            await session.change { $0.key = key }
            try await session.send(message)
        },
        single.refuses("reflected", "refuse its own request as an answer", rule: "HT-FRM-19") { session, _ in
            await session.socket.send(await session.frames[0])
        },
        single.refuses("text", "refuse a sealed message in a text frame", rule: "HT-TUN-59") {
            session, message in
            let frame = try await session.seal(message)
            await session.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: frame))
        },
        frames.refuses(
            "first-message-replayed", "refuse a frame that it has received before", rule: "HT-FRM-18"
        ) { context in
            let session = try await context.connected()
            let frame = try await session.seal(ClientTestContext.firstMessage.encoded())
            await session.socket.send(frame)
            _ = try await context.request(session)
            await session.socket.send(frame)
            try await context.givesUp(session)
        },
    ]
}
