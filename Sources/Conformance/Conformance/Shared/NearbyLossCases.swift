/// Cases of hostile and lost peers on an L2CAP channel: the same for authenticators and clients.
enum NearbyLossCases {
    static func all<Context: NearbyTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        NearbyPlace.allCases.flatMap { place in losses.map { lost($0, place, group) } }
            + [NearbyPlace.connected, .ready].flatMap { place in floods.map { lost($0, place, group) } }
    }

    /// A way in which the other device stops.
    private typealias Loss = (
        name: String, requirement: String, certainty: ConformanceCase.Certainty, rule: String,
        lose: @Sendable (NearbyEnd) async -> Void
    )

    private static let losses: [Loss] = [
        (
            "close", "MUST end in bounded time when the other device closes the channel", .certain, "HT-MSG-38",
            { await $0.close() }
        ),
        (
            "silence", "SHOULD end in bounded time when the other device sends nothing more", .certain, "HT-MSG-39",
            { _ in }
        ),
        (
            "half-and-close", "MUST end in bounded time when the channel closes inside a message", .certain,
            "HT-MSG-38",
            {
                await $0.send(sdu: [UInt8](repeating: 4, count: 40))
                await $0.close()
            }
        ),
        (
            "half-and-silence", "SHOULD end in bounded time when half a message arrives", .certain, "HT-MSG-39",
            { await $0.send(sdu: [UInt8](repeating: 4, count: 40)) }
        ),
        (
            "noise", "MUST end in bounded time on 1,000 random bytes", .certain, "HT-BLE-26",
            { await $0.send(sdu: noise(1_000)) }
        ),
    ]

    private static let floods: [Loss] = [
        (
            "long-sdu", "SHOULD end in bounded time on an SDU longer than its MTU", .certain, "HT-BLE-27",
            { await $0.send(sdu: noise(NearbyEnd.longestSDU + 1)) }
        ),
        (
            "longest-sdu", "SHOULD end in bounded time on an SDU of 65,535 bytes", .certain, "HT-BLE-27",
            { await $0.send(sdu: noise(65_535)) }
        ),
        (
            "empty-sdu", "SHOULD end in bounded time on an empty SDU", .secondHand, "HT-BLE-27",
            { await $0.send(sdu: []) }
        ),
        (
            "terminators-only", "SHOULD end in bounded time on 1,000 terminators without a message", .secondHand,
            "HT-BLE-27",
            { end in for _ in 0..<1_000 { await end.send(sdu: NearbyEnd.terminator) } }
        ),
        (
            "single-bytes", "SHOULD end in bounded time on 10,000 SDUs of one byte", .certain, "HT-BLE-27",
            { end in for byte in noise(10_000) { await end.send(sdu: [byte]) } }
        ),
        (
            "endless", "SHOULD end in bounded time on 3 MB without the end of a message", .certain, "HT-BLE-27",
            { end in for _ in 0..<3 << 6 { await end.send(sdu: noise(NearbyEnd.longestSDU)) } }
        ),
    ]

    private static func lost<Context: NearbyTestContext>(
        _ loss: Loss, _ place: NearbyPlace, _ group: CaseGroup<Context>
    ) -> ScriptedCase<Context> {
        group.survives(
            "\(place.rawValue)-\(loss.name)", "\(loss.requirement) (\(place.rawValue.words))",
            loss.certainty, rule: loss.rule
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
