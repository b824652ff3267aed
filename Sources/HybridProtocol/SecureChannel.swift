internal import Cryptography
public import Noise

/// The sealed channel that a handshake leaves: two keys, two counters, and the padding (PROTOCOL.md 6.1).
///
/// It cannot be copied, since a copy would use a counter twice.
public struct SecureChannel: ~Copyable, Sendable {
    private var sealer: FrameSealer
    private var opener: FrameOpener
    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public let handshakeHash: [UInt8]

    /// The longest message that is sealed or opened: 1 MiB (PROTOCOL.md 5.4).
    public static let maximumMessageByteCount = 1 << 20

    /// Takes the two keys by the role in which they are used.
    init(
        _ result: borrowing HandshakeResult,
        role: HandshakeRole,
        construction: TransportConstruction = .current
    ) throws(HybridProtocolError) {
        let hash = result.handshakeHash
        switch role {
        case .initiator:
            try self.init(
                sealing: result.keys.initiatorToResponder, opening: result.keys.responderToInitiator, construction, hash
            )
        case .responder:
            try self.init(
                sealing: result.keys.responderToInitiator, opening: result.keys.initiatorToResponder, construction, hash
            )
        }
    }

    private init(
        sealing: borrowing SecretBytes,
        opening: borrowing SecretBytes,
        _ construction: TransportConstruction,
        _ handshakeHash: [UInt8]
    ) throws(HybridProtocolError) {
        let sealer = try FrameSealer(key: sealing.span, construction: construction)
        let opener = try FrameOpener(key: opening.span, construction: construction)
        self.sealer = sealer
        self.opener = opener
        self.handshakeHash = handshakeHash
    }

    /// Pads and seals a message given as its type byte, if it has one, and the rest, which saves putting them together.
    mutating func seal(_ type: MessageType?, _ payload: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        try sealer.seal(type?.rawValue, payload)
    }

    /// Opens a frame and takes the padding off.
    mutating func open(_ frame: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try opener.open(frame)
    }

    /// Opens bytes that may be a frame; nil if they are not, and then nothing has happened.
    mutating func openIfFrame(_ bytes: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8]? {
        try opener.openIfFrame(bytes)
    }
}

/// Seals one direction's messages into frames.
public struct FrameSealer: ~Copyable, Sendable {
    private var sealer: TransportSealer

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: `TransportConstruction/current`, or the old one towards a peer that has shown to speak it.
    ///   - counter: the number of the first frame; other than 0 only to test what happens late in a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(HybridProtocolError) {
        do {
            sealer = try TransportSealer(key: key, construction: construction, startingAt: counter)
        } catch { throw HybridProtocolError(error) }
    }

    /// Pads and seals a message with one allocation, that of the frame.
    ///
    /// - Parameter message: any number of bytes up to 1 MiB.
    /// - Returns: the padded message, a multiple of 32 bytes, and a tag of 16.
    /// - Throws: `tooLong` above 1 MiB; `counterExhausted` after 2^24 frames; `cryptographyFailed`.
    public mutating func seal(_ message: [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        try seal(nil, message.span)
    }

    /// As ``seal(_:)``, for a message whose first byte is apart from the rest.
    ///
    /// - Parameters:
    ///   - first: the type byte; nil if the message has none.
    ///   - rest: what follows it.
    public mutating func seal(_ first: UInt8?, _ rest: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        let byteCount = rest.count + (first == nil ? 0 : 1)
        guard byteCount <= SecureChannel.maximumMessageByteCount else {
            throw HybridProtocolError(.tooLong, reason: "a message has at most 1 MiB")
        }
        let paddedByteCount = Padding.paddedByteCount(byteCount)
        var frame: [UInt8] = []
        frame.append(addingCapacity: paddedByteCount + AES256GCM.tagByteCount) { frame in
            if let first { frame.append(first) }
            rest.withUnsafeBufferPointer { rest in
                frame.withUnsafeMutableBufferPointer { buffer, count in
                    count = buffer[count...].initialize(fromContentsOf: rest)
                }
            }
            Padding.append(paddedByteCount - byteCount, to: &frame)
            frame.append(repeating: 0, count: AES256GCM.tagByteCount)
        }
        do {
            var span = frame.mutableSpan
            try sealer.seal(&span)
        } catch { throw HybridProtocolError(error) }
        return frame
    }
}

/// Opens one direction's frames.
public struct FrameOpener: ~Copyable, Sendable {
    private var opener: TransportOpener

    /// Starts a direction.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - construction: `TransportConstruction/current`, or the old one of early caBLE v2.0.
    ///   - counter: the number of the first frame; other than 0 only to test what happens late in a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(HybridProtocolError) {
        do {
            opener = try TransportOpener(key: key, construction: construction, startingAt: counter)
        } catch { throw HybridProtocolError(error) }
    }

    /// Opens a frame in place and takes the padding off.
    ///
    /// - Parameter frame: 17 bytes or more: at least the count of the padding, and the tag of 16 bytes.
    /// - Returns: the message; it may be empty, which the layer above has to judge.
    /// - Throws: `tooShort` below a tag's length; `tooLong` above what the longest message needs; `badTag`; `empty`;
    ///   `badPadding`; `counterExhausted`.
    public mutating func open(_ frame: consuming [UInt8]) throws(HybridProtocolError) -> [UInt8] {
        guard frame.count >= AES256GCM.tagByteCount else {
            throw HybridProtocolError(.tooShort, reason: "a frame has at least \(AES256GCM.tagByteCount) bytes")
        }
        guard frame.count <= Self.maximumByteCount else {
            throw HybridProtocolError(.tooLong, reason: "a frame has at most \(Self.maximumByteCount) bytes")
        }
        do { try opener.open(&frame) } catch { throw HybridProtocolError(error) }
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
            // The counter advances only if the frame is authentic.
            return try open(bytes)
        } catch {
            switch error.code {
            case .badTag, .tooShort, .tooLong: return nil
            default: throw error
            }
        }
    }

    /// Whether an implementation is known whose frames can have so many bytes: a multiple of 32 and the tag of 16, or one more
    /// from libwebauthn (PROTOCOL.md 6.1).
    public static func isUsualLength(_ byteCount: Int) -> Bool {
        let paddedByteCount = byteCount - AES256GCM.tagByteCount
        return paddedByteCount >= Padding.blockByteCount && byteCount <= maximumByteCount
            && paddedByteCount % Padding.blockByteCount <= 1
    }

    /// The longest frame: that of the longest message, with the most padding that a count byte can name.
    static let maximumByteCount =
        SecureChannel.maximumMessageByteCount + Int(UInt8.max) + Padding.countByteCount + AES256GCM.tagByteCount
}
