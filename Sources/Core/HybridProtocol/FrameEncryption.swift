internal import Cryptography

/// Seals one direction's messages into frames: padding, then AES-256-GCM under a nonce that is never used twice
/// (HT-FRM-1, HT-FRM-10, HT-FRM-11, HT-FRM-12, HT-FRM-13).
public struct FrameSealer: ~Copyable, Sendable {
    private var cipher: AES256GCM.Sealer
    private var nonces: FrameNonces

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: ``TransportConstruction/current``, or the old one towards a peer that has shown to speak it.
    ///   - counter: the number of the first frame; other than 0 only to test the late frames of a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(HybridProtocolError) {
        do { cipher = try AES256GCM.Sealer(key: key) } catch { throw HybridProtocolError(error) }
        nonces = FrameNonces(construction, startingAt: counter)
    }

    /// Pads and seals a message: in place, if its caller gives it up and it has room for the added bytes, otherwise
    /// with one allocation.
    ///
    /// - Parameter message: any number of bytes up to 1 MiB; 17 to 48 are added.
    /// - Returns: the padded message, a multiple of 32 bytes, and a tag of 16.
    /// - Throws: `tooLong` above 1 MiB (HT-FRM-22); `counterExhausted` after 2^24 frames (HT-FRM-14);
    ///   `cryptographyFailed`.
    public mutating func seal(_ message: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try Self.check(message.count)
        let paddingByteCount = Padding.paddedByteCount(message.count) - message.count
        let byteCount = message.count + paddingByteCount + AES256GCM.tagByteCount
        if message.capacity < byteCount { message.reserveCapacity(byteCount) }
        message.append(addingCapacity: paddingByteCount + AES256GCM.tagByteCount) { frame in
            Padding.append(paddingByteCount, to: &frame)
            frame.append(repeating: 0, count: AES256GCM.tagByteCount)
        }
        try sealInPlace(&message)
        return message
    }

    /// Pads and seals a message whose first byte is apart from the rest, with one allocation, that of the frame.
    ///
    /// - Parameters:
    ///   - first: the type byte; nil if the message has none.
    ///   - rest: the bytes after it.
    /// - Returns: as ``seal(_:)``.
    /// - Throws: as ``seal(_:)``.
    public mutating func seal(_ first: UInt8?, _ rest: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        let byteCount = rest.count + (first == nil ? 0 : 1)
        try Self.check(byteCount)
        var message: [UInt8] = []
        message.append(addingCapacity: Padding.paddedByteCount(byteCount) + AES256GCM.tagByteCount) { message in
            if let first { message.append(first) }
            rest.withUnsafeBufferPointer { rest in
                message.withUnsafeMutableBufferPointer { buffer, count in
                    count = buffer[count...].initialize(fromContentsOf: rest)
                }
            }
        }
        // Not a copy: a message that is sealed in place is nowhere else.
        return try seal(consume message)
    }

    private static func check(_ byteCount: Int) throws(HybridProtocolError) {
        guard byteCount <= SecureChannel.maximumMessageByteCount else {
            throw HybridProtocolError(.tooLong, reason: "a message has at most 1 MiB")
        }
    }

    /// Seals bytes that are padded already, or wrongly on purpose: for tests of other implementations.
    ///
    /// - Parameter padded: any number of bytes.
    /// - Returns: as many bytes, and a tag of 16.
    /// - Throws: `counterExhausted` after 2^24 frames; `cryptographyFailed`.
    package mutating func seal(padded: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        var frame = padded + [UInt8](repeating: 0, count: AES256GCM.tagByteCount)
        try sealInPlace(&frame)
        return frame
    }

    /// Seals a frame whose last 16 bytes are room for the tag.
    private mutating func sealInPlace(_ frame: inout [UInt8]) throws(HybridProtocolError) {
        let nonce = try nonces.current()
        do {
            try nonces.construction.withAuthenticatedData { (data) throws(CryptographyError) in
                var span = frame.mutableSpan
                try cipher.seal(&span, nonce: nonce, authenticatedData: data)
            }
        } catch { throw HybridProtocolError(error) }
        nonces.advance()
    }
}

/// Opens one direction's frames: AES-256-GCM, then the padding is taken off (HT-FRM-3, HT-FRM-16).
public struct FrameOpener: ~Copyable, Sendable {
    private var cipher: AES256GCM.Opener
    private var nonces: FrameNonces

