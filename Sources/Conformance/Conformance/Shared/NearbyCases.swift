internal import Cryptography

/// Cases of how messages travel on an L2CAP channel: the same for authenticators and clients.
///
/// The mark of a message's end is disputed: libwebauthn, the only implementation that was tested against phones, ends
/// each in 0D 0A; ucabled makes each an SDU (HT-BLE-17 to HT-BLE-19).
enum NearbyCases {
    static func all<Context: NearbyTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        let group = CaseGroup<Context>(role: role, name: "l2cap", rule: "HT-BLE-16", profile: .l2cap)
        return sessions(group) + terminators(group) + late(group) + NearbyMistakeCases.all(group)
            + NearbyLossCases.all(group)
    }

    /// A way to send all messages of a session.
    private typealias Framing = (
        name: String, requirement: String, rule: String, manner: NearbyEnd.Manner
    )

    private static let framings: [Framing] = [
        ("terminated", "read messages that end in 0D 0A", "HT-BLE-18", NearbyEnd.terminated),
        ("bare", "read messages that are SDUs without a terminator", "HT-BLE-19", NearbyEnd.bare),
        (
            "terminator-apart", "read a terminator in an SDU of its own", "HT-BLE-18",
            { [$0, NearbyEnd.terminator] }
        ),
        (
            "terminator-cut", "read a terminator that is split between two SDUs", "HT-BLE-18",
            { [$0 + [0x0D], [0x0A]] }
        ),
        (
            "terminator-in-bytes", "read a terminator that arrives in SDUs of one byte", "HT-BLE-18",
            { [$0, [0x0D], [0x0A]] }
        ),
        (
            "bare-pieces", "read a message without a terminator from several SDUs", "HT-BLE-19",
            { NearbyEnd.cut($0, 40) }
        ),
        (
            "double-terminator", "skip an empty message between two others", "HT-BLE-24",
            { [$0 + NearbyEnd.terminator + NearbyEnd.terminator] }
        ),
        (
            "leading-terminator", "skip a terminator before the first message", "HT-BLE-24",
            { [NearbyEnd.terminator + $0] }
        ),
    ]

    /// The lengths of SDUs in which a stream of messages is sent, in bytes.
    private static let pieceLengths: [Int] = [1, 2, 3, 16, 23, 31, 32, 48, 64, 79, 80, 81, 82]

    private static let pieces: [Framing] = pieceLengths.map { byteCount -> Framing in
        let requirement = "read a message from SDUs of \(byteCount) bytes"
        return ("pieces-of-\(byteCount)", requirement, "HT-BLE-20", NearbyEnd.pieces(of: byteCount))
    }

    private static func sessions<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        (framings + pieces).map { framing in
            group.behaves(
                "framing-\(framing.name)", framing.requirement, rule: framing.rule
            ) { context in
                let handshake = try await context.atNearbyHandshake(framing.manner, ephemeral: nil)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            }
        }
    }

    /// A placement of the bytes 0D 0A within a frame whose filler we choose.
    private typealias TerminatorPlacement = (
        name: String, requirement: String, places: @Sendable (_ filler: Range<Int>) -> [Int]
    )

    private static let placements: [TerminatorPlacement] = [
        ("inside", "not take 0D 0A inside a frame for its end", { [$0.lowerBound + 5] }),
        (
            "at-block-end", "not take 0D 0A for the end of a frame where a shorter one would end",
            { $0.filter { $0 % Direction.blockByteCount == Direction.tagByteCount } }
        ),
        (
            "everywhere", "read a frame that is full of 0D 0A",
            { Array(stride(from: $0.lowerBound, to: $0.upperBound - 1, by: NearbyEnd.terminator.count)) }
        ),
    ]

    private static func terminators<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases
    {
        placements.map { placement in
            group.behaves(
                "terminator-\(placement.name)", placement.requirement, rule: "HT-BLE-22"
            ) { context in
                let turn = try await context.atNearbyTurn(NearbyEnd.terminated)
                let message = try Self.message(of: turn, await turn.session.outgoing, placement)
                try await turn.session.send(message)
                try await turn.completeHolding()
            }
        } + [
            group.behaves(
                "terminator-in-handshake", "not take 0D 0A inside a handshake message for its end",
                rule: "HT-BLE-23"
            ) {
                context in
                let handshake = try await context.atNearbyHandshake(NearbyEnd.terminated, ephemeral: keyWithTerminator)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            },
            group.behaves(
                "terminator-half-at-end", "read a frame whose last byte is 0D", rule: "HT-BLE-18"
            ) { context in
                let turn = try await context.atNearbyTurn(NearbyEnd.terminated)
                var message = try turn.holding(randomBytes(count: NearbyTurn.fillerByteCount))
                // One frame in 256 ends so.
                for _ in 0..<attemptLimit {
                    if try await turn.session.preview(message).last == NearbyEnd.terminator[0] { break }
                    message = try turn.holding(randomBytes(count: NearbyTurn.fillerByteCount))
                }
                try await turn.session.send(message)
                try await turn.completeHolding()
            },
        ]
    }

    private static let attemptLimit = 4_000
    /// A private key whose public key holds 0D 0A: the least, 600.
    private static let keyWithTerminator: [UInt8] = [UInt8](repeating: 0, count: 30) + [0x02, 0x58]

    /// A message whose frame, if it is sealed next, holds 0D 0A in these places: the keystream does not depend on it.
    private static func message(of turn: NearbyTurn, _ direction: Direction, _ placement: TerminatorPlacement) throws
        -> [UInt8]
    {
        var filler = [UInt8](repeating: 0, count: NearbyTurn.fillerByteCount)
        let blank = try turn.holding(filler)
        guard let start = blank.firstRange(of: filler)?.lowerBound else { throw NotApplicable("there is no filler") }
        let plaintext = Direction.padded(blank)
        var direction = direction
        let frame = try direction.seal(padded: plaintext)
        for place in placement.places(start..<start + filler.count) {
            for (index, byte) in zip(place..., NearbyEnd.terminator) where index - start < filler.count {
                filler[index - start] = frame[index] ^ plaintext[index] ^ byte
            }
        }
        return try turn.holding(filler)
    }

    /// Less than in the tunnel: an authenticator gives a device that has connected over Bluetooth little time to show
    /// that it is the client.
    private static let handshakeDelay = Duration.seconds(1)

    private static func late<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        [
            group.behaves(
                "late-handshake", "accept a handshake message that comes a second late", rule: "HT-HS-25"
            ) { context in
                let handshake = try await context.atNearbyHandshake(NearbyEnd.terminated, ephemeral: nil)
                try await Task.sleep(for: handshakeDelay)
                await handshake.end.send(handshake.message)
                try await handshake.complete()
            },
            group.behaves(
                "late-half", "accept the second half of a message 1.5 seconds after the first",
                rule: "HT-MSG-40"
            ) {
                context in
                let turn = try await context.atNearbyTurn(NearbyEnd.terminated)
                let sdus = NearbyEnd.cut(try await turn.session.seal(turn.message) + NearbyEnd.terminator, 60)
                await turn.session.socket.send(sdu: sdus[0])
                try await Task.sleep(for: UpgradeCases.delay)
                for sdu in sdus.dropFirst() { await turn.session.socket.send(sdu: sdu) }
                try await turn.completeMessage()
            },
        ]
    }
}

