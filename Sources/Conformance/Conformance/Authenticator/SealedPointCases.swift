internal import Cryptography
internal import HybridProtocol

/// Cases of a client whose handshake message fits in every respect but one: its ephemeral key is not a point in
/// uncompressed form.
///
/// Message 1 of a QR-initiated handshake (KNpsk0) holds no agreement. So a tag can be made that fits whatever stands in
/// the point's place, and only an authenticator that checks the point itself refuses it; others calculate with a point
/// that an attacker chose.
enum SealedPointCases {
    static let all: CaseGroup<AuthenticatorTestContext>.Cases = HandshakeCases.pointDamages.map { damage in
        HandshakeCases.group(.authenticator).refuses(
            "sealed-\(damage.name)", "\(damage.requirement), even with a matching tag", rule: damage.rule
        ) {
            context in
            let rendezvous = try await context.rendezvous()
            let damaged = try damage.change(context.handshake(rendezvous).message)
            let message = try sealed(
                Array(damaged.prefix(P256.uncompressedByteCount)), client: rendezvous.code.publicKey,
                presharedKey: rendezvous.code.secret.presharedKey(rendezvous.advert.plaintext))
            await rendezvous.socket.send(message)
            try await context.givesUp(rendezvous.socket)
        }
    }

    /// Message 1 of KNpsk0 around any ephemeral key (Noise sections 5.2, 5.3 and 9.2; HT-HS-1 to HT-HS-12).
    ///
    /// - Parameters:
    ///   - point: the ephemeral key, or its replacement: 65 bytes.
    ///   - client: the client's static key.
    ///   - presharedKey: 32 bytes.
    /// - Returns: 81 bytes.
    static func sealed(_ point: [UInt8], client: P256.PublicKey, presharedKey: [UInt8]) throws -> [UInt8] {
        let pattern = HandshakePattern.knPSK0
        // The name has 31 letters: it is padded, not hashed.
        var chainingKey = Array(pattern.protocolName.utf8) + [0]
        var hash = chainingKey
        func mix(_ part: [UInt8]) { hash = SHA256.hash(hash.span, part.span) }
        mix(pattern.prologue)
        mix(client.uncompressed)
        mix(keys(3, from: presharedKey, &chainingKey)[0])
        mix(point)
        let key = keys(2, from: point, &chainingKey)[0]
        var sealer = try AES256GCM.Sealer(key: key.span)
        var tag: [UInt8] = []
        try sealer.seal(&tag, nonce: AES256GCM.Nonce(repeating: 0), authenticatedData: hash.span)
        return point + tag
    }

    /// Derives as many keys of 32 bytes; the first one is the new chaining key, the others are returned.
    private static func keys(_ count: Int, from material: [UInt8], _ chainingKey: inout [UInt8]) -> [[UInt8]] {
        let derived = HKDFSHA256.derive(
            secret: material.span, salt: chainingKey.span, info: Span(), byteCount: count * SHA256.byteCount
        ).copied()
        let keys = stride(from: 0, to: derived.count, by: SHA256.byteCount).map { start in
            Array(derived[start..<start + SHA256.byteCount])
        }
        chainingKey = keys[0]
        return Array(keys.dropFirst())
    }
}
