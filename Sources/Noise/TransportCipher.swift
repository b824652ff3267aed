public import Cryptography

/// The keys of the transport phase, one for each direction.
public struct TransportKeys: ~Copyable, Sendable {
    /// 32 bytes: what the initiator, the client, seals with.
    public let initiatorToResponder: SecretBytes
    /// 32 bytes: what the responder, the authenticator, seals with.
    public let responderToInitiator: SecretBytes

    /// The length of each key: 32 bytes.
    public static let keyByteCount = AES256GCM.keyByteCount
}

/// How a transport message's nonce and additional data are made, as data (PROTOCOL.md 6.1).
public struct TransportConstruction: Sendable, Equatable {
    /// Where the 4-byte counter stands in the 12-byte nonce, the rest being zero.
    enum CounterPlacement: Sendable {
        case bigEndianInLastFour
        case littleEndianInFirstFour
    }

    let counterPlacement: CounterPlacement
    /// The additional data: nothing, or one byte.
    private let authenticatedByte: UInt8?

    /// What every current implementation speaks: eight zero bytes, then the counter big-endian; no additional data.
    public static let current = Self(counterPlacement: .bigEndianInLastFour, authenticatedByte: nil)
    /// What early caBLE v2.0 peers speak: the counter little-endian, then eight zero bytes; additional data `02`.
    public static let old = Self(counterPlacement: .littleEndianInFirstFour, authenticatedByte: 2)

    /// Gives a cipher the additional data, for which no array is worth its reference counting.
    func withAuthenticatedData(_ cipher: (Span<UInt8>) throws(CryptographyError) -> Void) throws(NoiseError) {
        do {
            guard let authenticatedByte else { return try cipher(Span()) }
            let data: InlineArray<1, UInt8> = [authenticatedByte]
            try cipher(data.span)
        } catch { throw NoiseError(error) }
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

/// The counter of one direction: 0, 1, 2 … up to 2^24 - 1, and never the same number twice.
struct MessageCounter: ~Copyable {
    static let last: UInt32 = (1 << 24) - 1

    private(set) var next: UInt32

    init(startingAt first: UInt32 = 0) { next = first }

    func current() throws(NoiseError) -> UInt32 {
        guard next <= Self.last else {
            throw NoiseError(.counterExhausted, reason: "one direction of a session carries 2^24 messages at most")
        }
        return next
    }

    mutating func advance() { next += 1 }
}

/// Seals the messages of one direction.
public struct TransportSealer: ~Copyable, Sendable {
    private var cipher: AES256GCM.Sealer
    private let construction: TransportConstruction
    private var counter: MessageCounter

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: ``TransportConstruction/current`` unless the peer has shown that it speaks the old one.
    ///   - counter: the number of the first message; other than 0 only to test what happens late in a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(NoiseError) {
        do { cipher = try AES256GCM.Sealer(key: key) } catch { throw NoiseError(error) }
        self.construction = construction
        self.counter = MessageCounter(startingAt: counter)
    }

    /// Seals a message in place and appends the tag of 16 bytes.
    ///
    /// - Parameter message: the plaintext; reserve 16 bytes more to avoid an allocation.
    /// - Throws: `counterExhausted` after 2^24 messages; `cryptographyFailed`.
    public mutating func seal(_ message: inout [UInt8]) throws(NoiseError) {
        let nonce = construction.nonce(try counter.current())
        try construction.withAuthenticatedData { (data) throws(CryptographyError) in
            try cipher.seal(&message, nonce: nonce, authenticatedData: data)
        }
        counter.advance()
    }

    /// Seals a message in place, where there is already room for the tag.
    ///
    /// - Parameter message: the plaintext, and 16 bytes of any value, which the tag replaces.
    /// - Throws: `counterExhausted` after 2^24 messages; `wrongLength` below 16 bytes; `cryptographyFailed`.
    public mutating func seal(_ message: inout MutableSpan<UInt8>) throws(NoiseError) {
        let nonce = construction.nonce(try counter.current())
        try construction.withAuthenticatedData { (data) throws(CryptographyError) in
            try cipher.seal(&message, nonce: nonce, authenticatedData: data)
        }
        counter.advance()
    }
}

/// Opens the messages of one direction.
public struct TransportOpener: ~Copyable, Sendable {
    private var cipher: AES256GCM.Opener
    private let construction: TransportConstruction
    private var counter: MessageCounter

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: ``TransportConstruction/current`` unless the peer has shown that it speaks the old one.
    ///   - counter: the number of the first message; other than 0 only to test what happens late in a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(NoiseError) {
        do { cipher = try AES256GCM.Opener(key: key) } catch { throw NoiseError(error) }
        self.construction = construction
        self.counter = MessageCounter(startingAt: counter)
    }

    /// Opens a message in place: afterwards it is 16 bytes shorter. The counter advances only if it opened.
    ///
    /// - Parameter message: the ciphertext and its tag. Wiped and emptied on an error.
    /// - Throws: `authenticationFailed`; `counterExhausted` after 2^24 messages.
    public mutating func open(_ message: inout [UInt8]) throws(NoiseError) {
        let nonce = construction.nonce(try counter.current())
        try construction.withAuthenticatedData { (data) throws(CryptographyError) in
            try cipher.open(&message, nonce: nonce, authenticatedData: data)
        }
        counter.advance()
    }
}