/// Cases of hostile and lost peers on an L2CAP channel: the same for authenticators and clients.
enum NearbyLossCases {
    static func all<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        NearbyPlace.allCases.flatMap { place in losses.map { lost($0, place, group) } }
            + [NearbyPlace.connected, .ready].flatMap { place in floods.map { lost($0, place, group) } }
    }

    /// A way in which the other device stops.
    private typealias Loss = (
        name: String, requirement: String, rule: String,
        lose: @Sendable (NearbyEnd) async -> Void
    )

    private static let losses: [Loss] = [
        (
            "close", "end in bounded time when the other device closes the channel", "HT-MSG-38",
            { await $0.close() }
        ),
        (
            "silence", "end in bounded time when the other device sends nothing more", "HT-MSG-39",
            { _ in }
        ),
        (
            "half-and-close", "end in bounded time when the channel closes inside a message",
            "HT-MSG-38",
            {
                await $0.send(sdu: [UInt8](repeating: 4, count: 40))
                await $0.close()
            }
        ),
        (
            "half-and-silence", "end in bounded time when half a message arrives", "HT-MSG-39",
            { await $0.send(sdu: [UInt8](repeating: 4, count: 40)) }
        ),
        (
            "noise", "end in bounded time on 1,000 random bytes", "HT-BLE-26",
            { await $0.send(sdu: noise(1_000)) }
        ),
    ]

    private static let floods: [Loss] = [
        (
            "long-sdu", "end in bounded time on an SDU longer than its MTU", "HT-BLE-27",
            { await $0.send(sdu: noise(NearbyEnd.longestSDU + 1)) }
        ),
        (
            "longest-sdu", "end in bounded time on an SDU of 65,535 bytes", "HT-BLE-27",
            { await $0.send(sdu: noise(65_535)) }
        ),
        (
            "empty-sdu", "end in bounded time on an empty SDU", "HT-BLE-27",
            { await $0.send(sdu: []) }
        ),
        (
            "terminators-only", "end in bounded time on 1,000 terminators without a message",
            "HT-BLE-27",
            { end in for _ in 0..<1_000 { await end.send(sdu: NearbyEnd.terminator) } }
        ),
        (
            "single-bytes", "end in bounded time on 10,000 SDUs of one byte", "HT-BLE-27",
            { end in for byte in noise(10_000) { await end.send(sdu: [byte]) } }
        ),
        (
            "endless", "end in bounded time on 3 MB without the end of a message", "HT-BLE-27",
            { end in for _ in 0..<3 << 6 { await end.send(sdu: noise(NearbyEnd.longestSDU)) } }
        ),
    ]

    private static func lost<Context: NearbyTestContext>(
        _ loss: Loss, _ place: NearbyPlace, _ group: CaseGroup<Context>
    ) -> ScriptedCase<Context> {
        group.survives(
            "\(place.rawValue)-\(loss.name)", "\(loss.requirement) (\(place.rawValue.words))", rule: loss.rule
        ) { context in
            let end = try await context.reach(place)
            // A peer that reads nothing more, since it has ended, must not hold the case.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await loss.lose(end) }
                try await context.endsAfter(end)
                group.cancelAll()
            }
        }
    }

    /// Pseudorandom bytes, the same each time.
    private static func noise(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
    }
}
