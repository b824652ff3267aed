/// Cases of our handshake message, damaged: the same for authenticators and clients.
enum HandshakeCases {
    private static let pointByteCount = 65
    private static let tagByteCount = 16
    static let messageByteCount = pointByteCount + tagByteCount
    /// The prime of P-256: the least number that is no coordinate.
    private static let prime: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 12)

    /// A change of the right message.
    typealias Damage = (name: String, rule: String, change: @Sendable ([UInt8]) -> [UInt8])

    static let damages = lengths + pointDamages + tags

    private static let lengths: [Damage] = [
        ("one-byte", "a handshake message has 81 bytes, not 1", { Array($0.prefix(1)) }),
        ("point-only", "a handshake message has a tag after its point", { Array($0.prefix(pointByteCount)) }),
        ("80-bytes", "a handshake message has 81 bytes, not 80", { Array($0.dropLast()) }),
        ("82-bytes", "a handshake message has 81 bytes, not 82", { $0 + [0] }),
        ("twice-as-long", "a handshake message comes once in a message", { $0 + $0 }),
        ("1-mib", "a handshake message has 81 bytes, not 1 MiB", { $0 + [UInt8](repeating: 0, count: (1 << 20) - 81) }),
        ("all-zero", "81 zero bytes are no handshake message", { $0.map { _ in 0 } }),
        ("all-ones", "81 bytes FF are no handshake message", { $0.map { _ in 0xFF } }),
    ]

    /// What stands in the place of the point, with its length.
    static let pointDamages: [Damage] = [
        ("point-at-infinity", "the point at infinity is no ephemeral key", { [0] + $0.dropFirst() }),
        ("compressed-form", "the ephemeral key is in uncompressed form", { [2 | $0[64] & 1] + $0.dropFirst() }),
        ("hybrid-form", "the hybrid form 06 is no uncompressed point", { [6 | $0[64] & 1] + $0.dropFirst() }),
        ("off-curve", "the ephemeral key is a point of the curve", { flipped($0, pointByteCount - 1) }),
        ("x-of-prime", "a coordinate is less than the prime", { [4] + prime + $0.dropFirst(33) }),
        (
            "zero-coordinates", "the coordinates 0, 0 are no point of the curve",
            { [4] + [UInt8](repeating: 0, count: 64) + $0.suffix(tagByteCount) }
        ),
    ]

    private static let tags: [Damage] = [
        ("tag-first-byte", "the first byte of the tag counts", { flipped($0, pointByteCount) }),
        ("tag-last-byte", "the last byte of the tag counts", { flipped($0, messageByteCount - 1) }),
        (
            "tag-zero", "a tag of zeros does not fit",
            { $0.prefix(pointByteCount) + [UInt8](repeating: 0, count: tagByteCount) }
        ),
        ("tag-cut", "a tag has 16 bytes, not 4", { Array($0.prefix(pointByteCount + 4)) }),
    ]

    static let mistakes: [(mistake: HandshakeMistake, name: String, rule: String)] = [
        (.presharedKey, "wrong-psk", "a handshake under another QR secret fails"),
        (.staticKey, "wrong-static-key", "a handshake for another client key fails"),
        (.payload, "payload", "a handshake message has no payload"),
        (
            .pattern, "linked-pattern",
            "a handshake of a linked session (NKpsk0) is none of a QR-initiated one (KNpsk0)"
        ),
    ]
    private static let linkedMistakes: [(mistake: HandshakeMistake, name: String, rule: String)] = [
        (.presharedKey, "wrong-psk", "a handshake under another link secret fails"),
        (.staticKey, "wrong-static-key", "a handshake with another authenticator's static key fails"),
        (.payload, "payload", "a handshake message has no payload"),
        (
            .pattern, "qr-pattern",
            "a handshake of a QR-initiated session (KNpsk0) is none of a linked one (NKpsk0)"
        ),
    ]

    /// The cases of QR-initiated sessions.
    static func all<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        all(group(role), mistakes)
    }

    static func group<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage> {
        Group(
            role: role, name: "handshake", source: "CTAP 2.2 section 11.5.1, the handshake; Noise sections 5.3, 9.2")
    }

    /// The cases of linked sessions.
    static func linked<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        all(
            Group(
                role: role, name: "linked-handshake",
                source: "CTAP 2.2 section 11.5.2, the handshake; Noise sections 5.3, 9.2"),
            linkedMistakes)
    }

    private static func all<Stage: TunnelStage>(
        _ group: Group<Stage>,
        _ mistakes: [(mistake: HandshakeMistake, name: String, rule: String)]
    ) -> Group<Stage>.Cases {
        func refuses(
            _ name: String, _ rule: String, _ message: @escaping @Sendable (OpenHandshake) throws -> [UInt8]
        ) -> PlayedCase<Stage> {
            group.refuses(name, rule) { stage in
                let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                await handshake.socket.send(try message(handshake))
                try await stage.givesUp(handshake.socket)
            }
        }
        return damages.map { damage in refuses(damage.name, damage.rule) { damage.change($0.message) } }
            + mistakes.map { mistake in refuses(mistake.name, mistake.rule) { try $0.wrong(mistake.mistake) } }
            + [
                group.behaves("late", "a handshake message may take a second and a half") { stage in
                    let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                    try await Task.sleep(for: UpgradeCases.delay)
                    await handshake.socket.send(handshake.message)
                    try await handshake.complete()
                }
            ]
    }

    private static func flipped(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 1
        return bytes
    }
}
