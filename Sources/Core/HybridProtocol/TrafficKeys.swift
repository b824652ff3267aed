package import Cryptography
internal import Encodings

/// Takes the traffic keys of each session, for a key log.
package typealias TrafficKeyLog = @Sendable (borrowing TrafficKeys) -> Void

/// The keys of both directions of a session, with what names the session in a capture.
///
/// They open every message after the handshake: the numbers in the nonces begin at 0 in each direction (HT-FRM-12). A
/// line of a key log has them in the manner of SSLKEYLOGFILE, a label, what names the session, and the secrets:
///
///     HYBRID_TRAFFIC_KEYS <X of the client's key> <key client to authenticator> <key authenticator to client>
///
/// Three times 32 bytes, each in 64 hexadecimal digits. The first are bytes 1 to 32 of the client's handshake message.
package struct TrafficKeys: ~Copyable, Sendable {
    /// The X coordinate of the ephemeral key in handshake message 1: 32 bytes. Not secret.
    package let session: [UInt8]
    /// The key that the client seals with: 32 bytes.
    package let clientToAuthenticator: SecretBytes
    /// The key that the authenticator seals with: 32 bytes.
    package let authenticatorToClient: SecretBytes

    /// The first word of a line.
    package static let label = "HYBRID_TRAFFIC_KEYS"
    private static let sessionByteCount = 32

    /// Takes the keys of a finished handshake.
    ///
    /// - Parameter message: handshake message 1: 81 bytes.
    init(_ keys: borrowing TransportKeys, message: [UInt8]) {
        session = Self.session(ofMessage: message)
        clientToAuthenticator = keys.initiatorToResponder.clone()
        authenticatorToClient = keys.responderToInitiator.clone()
    }

    /// Reads a line of a key log.
    ///
    /// - Parameter line: without its end.
    /// - Returns: nil for a line with another label, or that is not as it must be.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[0] == Self.label,
            let session = Hexadecimal.decode(words[1]), session.count == Self.sessionByteCount,
            let client = SecretArray(Hexadecimal.decode(words[2])), client.count == TransportKeys.keyByteCount,
            let authenticator = SecretArray(Hexadecimal.decode(words[3])),
            authenticator.count == TransportKeys.keyByteCount
        else { return nil }
        self.session = session
        clientToAuthenticator = SecretBytes(copying: client.span)
        authenticatorToClient = SecretBytes(copying: authenticator.span)
    }

    /// The line of a key log, with its end.
    package var line: SecretArray {
        let words = [
            Self.label, Hexadecimal.encode(session),
            clientToAuthenticator.span.withUnsafeBufferPointer { Hexadecimal.encode($0) },
            authenticatorToClient.span.withUnsafeBufferPointer { Hexadecimal.encode($0) },
        ]
        return SecretArray(Array((words.joined(separator: " ") + "\n").utf8))
    }

    /// The bytes of handshake message 1 that name its session: 32, or fewer of a message that is too short.
    package static func session(ofMessage message: [UInt8]) -> [UInt8] {
        Array(message.dropFirst().prefix(sessionByteCount))
    }
}

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
