internal import HybridProtocol

/// One direction of a session, of which a case may set everything wrongly: key, counter, construction, padding.
struct Direction: Sendable {
    var key: [UInt8]
    var counter: UInt32 = 0
    var construction = TransportConstruction.current

    /// The block whose multiple a padded length is: 32 bytes.
    static let blockByteCount = 32
    /// The length of a frame's tag: 16 bytes.
    static let tagByteCount = 16

    init(key: [UInt8]) { self.key = key }

    /// Seals bytes that are padded already, and counts.
    mutating func seal(padded bytes: [UInt8]) throws -> [UInt8] {
        var sealer = try FrameSealer(key: key.span, construction: construction, startingAt: counter)
        let frame = try sealer.seal(padded: bytes)
        counter += 1
        return frame
    }

    /// Pads a message as the rule says, seals it, and counts.
    mutating func seal(_ message: [UInt8]) throws -> [UInt8] { try seal(padded: Self.padded(message)) }

    /// True if bytes are a frame that is due now.
    func opens(_ frame: [UInt8]) -> Bool {
        guard var opener = try? FrameOpener(key: key.span, construction: construction, startingAt: counter) else {
            return false
        }
        return (try? opener.openPadded(frame)) != nil
    }

    /// Opens a frame, takes its padding off, and counts.
    ///
    /// - Throws: ``Deviation`` if it does not open, or is not padded as it must be.
    mutating func open(_ frame: [UInt8]) throws -> [UInt8] {
        var opener = try FrameOpener(key: key.span, construction: construction, startingAt: counter)
        let message: [UInt8]
        do { message = try opener.openPadded(frame) } catch {
            throw Deviation("its frame \(counter), of \(frame.count) bytes, cannot be decrypted")
        }
        counter += 1
        guard let zeroCount = message.last.map(Int.init), zeroCount < message.count else {
            throw Deviation("its frame of \(frame.count) bytes has a padding count that does not fit")
        }
        guard message.suffix(zeroCount + 1).dropLast().allSatisfy({ $0 == 0 }) else {
            throw Deviation("its padding is not all zeros")
        }
        return Array(message.dropLast(zeroCount + 1))
    }

    /// A message with the least padding that makes it a multiple of 32 bytes: zeros, and their count.
    static func padded(_ message: [UInt8]) -> [UInt8] {
        let zeroCount = blockByteCount - 1 - message.count % blockByteCount
        return padded(message, zeroCount: zeroCount)
    }

    /// A message with so many zeros (0…255), and their count.
    static func padded(_ message: [UInt8], zeroCount: Int) -> [UInt8] {
        message + [UInt8](repeating: 0, count: zeroCount) + [UInt8(truncatingIfNeeded: zeroCount)]
    }
}
