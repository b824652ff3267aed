internal import Conformance
internal import Cryptography
internal import HybridProtocol

/// Frames of the transport phase (HT-FRM-1, HT-FRM-10 to HT-FRM-13), honest ones and those in which one thing is wrong.
enum CraftedFrame {
    /// The length of the tag at a frame's end: 16 bytes.
    static let tagByteCount = AES256GCM.tagByteCount
    /// The number of the last frame of a direction: 2^24 - 1.
    static let lastCounter: UInt32 = (1 << 24) - 1

    /// The plaintext of a frame: the message, zeros, and their count.
    ///
    /// - Parameter zeroCount: how many zeros, if not as many as fill the block of 32 bytes.
    static func padded(_ message: [UInt8], zeroCount: UInt8? = nil) -> [UInt8] {
        guard let zeroCount else {
            var padded = message
            Padding.pad(&padded)
            return padded
        }
        return message + .zeros(Int(zeroCount)) + [zeroCount]
    }

    /// The frame that an honest sender makes.
    static func seal(
        _ message: [UInt8],
        key: [UInt8],
        counter: UInt32 = 0,
        construction: TransportConstruction = .current
    ) throws -> [UInt8] {
        var sealer = try FrameSealer(key: key.span, construction: construction, startingAt: counter)
        return try sealer.seal(message)
    }

    /// The nonce of a frame: eight zeros, and its number big-endian. Numbers that no sender may use have one too.
    static func nonce(_ counter: UInt32) -> [UInt8] { .zeros(8) + counter.bigEndianBytes }

    /// Seals bytes that need not be a padded message.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes that are sealed, unchanged.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    ///   - authenticatedData: the additional data, of which a frame has none.
    static func seal(
        plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8] = nonce(0),
        authenticatedData: [UInt8] = []
    ) throws -> [UInt8] {
        var sealer = try AES256GCM.Sealer(key: key.span)
        var place = AES256GCM.Nonce(repeating: 0)
        for (index, byte) in nonce.prefix(AES256GCM.nonceByteCount).enumerated() { place[index] = byte }
        var frame = plaintext
        try sealer.seal(&frame, nonce: place, authenticatedData: authenticatedData.span)
        return frame
    }
}
