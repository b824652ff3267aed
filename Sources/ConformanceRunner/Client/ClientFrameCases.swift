internal import CBOR
internal import Noise

/// Cases of which frames a client takes: how they are padded, sealed and counted.
enum ClientFrameCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let frames = Group<ClientStage>(
        role: .client, name: "frame", source: "CTAP 2.2 section 11.5.1, encryption and padding")
    static let all = paddings + single.all + goodFrames + badFrames

    private static let paddings = (0..<Direction.blockByteCount).map { zeroCount in
        frames.behaves("padding-\(zeroCount)", "a message padded with \(zeroCount) zeros is read") { stage in
            let session = try await stage.ready()
            // An update, whose filler may be of any length, before the answer.
            try await session.send(update(zeroCount: zeroCount))
            try await stage.serve(session)
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

    private static let single = FrameCases<ClientStage>(
        group: frames,
        turn: { stage in
            let (session, answer) = try await stage.asked()
            return (session, [MessageType.ctap] + answer)
        },
        complete: { stage, session in try await stage.finish(session) })

    private static let goodFrames = [
        frames.behaves("padded-length", "a client's frames are padded to multiples of 32 bytes", .disputed) { stage in
            let session = try await stage.ready()
            _ = try await stage.request(session)
            let byteCount = await session.frames[0].count - Direction.tagByteCount
            throw Observation("its request has 32k + \(byteCount % Direction.blockByteCount) bytes")
        }
    ]

    private static let badFrames = [
        single.refuses("counter-repeated", "no counter is used twice") { session, message in
            await session.change { $0.counter = 0 }
            try await session.send(message)
        },
        single.refuses("own-key", "a frame sealed with the client's own key is none of the authenticator's") {
            session, message in
            let key = session.keys.clientToAuthenticator
            await session.change { $0.key = key }
            try await session.send(message)
        },
        single.refuses("reflected", "the client's own request is no answer to it") { session, _ in
            await session.socket.send(await session.frames[0])
        },
        single.refuses("text", "a sealed message is binary") { session, message in
            let frame = try await session.seal(message)
            await session.socket.send(WireFrame(opcode: WireFrame.Opcode.text, payload: frame))
        },
        frames.refuses("first-message-replayed", "a frame counts once") { stage in
            let session = try await stage.connected()
            let frame = try await session.seal(ClientStage.firstMessage.encoded())
            await session.socket.send(frame)
            _ = try await stage.request(session)
            await session.socket.send(frame)
            try await stage.givesUp(session)
        },
    ]
}
