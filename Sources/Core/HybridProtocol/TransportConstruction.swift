internal import Cryptography

/// Construction of a frame's nonce and additional data, as data. A session has one (HT-FRM-26).
public struct TransportConstruction: Sendable, Equatable {
    /// Place of the 4-byte counter in the 12-byte nonce, the rest being zero.
    private enum CounterPlacement: Sendable {
        case bigEndianInLastFour
        case littleEndianInFirstFour
    }

    private let counterPlacement: CounterPlacement
    /// The additional data: nothing, or one byte.
    private let authenticatedByte: UInt8?

    /// The construction of every current implementation: eight zero bytes, then the counter big-endian; no additional
    /// data (HT-FRM-10, HT-FRM-11).
    public static let current = Self(counterPlacement: .bigEndianInLastFour, authenticatedByte: nil)
    /// The construction of early caBLE v2.0: the counter little-endian, then eight zero bytes; additional data `02`
    /// (HT-FRM-24).
    public static let old = Self(counterPlacement: .littleEndianInFirstFour, authenticatedByte: 2)

    /// Gives a cipher the additional data, for which no array is worth its reference counting.
    func withAuthenticatedData(
        _ cipher: (Span<UInt8>) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        guard let authenticatedByte else { return try cipher(Span()) }
        let data: InlineArray<1, UInt8> = [authenticatedByte]
        try cipher(data.span)
    }

    func nonce(_ counter: UInt32) -> AES256GCM.Nonce {
        var nonce = AES256GCM.Nonce(repeating: 0)
        for byte in 0..<4 {
            let value = UInt8(truncatingIfNeeded: counter >> UInt32(8 * byte))
            switch counterPlacement {
            case .bigEndianInLastFour: nonce[AES256GCM.nonceByteCount - 1 - byte] = value
            case .littleEndianInFirstFour: nonce[byte] = value
            }
        }
        return nonce
    }
}

/// The nonces of one direction: counters 0, 1, 2 … up to 2^24 - 1, and never the same number twice
/// (HT-FRM-12, HT-FRM-14, HT-FRM-15).
struct FrameNonces: ~Copyable {
    let construction: TransportConstruction
    private var counter: UInt32

    private static let last: UInt32 = (1 << 24) - 1

    init(_ construction: TransportConstruction, startingAt first: UInt32) {
        self.construction = construction
        counter = first
    }

    /// The nonce of the next frame.
    ///
    /// - Throws: `counterExhausted`.
    func current() throws(HybridProtocolError) -> AES256GCM.Nonce {
        guard counter <= Self.last else {
            throw HybridProtocolError(
                .counterExhausted, reason: "one direction of a session carries 2^24 messages at most")
        }
        return construction.nonce(counter)
    }

    mutating func advance() { counter += 1 }
}
