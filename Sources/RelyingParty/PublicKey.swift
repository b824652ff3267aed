public import CTAP
internal import Cryptography

/// A credential's public key, known to be on its curve. ES256 is the only algorithm that is asked for, and taken.
public struct PublicKey: Sendable, Hashable {
    /// `04`, X, Y: 65 bytes.
    public let point: [UInt8]
    /// The algorithm.
    public var algorithm: COSEAlgorithm { .es256 }

    private let key: P256.PublicKey

    /// What precedes the point in a SubjectPublicKeyInfo: the sequence, id-ecPublicKey with prime256v1, and the head of
    /// the bit string. Source: RFC 5480 section 2; 26 bytes.
    private static let subjectPublicKeyInfoHead: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Reads a point.
    ///
    /// - Parameter point: `04`, X, Y: 65 bytes.
    /// - Throws: ``RelyingPartyError`` `bad-public-key`.
    public init(point: [UInt8]) throws(RelyingPartyError) {
        guard point.count == P256.uncompressedByteCount else { throw Self.notOnCurve }
        do throws(CryptographyError) {
            key = try P256.PublicKey(x963: point.span)
        } catch {
            throw Self.notOnCurve
        }
        self.point = point
    }

    /// Reads a DER SubjectPublicKeyInfo as ``subjectPublicKeyInfo`` writes it, and no other.
    ///
    /// - Throws: ``RelyingPartyError`` `bad-public-key`.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(RelyingPartyError) {
        guard der.starts(with: Self.subjectPublicKeyInfoHead) else { throw Self.notOnCurve }
        try self.init(point: [UInt8](der.dropFirst(Self.subjectPublicKeyInfoHead.count)))
    }

    /// The key as a DER SubjectPublicKeyInfo, 91 bytes: what a page's `getPublicKey()` gives.
    public var subjectPublicKeyInfo: [UInt8] { Self.subjectPublicKeyInfoHead + point }

    /// Whether a signature over the message is this key's.
    func verify(_ signature: [UInt8], of message: [UInt8]) throws(RelyingPartyError) -> Bool {
        do throws(CryptographyError) {
            return try key.verify(signature: signature.span, of: message.span)
        } catch {
            throw .library(error)
        }
    }

    /// Whether both are the same point.
    public static func == (left: Self, right: Self) -> Bool { left.point == right.point }

    /// Hashes the point.
    public func hash(into hasher: inout Hasher) { hasher.combine(point) }

    private static var notOnCurve: RelyingPartyError {
        RelyingPartyError(.badPublicKey, reason: "the public key is no point on P-256")
    }
}
