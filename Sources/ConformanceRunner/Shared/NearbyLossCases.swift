/// Cases of hostile and lost peers on an L2CAP channel: the same for authenticators and clients.
enum NearbyLossCases {
    static func all<Stage: NearbyStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        NearbyPlace.allCases.flatMap { place in losses.map { lost($0, place, group) } }
            + [NearbyPlace.connected, .ready].flatMap { place in floods.map { lost($0, place, group) } }
    }

    /// What a peer does instead of going on.
    private typealias Loss = (
        name: String, rule: String, certainty: ConformanceCase.Certainty, lose: @Sendable (NearbyEnd) async -> Void
    )

    private static let losses: [Loss] = [
        ("close", "the other device may close the channel", .certain, { await $0.close() }),
        ("silence", "a device that says nothing more does not hold the other for ever", .certain, { _ in }),
        (
            "half-and-close", "the other device may close in the middle of a message", .certain,
            {
                await $0.send(sdu: [UInt8](repeating: 4, count: 40))
                await $0.close()
            }
        ),
        (
            "half-and-silence", "half a message does not hold the other device for ever", .certain,
            { await $0.send(sdu: [UInt8](repeating: 4, count: 40)) }
        ),
        (
            "noise", "a thousand bytes of noise end the session", .certain,
            { await $0.send(sdu: noise(1_000)) }
        ),
    ]

    private static let floods: [Loss] = [
        (
            "long-sdu", "an SDU that is longer than the MTU ends the channel", .certain,
            { await $0.send(sdu: noise(NearbyEnd.longestSDU + 1)) }
        ),
        (
            "longest-sdu", "an SDU of 65535 bytes does no harm", .certain,
            { await $0.send(sdu: noise(65_535)) }
        ),
        ("empty-sdu", "an SDU without bytes does no harm", .secondHand, { await $0.send(sdu: []) }),
        (
            "terminators-only", "a thousand terminators and no message do no harm", .secondHand,
            { end in for _ in 0..<1_000 { await end.send(sdu: NearbyEnd.terminator) } }
        ),
        (
            "single-bytes", "ten thousand SDUs of one byte do no harm", .certain,
            { end in for byte in noise(10_000) { await end.send(sdu: [byte]) } }
        ),
        (
            "endless", "three megabytes without the end of a message do no harm", .certain,
            { end in for _ in 0..<3 << 6 { await end.send(sdu: noise(NearbyEnd.longestSDU)) } }
        ),
    ]

    private static func lost<Stage: NearbyStage>(
        _ loss: Loss, _ place: NearbyPlace, _ group: Group<Stage>
    ) -> PlayedCase<Stage> {
        group.survives(
            "\(place.rawValue)-\(loss.name)", "\(loss.rule), \(place.rawValue.replacing("-", with: " "))",
            loss.certainty
        ) { stage in
            let end = try await stage.reach(place)
            // A peer that reads nothing more, since it has ended, must not hold the case.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await loss.lose(end) }
                try await stage.endsAfter(end)
                group.cancelAll()
            }
        }
    }

    /// Bytes that look like nothing, the same each time.
    private static func noise(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
    }
}
