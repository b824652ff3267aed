/// Cases of our handshake message, damaged: the same for authenticators and clients.
enum HandshakeCases {
    private static let pointByteCount = 65
    private static let tagByteCount = 16
    static let messageByteCount = pointByteCount + tagByteCount
    /// A change of the right message.
    typealias Damage = (
        name: String, requirement: String, rule: String, change: @Sendable ([UInt8]) throws -> [UInt8]
    )

    static let damages: [Damage] =
        damages(HandshakeMalformations.lengths) + pointDamages + damages(HandshakeMalformations.tags) + others

    /// Replacements of the point, of the same length.
    static let pointDamages: [Damage] = damages(HandshakeMalformations.points)

    private static func damages(_ malformations: [Malformation<[UInt8], [UInt8]>]) -> [Damage] {
        malformations.compactMap { malformation in
            malformation.test.map { ($0.name, $0.requirement, malformation.rule, malformation.apply) }
        }
    }

    private static let others: [Damage] = [
        ("82-bytes", "refuse a handshake message of 82 bytes; it has 81", Rule.length, { $0 + [0] }),
        ("twice-as-long", "refuse two handshake messages in one message", Rule.length, { $0 + $0 }),
        (
            "1-mib", "refuse a handshake message of 1 MiB; it has 81 bytes", Rule.length,
            { $0 + [UInt8](repeating: 0, count: (1 << 20) - 81) }
        ),
        ("all-zero", "refuse a handshake message of 81 zero bytes", "HT-HS-14", { $0.map { _ in 0 } }),
        ("all-ones", "refuse a handshake message of 81 bytes FF", "HT-HS-15", { $0.map { _ in 0xFF } }),
        ("tag-cut", "refuse a tag of 4 bytes; it has 16", "HT-HS-13", { Array($0.prefix(pointByteCount + 4)) }),
    ]

    private enum Rule {
        static let length = "HT-HS-21"
        static let presharedKey = "HT-HS-18"
        static let staticKey = "HT-HS-19"
        static let pattern = "HT-HS-20"
        static let payload = "HT-HS-22"
    }

    /// A handshake that is right for another session.
    typealias Mistake = (mistake: HandshakeMistake, name: String, requirement: String, rule: String)

    static let mistakes: [Mistake] = [
        (.presharedKey, "wrong-psk", "refuse a handshake with another QR secret", Rule.presharedKey),
        (.staticKey, "wrong-static-key", "refuse a handshake for another client's key", Rule.staticKey),
        (.payload, "payload", "refuse a handshake message with a payload", Rule.payload),
        (
            .pattern, "linked-pattern",
            "refuse the pattern of linked sessions (NKpsk0) in a QR-initiated one", Rule.pattern
        ),
    ]
    private static let linkedMistakes: [Mistake] = [
        (.presharedKey, "wrong-psk", "refuse a handshake with another link secret", Rule.presharedKey),
        (
            .staticKey, "wrong-static-key", "refuse a handshake with another authenticator's static key",
            Rule.staticKey
        ),
        (.payload, "payload", "refuse a handshake message with a payload", Rule.payload),
        (
            .pattern, "qr-pattern",
            "refuse the pattern of QR-initiated sessions (KNpsk0) in a linked one", Rule.pattern
        ),
    ]

    /// The cases of QR-initiated sessions.
    static func all<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        all(group(role), mistakes)
    }

    static func group<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context> {
        CaseGroup(role: role, name: "handshake", rule: "HT-HS-17")
    }

    /// The cases of linked sessions.
    static func linked<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        all(
            CaseGroup(role: role, name: "linked-handshake", rule: "HT-HS-17", profile: .linked), linkedMistakes)
    }

    private static func all<Context: TunnelTestContext>(
        _ group: CaseGroup<Context>,
        _ mistakes: [Mistake]
    ) -> CaseGroup<Context>.Cases {
        func refuses(
            _ name: String, _ requirement: String, rule: String,
            _ message: @escaping @Sendable (OpenHandshake) throws -> [UInt8]
        ) -> ScriptedCase<Context> {
            group.refuses(name, requirement, rule: rule) { context in
                let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                await handshake.socket.send(try message(handshake))
                try await context.givesUp(handshake.socket)
            }
        }
        return damages.map { damage in
            refuses(damage.name, damage.requirement, rule: damage.rule) { try damage.change($0.message) }
        }
            + mistakes.map { mistake in
                refuses(mistake.name, mistake.requirement, rule: mistake.rule) { try $0.wrong(mistake.mistake) }
            }
            + [
                group.behaves(
                    "late", "accept a handshake message that comes 1.5 seconds late", rule: "HT-HS-25"
                ) { context in
                    let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                    try await Task.sleep(for: UpgradeCases.delay)
                    await handshake.socket.send(handshake.message)
                    try await handshake.complete()
                }
            ]
    }
}