    /// The longest frame: that of the longest message, with the most padding that a count byte can name
    /// (HT-FRM-23).
    static let maximumByteCount =
        SecureChannel.maximumMessageByteCount + Int(UInt8.max) + Padding.countByteCount + AES256GCM.tagByteCount

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: ``TransportConstruction/current``, or the old one of early caBLE v2.0.
    ///   - counter: the number of the first frame; other than 0 only to test the late frames of a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(HybridProtocolError) {
        do { cipher = try AES256GCM.Opener(key: key) } catch { throw HybridProtocolError(error) }
        nonces = FrameNonces(construction, startingAt: counter)
    }

    /// Opens a frame in place and takes the padding off. The counter advances only if the frame is authentic
    /// (HT-FRM-18, HT-FRM-21).
    ///
    /// - Parameter frame: 17 bytes or more: at least the count of the padding, and the tag of 16 bytes.
    /// - Returns: the message; it may be empty, which the caller has to judge.
    /// - Throws: `tooShort` below a tag's length (HT-FRM-17); `tooLong` above the frame of the longest message;
    ///   `badTag` (HT-FRM-16, HT-FRM-19); `empty`; `badPadding`; `counterExhausted` (HT-FRM-15).
    public mutating func open(_ frame: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        guard frame.count >= AES256GCM.tagByteCount else {
            throw HybridProtocolError(.tooShort, reason: "a frame has at least \(AES256GCM.tagByteCount) bytes")
        }
        guard frame.count <= Self.maximumByteCount else {
            throw HybridProtocolError(.tooLong, reason: "a frame has at most \(Self.maximumByteCount) bytes")
        }
        try decrypt(&frame)
        try Padding.unpad(&frame)
        return frame
    }

    /// Opens bytes that may be the next frame, or may be anything.
    ///
    /// - Parameter bytes: any number.
    /// - Returns: the message; nil if the bytes are not the next frame, which then can still be opened.
    /// - Throws: as ``open(_:)``, but for `badTag`, `tooShort` and `tooLong`.
    public mutating func openIfFrame(_ bytes: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8]? {
        do {
            return try open(bytes)
        } catch {
            switch error.code {
            case .badTag, .tooShort, .tooLong: return nil
            default: throw error
            }
        }
    }

    /// Opens a frame of any length and leaves the padding on: for tests of other implementations.
    ///
    /// - Throws: `badTag`; `counterExhausted`.
    package mutating func openPadded(_ frame: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try decrypt(&frame)
        return frame
    }

    private mutating func decrypt(_ frame: inout [UInt8]) throws(HybridProtocolError) {
        let nonce = try nonces.current()
        do {
            try nonces.construction.withAuthenticatedData { (data) throws(CryptographyError) in
                try cipher.open(&frame, nonce: nonce, authenticatedData: data)
            }
        } catch { throw HybridProtocolError(error) }
        nonces.advance()
    }

    /// True if an implementation is known whose frames can have so many bytes: a multiple of 32 and the tag of 16, or
    /// one more from libwebauthn (HT-FRM-2, HT-FRM-6).
    public static func isUsualLength(_ byteCount: Int) -> Bool {
        let paddedByteCount = byteCount - AES256GCM.tagByteCount
        return paddedByteCount >= Padding.blockByteCount && byteCount <= maximumByteCount
            && paddedByteCount % Padding.blockByteCount <= 1
    }
}

/// Padding of a message before it is sealed, to hide its length (HT-FRM-1).
///
///     message || zeros || count of the zeros, 1 byte
public enum Padding {
    /// The block that a padded length is a multiple of: 32 bytes (HT-FRM-2).
    public static let blockByteCount = 32
    static let countByteCount = 1

    /// The length of a padded message.
    public static func paddedByteCount(_ byteCount: Int) -> Int {
        (byteCount / blockByteCount + 1) * blockByteCount
    }

    /// Pads a message in place to the next multiple of 32 bytes.
    public static func pad(_ message: inout [UInt8]) {
        let paddingByteCount = paddedByteCount(message.count) - message.count
        message.append(addingCapacity: paddingByteCount) { append(paddingByteCount, to: &$0) }
    }

    /// Appends padding of 1 to 32 bytes: zeros, then their count.
    static func append(_ paddingByteCount: Int, to message: inout OutputSpan<UInt8>) {
        let zeroCount = paddingByteCount - countByteCount
        message.append(repeating: 0, count: zeroCount)
        message.append(UInt8(truncatingIfNeeded: zeroCount))
    }

    /// Takes the padding off in place (HT-FRM-3).
    ///
    /// Any length and any count that fits are taken: libwebauthn's plaintexts are one byte longer than a multiple of
    /// 32, and Chromium looks neither at the length nor at the zeros (HT-FRM-6, HT-FRM-7, HT-FRM-8, HT-FRM-9).
    ///
    /// - Throws: `empty` without even a count (HT-FRM-4); `badPadding` if the count exceeds the message (HT-FRM-5).
    public static func unpad(_ padded: inout [UInt8]) throws(HybridProtocolError) {
        guard let zeroCount = padded.last else {
            throw HybridProtocolError(.empty, reason: "a sealed message holds at least its padding count")
        }
        let paddingByteCount = Int(zeroCount) + countByteCount
        guard paddingByteCount <= padded.count else {
            throw HybridProtocolError(.badPadding, reason: "the padding count is larger than the message")
        }
        padded.removeLast(paddingByteCount)
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
