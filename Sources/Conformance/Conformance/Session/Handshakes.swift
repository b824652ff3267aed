internal import Cryptography
internal import HybridProtocol
internal import Synchronization

/// The keys that a handshake ends with (Noise section 5.2, Split), one a direction: 32 bytes each.
struct SplitKeys: Sendable {
    let clientToAuthenticator: [UInt8]
    let authenticatorToClient: [UInt8]
    /// The handshake hash, for which linking data is signed: 32 bytes.
    let handshakeHash: [UInt8]

    fileprivate init(_ handshake: consuming Handshake) throws {
        let result = try handshake.finish()
        handshakeHash = result.handshakeHash
        clientToAuthenticator = result.keys.initiatorToResponder.copied()
        authenticatorToClient = result.keys.responderToInitiator.copied()
    }
}

/// The client's side of a handshake, with whatever keys a case wants.
final class ClientHandshake: Sendable {
    /// Message 1.
    let message: [UInt8]
    private let handshake: Mutex<Handshake?>

    /// Writes message 1.
    ///
    /// - Parameters:
    ///   - scalar: the client's static private key.
    ///   - presharedKey: 32 bytes.
    ///   - payload: nothing, for a right message.
    ///   - ephemeral: the ephemeral private key, 32 bytes; a new one if nil.
    init(scalar: [UInt8], presharedKey: [UInt8], payload: [UInt8] = [], ephemeral: [UInt8]? = nil) throws {
        let key = try P256.PrivateKey(scalar: scalar.span)
        let ephemeralKey = try P256.PrivateKey(ephemeral)
        var handshake = try Handshake(
            .knPSK0, role: .initiator, staticKey: key, presharedKey: SecretBytes(copying: presharedKey.span))
        message = try handshake.writeMessage(ephemeralKey: ephemeralKey, payload: payload)
        self.handshake = Mutex(handshake)
    }

    /// Writes message 1 of a linked session (NKpsk0).
    ///
    /// - Parameters:
    ///   - authenticator: its static public key.
    ///   - presharedKey: 32 bytes.
    ///   - payload: nothing, for a right message.
    init(authenticator: P256.PublicKey, presharedKey: [UInt8], payload: [UInt8] = []) throws {
        var handshake = try Handshake(
            .nkPSK0, role: .initiator, remoteStaticKey: authenticator,
            presharedKey: SecretBytes(copying: presharedKey.span))
        message = try handshake.writeMessage(ephemeralKey: .generate(), payload: payload)
        self.handshake = Mutex(handshake)
    }

    /// Message 1 of the pattern of linked sessions, for an unknown authenticator.
    static func linkedMessage(presharedKey: [UInt8]) throws -> [UInt8] {
        let unknownKey = try P256.PrivateKey.generate().publicKey
        return try ClientHandshake(authenticator: unknownKey, presharedKey: presharedKey).message
    }

    /// Reads message 2.
    ///
    /// - Throws: ``Deviation`` if it is not the right answer to message 1.
    func finish(_ response: [UInt8]) throws -> SplitKeys {
        try handshake.withLock { stored in
            guard var handshake = stored.take() else { throw Deviation("a second handshake message came") }
            do {
                guard try handshake.readMessage(response.span).isEmpty else {
                    throw Deviation("its handshake message has a payload")
                }
                return try SplitKeys(handshake)
            } catch let error as CryptographyError {
                throw Deviation("its handshake message of \(response.count) bytes cannot be decrypted: \(error.reason)")
            }
        }
    }
}

/// The authenticator's side of a handshake.
enum AuthenticatorHandshake {
    /// Reads message 1 and writes message 2.
    ///
    /// - Parameters:
    ///   - message: message 1.
    ///   - client: the client's static public key.
    ///   - presharedKey: 32 bytes.
    ///   - payload: nothing, for a right message 2.
    ///   - ephemeral: the ephemeral private key, 32 bytes; a new one if nil.
    ///   - takesPayload: true to take a message 1 with a payload, which breaks the rule.
    /// - Throws: ``Deviation`` if message 1 is not right.
    static func answer(
        _ message: [UInt8], client: P256.PublicKey, presharedKey: [UInt8], payload: [UInt8] = [],
        ephemeral: [UInt8]? = nil, takesPayload: Bool = false
    ) throws -> (response: [UInt8], keys: SplitKeys) {
        try answer(message, payload, ephemeral, takesPayload) {
            try Handshake(
                .knPSK0, role: .responder, remoteStaticKey: client,
                presharedKey: SecretBytes(copying: presharedKey.span))
        }
    }

    /// Reads message 1 of a linked session (NKpsk0) and writes message 2.
    ///
    /// - Parameters:
    ///   - message: message 1.
    ///   - scalar: our static private key.
    ///   - presharedKey: 32 bytes.
    ///   - payload: nothing, for a right message 2.
    /// - Throws: ``Deviation`` if message 1 is not right.
    static func answer(
        _ message: [UInt8], scalar: [UInt8], presharedKey: [UInt8], payload: [UInt8] = []
    ) throws -> (response: [UInt8], keys: SplitKeys) {
        try answer(message, payload) {
            try Handshake(
                .nkPSK0, role: .responder, staticKey: P256.PrivateKey(scalar: scalar.span),
                presharedKey: SecretBytes(copying: presharedKey.span))
        }
    }

    private static func answer(
        _ message: [UInt8], _ payload: [UInt8], _ ephemeral: [UInt8]? = nil, _ takesPayload: Bool = false,
        begin: () throws -> Handshake
    ) throws -> (response: [UInt8], keys: SplitKeys) {
        do {
            var handshake = try begin()
            guard try handshake.readMessage(message.span).isEmpty || takesPayload else {
                throw Deviation("its handshake message has a payload")
            }
            let ephemeralKey = try P256.PrivateKey(ephemeral)
            let response = try handshake.writeMessage(ephemeralKey: ephemeralKey, payload: payload)
            return (response, try SplitKeys(handshake))
        } catch let error as CryptographyError {
            throw Deviation("its handshake message of \(message.count) bytes cannot be decrypted: \(error.reason)")
        }
    }
}

extension P256.PrivateKey {
    /// Makes a key of its 32 bytes; draws one if there are none.
    fileprivate init(_ scalar: [UInt8]?) throws {
        if let scalar { self = try Self(scalar: scalar.span) } else { self = try .generate() }
    }
}
