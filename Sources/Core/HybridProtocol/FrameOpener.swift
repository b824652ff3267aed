internal import Cryptography

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
    ///   - counter: the number of the first frame; other than 0 only to test what happens late in a session.
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
    /// - Throws: `tooShort` below a tag's length (HT-FRM-17); `tooLong` above what the longest message needs; `badTag`
    ///   (HT-FRM-16, HT-FRM-19); `empty`; `badPadding`; `counterExhausted` (HT-FRM-15).
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
