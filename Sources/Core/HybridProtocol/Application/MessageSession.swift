internal import Cryptography

/// One end of a session of an application's messages, after the handshake: seals and opens them as frames.
///
/// The padding, the counters and the longest message, 1 MiB, are those of a session of requests.
public struct MessageSession<Codec: MessageCodec>: ~Copyable, Sendable {
    /// The state of the messages. Anything may be changed in it but the values that both ends have to agree on.
    public var codec: Codec
    private var channel: SecureChannel
    private var hasFailed = false

    init(_ channel: consuming SecureChannel, _ codec: (_ handshakeHash: [UInt8]) -> Codec) {
        self.codec = codec(channel.handshakeHash)
        self.channel = channel
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    public var handshakeHash: [UInt8] { channel.handshakeHash }

    /// True if no message may follow: the codec says so, or one could not be opened.
    public var isOver: Bool { hasFailed || codec.isComplete }

    /// Seals a message.
    ///
    /// - Returns: the frame to send.
    /// - Throws: the errors of the codec; `tooLong` above 1 MiB; `sessionEnded`; `counterExhausted`,
    ///   `cryptographyFailed`. A message that was refused here leaves the session as it was.
    public mutating func seal(_ message: Codec.Message) throws(HybridProtocolError) -> [UInt8] {
        guard !isOver else { throw .sessionIsOver }
        var codec = codec
        let plaintext = SecretArray(try codec.encode(message))
        let frame = try channel.sealer.seal(nil, plaintext.span)
        self.codec = codec
        return frame
    }

    /// Opens a frame.
    ///
    /// - Parameter frame: as it came from the data channel.
    /// - Throws: the errors of ``FrameOpener/open(_:)`` and of the codec; `sessionEnded` after the end or after any
    ///   error: the first one ends the session.
    public mutating func open(_ frame: [UInt8]) throws(HybridProtocolError) -> Codec.Message {
        guard !isOver else { throw .sessionIsOver }
        do {
            return try read(SecretArray(channel.opener.open(frame)))
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Opens bytes that may be the next frame, from a channel that does not keep messages whole; see
    /// ``MessageAssembler``.
    ///
    /// - Returns: nil if the bytes are not the next frame; then the session is as it was.
    /// - Throws: as ``open(_:)``, but for `badTag`.
    public mutating func openIfFrame(_ bytes: [UInt8]) throws(HybridProtocolError) -> Codec.Message? {
        guard !isOver else { throw .sessionIsOver }
        do {
            guard let plaintext = SecretArray(try channel.opener.openIfFrame(bytes)) else { return nil }
            return try read(plaintext)
        } catch {
            hasFailed = true
            throw error
        }
    }

    private mutating func read(_ plaintext: consuming SecretArray) throws(HybridProtocolError) -> Codec.Message {
        try codec.decode(plaintext.span)
    }
}

extension ConnectedAuthenticator {
    /// Begins a session of an application's messages in the place of one of requests: for an invitation to one.
    ///
    /// - Parameter codec: makes the state of the messages from the handshake hash, 32 bytes.
    package consuming func exchange<Codec>(
        _ codec: (_ handshakeHash: [UInt8]) -> Codec
    ) -> MessageSession<Codec> { MessageSession(channel, codec) }
}

extension ConnectedClient {
    /// Begins a session of an application's messages in the place of one of requests: for an invitation to one.
    ///
    /// - Parameter codec: makes the state of the messages from the handshake hash, 32 bytes.
    /// - Throws: `cryptographyFailed`.
    package consuming func exchange<Codec>(
        _ codec: (_ handshakeHash: [UInt8]) -> Codec
    ) throws(HybridProtocolError) -> MessageSession<Codec> {
        MessageSession(try SecureChannel(handshake, role: .initiator), codec)
    }
}
