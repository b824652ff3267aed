public import Cryptography

/// The request of an authenticator for contact IDs under labels of its own and, if it listens, for wakes through this
/// connection, with the proof that it may (TS-CON-9, TS-CON-19).
///
/// The proof is an ECDSA signature (P-256, SHA-256, DER) over
///
/// | bytes | |
/// |---|---|
/// | 29 | `hybrid contact registration 1`, ASCII |
/// | 1 | the length of the host's name |
/// | 1 to 255 | the host's name as the Host header has it, without the port, in lower case |
/// | 32 | the challenge, from the service, each good once |
/// | 32 | SHA-256 of `01` if it listens, otherwise `00`, and of the labels |
public struct ContactRegistration: Sendable, Equatable {
    /// The most labels of a registration: 64.
    public static let maximumLabelCount = 64
    /// The length of a challenge: 32 bytes.
    public static let challengeByteCount = 32

    /// The contact public key, compressed: 33 bytes.
    public let publicKey: [UInt8]
    /// The proof, DER.
    public let signature: [UInt8]
    /// All labels under which the authenticator can be reached, in the order in which their contact IDs are wanted.
    public let labels: [ContactLabel]
    /// True if the authenticator can be woken through this connection; false if it asks for contact IDs only.
    public let listens: Bool

    static let publicKeyByteCount = P256.compressedByteCount
    static let signatureByteCounts = 8...72
    private static let domainSeparation = Array("hybrid contact registration 1".utf8)
    private static let listening: UInt8 = 1
    private static let notListening: UInt8 = 0

    /// Makes a registration, and proves it.
    ///
    /// - Parameters:
    ///   - host: the service's name as it stands in the request's Host header, without the port: 1 to 255 bytes.
    ///   - challenge: the service's latest: 32 bytes.
    ///   - labels: the links whose clients may wake the authenticator.
    ///   - listens: true if the authenticator can be woken through this connection.
    ///   - key: the authenticator's contact key, which signs.
    /// - Throws: `wrong-length`, `cryptography-failed`.
    public init(
        labels: [ContactLabel],
        listens: Bool,
        host: String,
        challenge: [UInt8],
        key: borrowing P256.PrivateKey
    ) throws(TunnelProtocolError) {
        guard labels.count <= Self.maximumLabelCount else { throw .wrongLength("the list of labels") }
        let statement = try Self.statement(labels: labels, listens: listens, host: host, challenge: challenge)
        do throws(CryptographyError) {
            signature = try key.sign(statement.span)
        } catch {
            throw TunnelProtocolError(error)
        }
        publicKey = key.publicKey.compressed
        self.labels = labels
        self.listens = listens
    }

    /// Draws a challenge (TS-CON-8).
    ///
    /// - Returns: 32 bytes.
    public static func randomChallenge() -> [UInt8] { randomBytes(count: challengeByteCount) }

    init(publicKey: [UInt8], signature: [UInt8], labels: [ContactLabel], listens: Bool) {
        self.publicKey = publicKey
        self.signature = signature
        self.labels = labels
        self.listens = listens
    }

    /// Checks the proof.
    ///
    /// - Parameters:
    ///   - host: the name under which the service was asked.
    ///   - challenge: the one that it gave last.
    /// - Returns: the authenticator that owns the key.
    /// - Throws: `wrong-proof`, `wrong-length`, `cryptography-failed`.
    public func authenticator(host: String, challenge: [UInt8]) throws(TunnelProtocolError) -> AuthenticatorID {
        let statement = try Self.statement(labels: labels, listens: listens, host: host, challenge: challenge)
        let key: P256.PublicKey
        let isGood: Bool
        do throws(CryptographyError) {
            key = try P256.PublicKey(x963: publicKey.span)
            isGood = try key.verify(signature: signature.span, of: statement.span)
        } catch {
            guard error.code == .invalidPoint else { throw TunnelProtocolError(error) }
            throw TunnelProtocolError(.wrongProof, reason: "the contact public key is not a point on P-256")
        }
        guard isGood else { throw TunnelProtocolError(.wrongProof, reason: "the signature is not good") }
        return AuthenticatorID(key)
    }

    private static func statement(
        labels: [ContactLabel], listens: Bool, host: String, challenge: [UInt8]
    ) throws(TunnelProtocolError) -> [UInt8] {
        let name = Array(host.lowercased().utf8)
        guard let nameLength = UInt8(exactly: name.count), nameLength > 0 else { throw .wrongLength("the host's name") }
        guard challenge.count == challengeByteCount else { throw .wrongLength("the challenge") }
        let wanted = [listens ? listening : notListening] + labels.flatMap(\.bytes)
        return domainSeparation + [nameLength] + name + challenge + SHA256.hash(wanted.span)
    }
}
