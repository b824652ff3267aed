internal import Noise

/// A client that has finished the handshake and waits for the authenticator's first message (PROTOCOL.md 6.1, 7.1).
public struct ConnectedClient: ~Copyable, Sendable {
    private let handshake: HandshakeResult

    init(_ handshake: consuming HandshakeResult) { self.handshake = handshake }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { handshake.handshakeHash }

    /// Whether bytes are the whole first message, for a channel that does not keep messages whole; see ``MessageAssembler``.
    ///
    /// - Parameter bytes: any number.
    /// - Throws: as ``FrameOpener/openIfFrame(_:)``.
    public func opens(_ bytes: [UInt8]) throws(HybridProtocolError) -> Bool {
        for construction in [TransportConstruction.current, .old] {
            var channel = try SecureChannel(handshake, role: .initiator, construction: construction)
            if try channel.openIfFrame(bytes) != nil { return true }
        }
        return false
    }

    /// Reads the first message; afterwards requests may be sent.
    ///
    /// The first frame shows which construction the authenticator seals with, and we seal likewise from then on.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: what ``FrameOpener/open(_:)`` and ``FirstMessage/init(decoding:)`` throw; `badTag` if the frame opens under
    ///   neither construction.
    public consuming func readFirstMessage(_ frame: [UInt8]) throws(HybridProtocolError) -> ClientSession {
        do {
            return try readFirstMessage(frame, .current)
        } catch {
            guard error.code == .badTag else { throw error }
        }
        return try readFirstMessage(frame, .old)
    }

    private func readFirstMessage(
        _ frame: [UInt8],
        _ construction: TransportConstruction
    ) throws(HybridProtocolError) -> ClientSession {
        var channel = try SecureChannel(handshake, role: .initiator, construction: construction)
        let plaintext = try channel.open(frame)
        return ClientSession(channel, firstMessage: try FirstMessage(decoding: plaintext.span))
    }
}
