internal import TestVectors

/// Cases of our handshake message, damaged: the same for authenticators and clients.
enum HandshakeCases {
    private static let pointByteCount = 65
    private static let tagByteCount = 16
    static let messageByteCount = pointByteCount + tagByteCount
    /// A change of the right message.
    typealias Damage = (name: String, requirement: String, change: @Sendable ([UInt8]) throws -> [UInt8])

    static let damages: [Damage] =
        damages(HandshakeMalformations.lengths) + pointDamages + damages(HandshakeMalformations.tags) + others

    /// Replacements of the point, of the same length.
    static let pointDamages: [Damage] = damages(HandshakeMalformations.points)

    private static func damages(_ malformations: [Malformation<[UInt8], [UInt8]>]) -> [Damage] {
        malformations.compactMap { malformation in
            malformation.test.map { ($0.name, $0.requirement, malformation.apply) }
        }
    }

    private static let others: [Damage] = [
        ("82-bytes", "MUST refuse a handshake message of 82 bytes; it has 81", { $0 + [0] }),
        ("twice-as-long", "MUST refuse two handshake messages in one message", { $0 + $0 }),
        (
            "1-mib", "MUST refuse a handshake message of 1 MiB; it has 81 bytes",
            { $0 + [UInt8](repeating: 0, count: (1 << 20) - 81) }
        ),
        ("all-zero", "MUST refuse a handshake message of 81 zero bytes", { $0.map { _ in 0 } }),
        ("all-ones", "MUST refuse a handshake message of 81 bytes FF", { $0.map { _ in 0xFF } }),
        ("tag-cut", "MUST refuse a tag of 4 bytes; it has 16", { Array($0.prefix(pointByteCount + 4)) }),
    ]

    static let mistakes: [(mistake: HandshakeMistake, name: String, requirement: String)] = [
        (.presharedKey, "wrong-psk", "MUST refuse a handshake with another QR secret"),
        (.staticKey, "wrong-static-key", "MUST refuse a handshake for another client's key"),
        (.payload, "payload", "MUST refuse a handshake message with a payload"),
        (
            .pattern, "linked-pattern",
            "MUST refuse the pattern of linked sessions (NKpsk0) in a QR-initiated one"
        ),
    ]
    private static let linkedMistakes: [(mistake: HandshakeMistake, name: String, requirement: String)] = [
        (.presharedKey, "wrong-psk", "MUST refuse a handshake with another link secret"),
        (.staticKey, "wrong-static-key", "MUST refuse a handshake with another authenticator's static key"),
        (.payload, "payload", "MUST refuse a handshake message with a payload"),
        (
            .pattern, "qr-pattern",
            "MUST refuse the pattern of QR-initiated sessions (KNpsk0) in a linked one"
        ),
    ]

    /// The cases of QR-initiated sessions.
    static func all<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        all(group(role), mistakes)
    }

    static func group<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context> {
        CaseGroup(
            role: role, name: "handshake", rule: "HT-TODO-1")
    }

    /// The cases of linked sessions.
    static func linked<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        all(
            CaseGroup(
                role: role, name: "linked-handshake",
                rule: "HT-TODO-1"),
            linkedMistakes)
    }

    private static func all<Context: TunnelTestContext>(
        _ group: CaseGroup<Context>,
        _ mistakes: [(mistake: HandshakeMistake, name: String, requirement: String)]
    ) -> CaseGroup<Context>.Cases {
        func refuses(
            _ name: String, _ requirement: String, _ message: @escaping @Sendable (OpenHandshake) throws -> [UInt8]
        ) -> ScriptedCase<Context> {
            group.refuses(name, requirement) { context in
                let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                await handshake.socket.send(try message(handshake))
                try await context.givesUp(handshake.socket)
            }
        }
        return damages.map { damage in refuses(damage.name, damage.requirement) { try damage.change($0.message) } }
            + mistakes.map { mistake in refuses(mistake.name, mistake.requirement) { try $0.wrong(mistake.mistake) } }
            + [
                group.behaves("late", "MUST accept a handshake message that comes 1.5 seconds late") { context in
                    let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                    try await Task.sleep(for: UpgradeCases.delay)
                    await handshake.socket.send(handshake.message)
                    try await handshake.complete()
                }
            ]
    }
}
