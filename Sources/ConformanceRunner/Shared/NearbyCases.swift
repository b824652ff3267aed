internal import Cryptography

/// Cases of how messages travel on an L2CAP channel: the same for authenticators and clients.
///
/// How a message's end is marked is disputed: libwebauthn, the only implementation that was tested against phones, ends each in
/// 0D 0A; ucabled makes each an SDU (PROTOCOL.md 10).
enum NearbyCases {
    static func all<Stage: NearbyStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        let group = Group<Stage>(
            role: role, name: "l2cap", source: "CTAP 2.3 section 11.5.1.1.2, the BLE channel; libwebauthn l2cap.rs")
        return sessions(group) + terminators(group) + late(group) + NearbyMistakeCases.all(group)
            + NearbyLossCases.all(group)
    }

    /// A way to send all messages of a session.
    private typealias Framing = (
        name: String, rule: String, certainty: ConformanceCase.Certainty, manner: NearbyEnd.Manner
    )

    private static let framings: [Framing] = [
        ("terminated", "a message ends in 0D 0A", .secondHand, NearbyEnd.terminated),
        ("bare", "a message is an SDU without a terminator", .disputed, NearbyEnd.bare),
        (
            "terminator-apart", "a terminator may come in an SDU of its own", .secondHand,
            { [$0, NearbyEnd.terminator] }
        ),
        ("terminator-cut", "a terminator may come in two SDUs", .secondHand, { [$0 + [0x0D], [0x0A]] }),
        ("terminator-in-bytes", "a terminator may come a byte at a time", .secondHand, { [$0, [0x0D], [0x0A]] }),
        (
            "bare-pieces", "a message without a terminator may come in several SDUs", .disputed,
            { NearbyEnd.cut($0, 40) }
        ),
        ("other-terminator", "0A 0D ends a message too", .disputed, { [$0 + [0x0A, 0x0D]] }),
        ("zero-terminator", "a zero byte ends a message too", .disputed, { [$0 + [0]] }),
        (
            "length-prefix", "a length of two bytes before a message is passed over", .disputed,
            { prefixed($0) }
        ),
        (
            "double-terminator", "an empty message between two others is passed over", .disputed,
            { [$0 + NearbyEnd.terminator + NearbyEnd.terminator] }
        ),
        (
            "leading-terminator", "a terminator before the first message is passed over", .disputed,
            { [NearbyEnd.terminator + $0] }
        ),
    ]

    /// The lengths of SDUs in which a stream of messages is sent, in bytes.
    private static let pieceLengths: [Int] = [1, 2, 3, 16, 23, 31, 32, 48, 64, 79, 80, 81, 82]

    private static let pieces: [Framing] = pieceLengths.map { byteCount -> Framing in
        let rule = "a message may come in SDUs of \(byteCount) bytes"
        return ("pieces-of-\(byteCount)", rule, .secondHand, NearbyEnd.pieces(of: byteCount))
    }

    /// How a length of two bytes stands before a message, big-endian.
    private static func prefixed(_ message: [UInt8]) -> [[UInt8]] {
        let length: [UInt8] = [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        return [length + message]
    }

    private static func sessions<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        (framings + pieces).map { framing in
            group.behaves("framing-\(framing.name)", framing.rule, framing.certainty) { stage in
                let handshake = try await stage.atNearbyHandshake(framing.manner, ephemeral: nil)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            }
        }
    }

    /// Where the bytes 0D 0A occur inside of a frame, of whose filler we choose the bytes.
    private typealias Accident = (name: String, rule: String, places: @Sendable (_ filler: Range<Int>) -> [Int])

    private static let accidents: [Accident] = [
        ("inside", "0D 0A inside of a frame is not its end", { [$0.lowerBound + 5] }),
        (
            "at-block-end", "0D 0A where a shorter frame would end is not the end of this one",
            { $0.filter { $0 % Direction.blockByteCount == Direction.tagByteCount } }
        ),
        (
            "everywhere", "a frame may be full of 0D 0A",
            { Array(stride(from: $0.lowerBound, to: $0.upperBound - 1, by: NearbyEnd.terminator.count)) }
        ),
    ]

    private static func terminators<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        accidents.map { accident in
            group.behaves("terminator-\(accident.name)", accident.rule, .secondHand) { stage in
                let turn = try await stage.atNearbyTurn(NearbyEnd.terminated)
                let message = try Self.message(of: turn, await turn.session.outgoing, accident)
                try await turn.session.send(message)
                try await turn.completeHolding()
            }
        } + [
            group.behaves("terminator-in-handshake", "0D 0A inside of a handshake message is not its end", .secondHand)
            {
                stage in
                let handshake = try await stage.atNearbyHandshake(NearbyEnd.terminated, ephemeral: unluckyKey)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            },
            group.behaves("terminator-half-at-end", "a frame may end in 0D, before its terminator", .secondHand) {
                stage in
                let turn = try await stage.atNearbyTurn(NearbyEnd.terminated)
                var message = try turn.holding(randomBytes(count: NearbyTurn.fillerByteCount))
                // One frame in 256 ends so.
                for _ in 0..<draws {
                    if try await turn.session.preview(message).last == NearbyEnd.terminator[0] { break }
                    message = try turn.holding(randomBytes(count: NearbyTurn.fillerByteCount))
                }
                try await turn.session.send(message)
                try await turn.completeHolding()
            },
        ]
    }

    private static let draws = 4_000
    /// A private key whose public key holds 0D 0A: the least, 600.
    private static let unluckyKey: [UInt8] = [UInt8](repeating: 0, count: 30) + [0x02, 0x58]

    /// A message whose frame, if it is sealed next, holds 0D 0A in these places: what it is sealed with does not depend on it.
    private static func message(of turn: NearbyTurn, _ direction: Direction, _ accident: Accident) throws -> [UInt8] {
        var filler = [UInt8](repeating: 0, count: NearbyTurn.fillerByteCount)
        let blank = try turn.holding(filler)
        guard let start = blank.firstRange(of: filler)?.lowerBound else { throw NotApplicable("there is no filler") }
        let plaintext = Direction.padded(blank)
        var direction = direction
        let frame = try direction.seal(padded: plaintext)
        for place in accident.places(start..<start + filler.count) {
            for (index, byte) in zip(place..., NearbyEnd.terminator) where index - start < filler.count {
                filler[index - start] = frame[index] ^ plaintext[index] ^ byte
            }
        }
        return try turn.holding(filler)
    }

    private static func late<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        [
            group.behaves("late-handshake", "a handshake message may take a second and a half") { stage in
                let handshake = try await stage.atNearbyHandshake(NearbyEnd.terminated, ephemeral: nil)
                try await Task.sleep(for: UpgradeCases.delay)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            },
            group.behaves("late-half", "the second half of a message may take a second and a half", .secondHand) {
                stage in
                let turn = try await stage.atNearbyTurn(NearbyEnd.terminated)
                let sdus = NearbyEnd.cut(try await turn.session.seal(turn.message) + NearbyEnd.terminator, 60)
                await turn.session.socket.send(sdu: sdus[0])
                try await Task.sleep(for: UpgradeCases.delay)
                for sdu in sdus.dropFirst() { await turn.session.socket.send(sdu: sdu) }
                try await turn.completeMessage()
            },
        ]
    }
}
