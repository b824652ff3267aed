public import CTAP
internal import Cryptography

/// A credential's public key: ES256 on P-256, EdDSA on Ed25519, or RS256 with 2048 to 4096 bits.
public struct PublicKey: Sendable, Hashable {
    /// The algorithm.
    public let algorithm: COSEAlgorithm
    /// The key as a DER SubjectPublicKeyInfo: the value of a page's `getPublicKey()`.
    public let subjectPublicKeyInfo: [UInt8]

    private let key: Key

    private enum Key: Sendable {
        case p256(P256.PublicKey)
        case ed25519(Ed25519.PublicKey)
        case rsa(RSA.PublicKey)
    }

    /// The bytes before the point in a SubjectPublicKeyInfo: the sequence, id-ecPublicKey with prime256v1, and the head
    /// of the bit string. Source: RFC 5480 section 2; 26 bytes.
    private static let p256Head: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Likewise for Ed25519. Source: RFC 8410 section 4; 12 bytes.
    private static let ed25519Head: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    /// Reads a key as it stands in authenticator data.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-public-key`, also for other algorithms.
    public init(_ key: COSEKey) throws(RelyingPartyError) {
        if let point = key.es256Point {
            try self.init(point: point)
        } else if let bytes = key.ed25519 {
            try self.init(ed25519: bytes)
        } else if let (modulus, exponent) = key.rs256 {
            try self.init(
                rsa: { () throws(CryptographyError) in
                    try RSA.PublicKey(modulus: modulus, exponent: exponent)
                })
        } else {
            throw Self.bad("its form is not that of its algorithm")
        }
    }

    /// Reads a point on P-256, for ES256.
    ///
    /// - Parameter point: `04`, X, Y: 65 bytes.
    /// - Throws: ``RelyingPartyError`` `bad-public-key`.
    public init(point: [UInt8]) throws(RelyingPartyError) {
        guard point.count == P256.uncompressedByteCount else { throw Self.bad("it is not a point on P-256") }
        do throws(CryptographyError) {
            key = .p256(try P256.PublicKey(x963: point.span))
        } catch {
            throw Self.bad("it is not a point on P-256")
        }
        algorithm = .es256
        subjectPublicKeyInfo = Self.p256Head + point
    }

    /// Reads a DER SubjectPublicKeyInfo as ``subjectPublicKeyInfo`` has it, and no other.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-public-key`.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(RelyingPartyError) {
        if der.starts(with: Self.p256Head) {
            try self.init(point: [UInt8](der.dropFirst(Self.p256Head.count)))
        } else if der.starts(with: Self.ed25519Head) {
            try self.init(ed25519: [UInt8](der.dropFirst(Self.ed25519Head.count)))
        } else {
            try self.init(
                rsa: { () throws(CryptographyError) in
                    try RSA.PublicKey(subjectPublicKeyInfo: der.span)
                })
        }
    }

    private init(ed25519 bytes: [UInt8]) throws(RelyingPartyError) {
        do throws(CryptographyError) {
            key = .ed25519(try Ed25519.PublicKey(bytes.span))
        } catch {
            throw Self.bad("it is not a key on Ed25519")
        }
        algorithm = .edDSA
        subjectPublicKeyInfo = Self.ed25519Head + bytes
    }

    private init(rsa read: () throws(CryptographyError) -> RSA.PublicKey) throws(RelyingPartyError) {
        do throws(CryptographyError) {
            let rsa = try read()
            subjectPublicKeyInfo = try rsa.subjectPublicKeyInfo()
            key = .rsa(rsa)
        } catch {
            throw Self.bad("it is not an RSA key of an accepted size")
        }
        algorithm = .rs256
    }

    /// True if a signature over the message is this key's.
    func verify(_ signature: [UInt8], of message: [UInt8]) throws(RelyingPartyError) -> Bool {
        do throws(CryptographyError) {
            switch key {
            case .p256(let key): return try key.verify(signature: signature.span, of: message.span)
            case .ed25519(let key): return try key.verify(signature: signature.span, of: message.span)
            case .rsa(let key): return try key.verify(signature: signature.span, of: message.span)
            }
        } catch {
            throw .library(error)
        }
    }

    /// True if both are the same key.
    public static func == (left: Self, right: Self) -> Bool { left.subjectPublicKeyInfo == right.subjectPublicKeyInfo }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(subjectPublicKeyInfo) }

    private static func bad(_ what: String) -> RelyingPartyError {
        RelyingPartyError(.badPublicKey, reason: "the public key is not valid: \(what)")
    }
}
