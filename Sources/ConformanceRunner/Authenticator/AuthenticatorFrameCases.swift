internal import Noise

/// Cases of which frames an authenticator takes: how they are padded, sealed and counted.
enum AuthenticatorFrameCases {
    private typealias MessageType = PlayedSession.MessageType

    private static let frames = Group<AuthenticatorStage>(
        role: .authenticator, name: "frame", source: "CTAP 2.2 section 11.5.1, encryption and padding")
    static let all = paddings + goodFrames + badFrames

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

    private static func sends(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ pad: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> PlayedCase<AuthenticatorStage> {
        frames.behaves(name, rule, certainty) { stage in
            let session = try await stage.ready()
            try await session.send(padded: pad([MessageType.ctap] + AuthenticatorStage.makeCredential()))
            try await stage.completeAnswer(session)
        }
    }

    private static let goodFrames = [
        sends("libwebauthn-padding", "a plaintext of 32k + 1 bytes is read, as libwebauthn sends it", .secondHand) {
            message in
            [message[0]] + Direction.padded(Array(message.dropFirst()))
        },
        sends("no-padding", "a plaintext whose length is no multiple of 32 is read", .disputed) {
            Direction.padded($0, zeroCount: 0)
        },
        sends("padding-63", "more padding than needed is read", .disputed) { Direction.padded($0, zeroCount: 63) },
        sends("padding-255", "as much padding as a byte can count is read", .disputed) {
            Direction.padded($0, zeroCount: 255)
        },
        sends("padding-not-zero", "what the padding is made of does not count", .disputed) { message in
            var padded = Direction.padded(message)
            for index in message.count..<padded.count - 1 { padded[index] = 0xAA }
            return padded
        },
        frames.behaves(
            "fragments", "a sealed message may come in several WebSocket frames", source: "RFC 6455 section 5.4"
        ) { stage in
            let session = try await stage.ready()
            let frame = try await session.seal([MessageType.ctap] + AuthenticatorStage.makeCredential())
            for part in WireFrame.fragments(frame, byteCount: 11) { await session.socket.send(part) }
            try await stage.completeAnswer(session)
        },
        frames.behaves("old-construction", "a client of early caBLE v2.0 is understood", .disputed) { stage in
            let session = try await stage.ready()
            await session.change { $0.construction = .old }
            try await stage.complete(session)
        },
    ]

    // MARK: - Frames that are none

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ send: @escaping @Sendable (PlayedSession, [UInt8]) async throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        frames.refuses(name, rule, certainty) { stage in
            let session = try await stage.ready()
            let right = await session.outgoing
            let request = try [MessageType.ctap] + AuthenticatorStage.makeCredential()
            try await send(session, request)
            // To whoever passes the mistake over, the right frame comes after it.
            await session.change { $0 = right }
            try await session.send(request)
            try await stage.givesUp(session)
        }
    }

    private static let badFrames = [
        refuses("flipped-first-bit", "every bit of a frame is authentic: the first") { session, message in
            var frame = try await session.seal(message)
            frame[0] ^= 0x80
            await session.socket.send(frame)
        },
        refuses("flipped-last-bit", "every bit of a frame is authentic: the last") { session, message in
            var frame = try await session.seal(message)
            frame[frame.count - 1] ^= 1
            await session.socket.send(frame)
        },
        refuses("truncated", "a frame is whole") { session, message in
            await session.socket.send(Array(try await session.seal(message).dropLast()))
        },
        refuses("longer", "nothing follows a frame") { session, message in
            await session.socket.send(try await session.seal(message) + [0])
        },
        refuses("one-byte", "a frame has at least a tag") { session, _ in await session.socket.send([0]) },
        refuses("15-bytes", "a frame has at least the 16 bytes of its tag") { session, _ in
            await session.socket.send([UInt8](repeating: 0, count: 15))
        },
        refuses("48-zero-bytes", "zeros are no frame") { session, _ in
            await session.socket.send([UInt8](repeating: 0, count: 48))
        },
        refuses("plaintext", "a message that is not sealed is none") { session, message in
            await session.socket.send(Direction.padded(message))
        },
        refuses("counter-skipped", "frames are counted from 0 without a gap") { session, message in
            await session.change { $0.counter = 1 }
            try await session.send(message)
        },
        refuses("counter-last", "a frame with the counter 2^24 - 1 is not the first") { session, message in
            await session.change { $0.counter = (1 << 24) - 1 }
            try await session.send(message)
        },
        refuses("own-key", "a frame sealed with the authenticator's own key is none of the client's") {
            session, message in
            let key = session.keys.authenticatorToClient
            await session.change { $0.key = key }
            try await session.send(message)
        },
        refuses("reflected", "the authenticator's own first frame is none of the client's") { session, _ in
            await session.socket.send(await session.frames[0])
        },
        refuses("zero-key", "a frame under a key of zeros is none") { session, message in
            await session.change { $0.key = [UInt8](repeating: 0, count: 32) }
            try await session.send(message)
        },
        refuses("empty-plaintext", "a sealed message holds at least its padding count") { session, _ in
            try await session.send(padded: [])
        },
        refuses("padding-count-too-large", "a padding count is less than what is there") { session, message in
            try await session.send(padded: message.prefix(31) + [32])
        },
        refuses("padding-count-255", "a padding count of 255 does not fit 32 bytes") { session, message in
            try await session.send(padded: message.prefix(31) + [255])
        },
        refuses("padding-only", "a message is not empty") { session, _ in try await session.send([UInt8]()) },
        refuses("padding-count-zero-only", "a message is not empty, even without padding") { session, _ in
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
