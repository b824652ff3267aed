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
    ///   - counter: the number of the first frame; other than 0 only to test what happens late in a session.
    /// - Throws: `wrongLength`, `cryptographyFailed`.
    public init(
        key: Span<UInt8>,
        construction: TransportConstruction = .current,
        startingAt counter: UInt32 = 0
    ) throws(HybridProtocolError) {
        do { cipher = try AES256GCM.Sealer(key: key) } catch { throw HybridProtocolError(error) }
        nonces = FrameNonces(construction, startingAt: counter)
    }

    /// Pads and seals a message: in place, if its caller gives it up and it has room for what is added, otherwise with
    /// one allocation.
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
        return try seal(message)
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
