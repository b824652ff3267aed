public import Cryptography

/// Derivation of every key of a session from one secret (HT-KEY-1): HKDF-SHA-256, with the purpose as info.
public enum KeySchedule {
    /// Purpose of a derived value. As HKDF's info it is four bytes, little-endian.
    public enum Purpose: UInt32, Sendable, CaseIterable {
        /// The 64-byte key that seals the advert (HT-KEY-4, HT-KEY-7).
        case eidKey = 1
        /// The 16-byte tunnel ID (HT-KEY-5).
        case tunnelID = 2
        /// The 32-byte pre-shared key of the handshake (HT-KEY-6, HT-KEY-8).
        case presharedKey = 3
        /// The 32-byte link secret, from a contact's secret and the link ID (HT-KEY-9).
        case pairedSecret = 4
        /// The 32-byte seed of an authenticator's identity key (HT-KEY-10).
        case identityKeySeed = 5
        /// The 32-byte secret of one contact ID (HT-KEY-9).
        case contactIDSecret = 6
    }

    /// Derives a value.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the value.
    ///   - secret: the QR secret (16 bytes), a link secret (32 bytes), or an authenticator's root secret.
    ///   - salt: by purpose: nothing (HT-KEY-2), a client nonce (16 bytes), an advert's plaintext (16), a link ID (8),
    ///     a contact ID.
    ///   - byteCount: the number of bytes: 1 to 8160, as for `HKDFSHA256`. Fewer bytes are a prefix of more
    ///     (HT-KEY-3).
    public static func derive(
        _ purpose: Purpose,
        from secret: Span<UInt8>,
        salt: Span<UInt8> = Span(),
        byteCount: Int
    ) -> SecretBytes {
        let info = (0..<4).map { UInt8(truncatingIfNeeded: purpose.rawValue >> UInt32(8 * $0)) }
        return HKDFSHA256.derive(secret: secret, salt: salt, info: info.span, byteCount: byteCount)
    }

    /// The key of a session's adverts (HT-KEY-4, HT-KEY-7).
    ///
    /// - Parameters:
    ///   - secret: a QR secret, or a link secret.
    ///   - salt: nothing (HT-KEY-2), or the client nonce of a linked session.
    package static func advertKey(
        from secret: Span<UInt8>, salt: Span<UInt8> = Span()
    ) throws(HybridProtocolError) -> AdvertKey {
        let eidKey = derive(.eidKey, from: secret, salt: salt, byteCount: AdvertKey.byteCount)
        return try AdvertKey(eidKey: eidKey.span)
    }

    /// The name of the tunnel of a QR code's session (HT-KEY-5).
    package static func tunnelID(from secret: Span<UInt8>) throws(HybridProtocolError) -> TunnelID {
        let derived = derive(.tunnelID, from: secret, byteCount: TunnelID.byteCount)
        let bytes = derived.span.withUnsafeBufferPointer { Array($0) }
        do { return try TunnelID(bytes) } catch { throw HybridProtocolError(error) }
    }
}

extension InvitationScheme {
    /// The secret that the session's keys come from: the QR secret itself, or 16 bytes that are derived from it.
    package func sessionSecret(of secret: borrowing SecretBytes) -> SecretBytes {
        guard let label else { return secret.clone() }
        return HKDFSHA256.derive(
            secret: secret.span, salt: Span(), info: label.span, byteCount: Invitation.secretByteCount)
    }
}
