import Cryptography
import HybridProtocol

/// Everything that a handshake starts from, for both ends.
struct Parties: Sendable {
    var pattern: HandshakePattern
    var presharedKey: [UInt8]
    var staticScalar: [UInt8]
    var initiatorEphemeral: [UInt8]
    var responderEphemeral: [UInt8]

    /// Fixed keys that nothing else uses.
    static func fixed(_ pattern: HandshakePattern) -> Self {
        Self(
            pattern: pattern,
            presharedKey: .init(repeating: 0x50, count: Handshake.presharedKeyByteCount),
            staticScalar: .init(repeating: 0x51, count: P256.scalarByteCount),
            initiatorEphemeral: .init(repeating: 0x52, count: P256.scalarByteCount),
            responderEphemeral: .init(repeating: 0x53, count: P256.scalarByteCount))
    }

    /// The end that owns the static key: the client in a QR-initiated session, the authenticator in a linked one.
    private var owner: HandshakeRole { pattern.initiatorPreMessage.isEmpty ? .responder : .initiator }

    func handshake(_ role: HandshakeRole) throws -> Handshake {
        let presharedKey = SecretBytes(copying: presharedKey.span)
        if role == owner {
            return try Handshake(
                pattern, role: role, staticKey: P256.PrivateKey(scalar: staticScalar.span), presharedKey: presharedKey)
        }
        let remote = try P256.PrivateKey(scalar: staticScalar.span).publicKey
        return try Handshake(pattern, role: role, remoteStaticKey: remote, presharedKey: presharedKey)
    }

    func ephemeralKey(_ role: HandshakeRole) throws -> P256.PrivateKey {
        try P256.PrivateKey(scalar: (role == .initiator ? initiatorEphemeral : responderEphemeral).span)
    }

    /// Message 1 as this initiator writes it.
    func message1(payload: [UInt8] = []) throws -> [UInt8] {
        var initiator = try handshake(.initiator)
        return try initiator.writeMessage(ephemeralKey: ephemeralKey(.initiator), payload: payload)
    }

    /// An initiator that has sent message 1 and waits for message 2.
    func waitingInitiator() throws -> Handshake {
        var initiator = try handshake(.initiator)
        _ = try initiator.writeMessage(ephemeralKey: ephemeralKey(.initiator))
        return initiator
    }

    /// Message 2 as this responder answers a message 1.
    func message2(answering message1: [UInt8], payload: [UInt8] = []) throws -> [UInt8] {
        var responder = try handshake(.responder)
        _ = try responder.readMessage(message1.span)
        return try responder.writeMessage(ephemeralKey: ephemeralKey(.responder), payload: payload)
    }

    /// The code with which a new responder refuses a message 1; nil if it takes it.
    func refusalOfMessage1(_ message: [UInt8]) throws -> CryptographyError.Code? {
        var responder = try handshake(.responder)
        return refusal { () throws(CryptographyError) in try responder.readMessage(message.span) }
    }

    /// The code with which a waiting initiator refuses a message 2; nil if it takes it.
    func refusalOfMessage2(_ message: [UInt8]) throws -> CryptographyError.Code? {
        var initiator = try waitingInitiator()
        return refusal { () throws(CryptographyError) in try initiator.readMessage(message.span) }
    }
}

/// Both patterns of the hybrid transport.
let bothPatterns: [HandshakePattern] = [.knPSK0, .nkPSK0]

/// The code of the error that `body` throws; nil if it throws none.
func refusal<Result: ~Copyable>(_ body: () throws(CryptographyError) -> Result) -> CryptographyError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}

/// The bytes of a secret, for a test to look at.
func contents(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.span.withUnsafeBufferPointer { Array($0) }
}

/// Every copy of some bytes in which exactly one bit is the other way round, and the index of the byte that it is in.
func singleBitFlips(_ bytes: [UInt8]) -> [(index: Int, flipped: [UInt8])] {
    bytes.indices.flatMap { index in
        (0..<UInt8.bitWidth).map { bit in
            var flipped = bytes
            flipped[index] ^= 1 << bit
            return (index, flipped)
        }
    }
}
