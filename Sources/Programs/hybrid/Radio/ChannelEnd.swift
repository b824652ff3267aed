import Cryptography
import Glibc
import HybridProtocol
import HybridTransport

/// One end of a channel on which messages are exchanged for a test: first one of a handshake's length, then sealed
/// ones.
struct ChannelEnd: ~Copyable {
    let channel: any DataChannel
    private var assembler: MessageAssembler
    private var opener: FrameOpener
    private let sealingKey: [UInt8]
    private var sealedCount: UInt32 = 0

    /// The key of each direction: no secret.
    private static let connectorsKey = [UInt8](repeating: 1, count: AES256GCM.keyByteCount)
    private static let listenersKey = [UInt8](repeating: 2, count: AES256GCM.keyByteCount)
    /// The number of messages that are drawn to find one with a terminator in its frame.
    private static let draws = 100_000

    init(_ channel: any DataChannel, connected: Bool) throws {
        self.channel = channel
        let key = connected ? Self.listenersKey : Self.connectorsKey
        let opener = try FrameOpener(key: key.span)
        assembler = MessageAssembler(piecesAreMessages: channel.keepsMessagesWhole)
        self.opener = opener
        sealingKey = connected ? Self.connectorsKey : Self.listenersKey
    }

    /// Sends a message of a handshake's length as it is.
    func sendBare(_ message: [UInt8]) async throws { try await channel.send(MessageAssembler.terminated(message)) }

    /// Receives a message of a handshake's length.
    mutating func receiveBare() async throws -> [UInt8] {
        while true {
            if let message = assembler.nextHandshakeMessage() { return message }
            try assembler.append(try await channel.receive())
        }
    }

    /// Seals a message and sends it.
    mutating func send(_ message: [UInt8]) async throws {
        let frame = try seal(message)
        sealedCount += 1
        try await channel.send(MessageAssembler.terminated(frame))
    }

    /// Receives a sealed message.
    mutating func receive() async throws -> [UInt8] {
        while true {
            let message = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                isWhole ? try opener.open(frame) : try opener.openIfFrame(frame)
            }
            if let message { return message }
            try assembler.append(try await channel.receive())
        }
    }

    /// A random message of so many bytes whose frame, when it is sent next, has a terminator inside of it.
    func messageWithTerminator(byteCount: Int) throws -> [UInt8] {
        for _ in 0..<Self.draws {
            let message = randomBytes(count: byteCount)
            let frame = try seal(message)
            if hasTerminator(frame) { return message }
        }
        return randomBytes(count: byteCount)
    }

    private func seal(_ message: [UInt8]) throws -> [UInt8] {
        var sealer = try FrameSealer(key: sealingKey.span, startingAt: sealedCount)
        return try sealer.seal(message)
    }
}

/// True if a terminator is anywhere in a message. By the C library: thousands of frames are searched.
func hasTerminator(_ message: [UInt8]) -> Bool {
    message.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while let first = rest.firstPlace(of: MessageAssembler.terminator[0]) {
            if first + 1 < bytes.endIndex, bytes[first + 1] == MessageAssembler.terminator[1] { return true }
            rest = bytes[(first + 1)...]
        }
        return false
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The first index of a byte.
    fileprivate func firstPlace(of byte: UInt8) -> Int? {
        let bytes = UnsafeRawBufferPointer(rebasing: self)
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
        return startIndex + (UnsafeRawPointer(found) - start)
    }
}
