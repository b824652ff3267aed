/// Plaintext of the advert of a state-assisted transaction (HT-STA-46): it says nothing, but its 16 bytes salt the
/// pre-shared key of the handshake (HT-KEY-8), and to know them proves to have heard the advert.
public struct LinkedAdvertPlaintext: Sendable, Hashable {
    /// The 16 bytes as they were sealed: a zero, then what the authenticator drew.
    public let bytes: [UInt8]

    /// The number of random bytes that an authenticator draws: 15.
    public static let randomByteCount = AdvertPlaintext.byteCount - 1

    private static let lastDomainByte = AdvertPlaintext.byteCount - 1

    /// Makes a plaintext.
    ///
    /// Chromium reads the last two bytes as a tunnel domain even here, and refuses 2 to 255 (HT-STA-48): numbers
    /// that would read so are drawn out of that range by their high byte. One in 258 is concerned.
    ///
    /// - Parameter random: 15 new random bytes (HT-STA-47).
    /// - Throws: `wrongLength`.
    public init(random: [UInt8]) throws(HybridProtocolError) {
        var bytes = [0] + (try checked(random, Self.randomByteCount, "the random part of a linked advert"))
        if (try? AdvertPlaintext(bytes)) == nil { bytes[Self.lastDomainByte] = 1 }
        self.bytes = bytes
    }

    /// Reads a plaintext. The last bytes are not looked at: no domain is meant (HT-STA-50).
    ///
    /// - Parameter bytes: 16 bytes.
    /// - Throws: `wrongLength`, `reservedByte`.
    public init(_ bytes: [UInt8]) throws(HybridProtocolError) {
        try AdvertPlaintext.checkReserved(bytes)
        self.bytes = bytes
    }
}
