public import Encodings

/// A credential's public key. Source: RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4; WebAuthn Level 3
/// sections 5.8.5 and 6.5.1.1.
public struct COSEKey: Sendable, Hashable {
    /// The key's parameters, of whatever algorithm.
    public let parameters: CBORMap
    /// The algorithm that the key is for.
    public let algorithm: COSEAlgorithm

    private enum Label {
        static let keyType: CBORValue = 1
        static let algorithm: CBORValue = 3
        static let curve: CBORValue = -1
        static let x: CBORValue = -2
        static let y: CBORValue = -3
        static let modulus: CBORValue = -1
        static let exponent: CBORValue = -2
    }
    private static let keyTypeOKP: CBORValue = 1
    private static let keyTypeEC2: CBORValue = 2
    private static let keyTypeRSA: CBORValue = 3
    private static let curveP256: CBORValue = 1
    private static let curveEd25519: CBORValue = 6
    private static let coordinateByteCount = 32
    /// The first byte of an uncompressed point.
    private static let uncompressedForm: UInt8 = 0x04

    /// Reads a key of any algorithm.
    ///
    /// - Throws: ``CTAPError`` `missing-parameter` or `unexpected-type` if it has no key type or no algorithm.
    public init(_ parameters: CBORMap) throws(CTAPError) {
        let labels = try Parameters(.map(parameters), "a public key", .generous)
        _ = try labels.required(Label.keyType, "a key's type", \.integerValue)
        algorithm = COSEAlgorithm(rawValue: try labels.required(Label.algorithm, "a key's algorithm", \.integerValue))
        self.parameters = parameters
    }

    /// Makes an ES256 key of a point.
    ///
    /// - Parameter point: `04`, X, Y: 65 bytes, not checked to be on the curve.
    /// - Throws: ``CTAPError`` `invalid-length` if it is not an uncompressed point of P-256.
    public init(es256 point: Span<UInt8>) throws(CTAPError) { try self.init(point, .es256) }

    /// Makes a key for key agreement of a point (CTAP 2.2 section 6.5.6).
    ///
    /// - Parameter point: `04`, X, Y: 65 bytes, not checked to be on the curve.
    /// - Throws: ``CTAPError`` `invalid-length` if it is not an uncompressed point of P-256.
    public init(keyAgreement point: Span<UInt8>) throws(CTAPError) { try self.init(point, .ecdhESHKDF256) }

    private init(_ point: Span<UInt8>, _ algorithm: COSEAlgorithm) throws(CTAPError) {
        guard point.count == 1 + 2 * Self.coordinateByteCount, point[0] == Self.uncompressedForm else {
            throw CTAPError(.invalidLength, reason: "an uncompressed point of \(point.count) bytes")
        }
        let x = point.extracting(1..<1 + Self.coordinateByteCount).withUnsafeBufferPointer { [UInt8]($0) }
        let y = point.extracting(last: Self.coordinateByteCount).withUnsafeBufferPointer { [UInt8]($0) }
        self.algorithm = algorithm
        parameters = [
            Label.keyType: Self.keyTypeEC2, Label.algorithm: CBORValue(algorithm.rawValue),
            Label.curve: Self.curveP256, Label.x: .bytes(x), Label.y: .bytes(y),
        ]
    }

    /// `04`, X, Y, 65 bytes, not checked to be on the curve; nil if this is not an ES256 key on P-256.
    public var es256Point: [UInt8]? { point(for: .es256) }

    /// `04`, X, Y, 65 bytes, not checked to be on the curve; nil if this is not a key for key agreement on P-256.
    public var keyAgreementPoint: [UInt8]? { point(for: .ecdhESHKDF256) }

    private func point(for wanted: COSEAlgorithm) -> [UInt8]? {
        guard
            algorithm == wanted, parameters[Label.keyType] == Self.keyTypeEC2,
            parameters[Label.curve] == Self.curveP256, let x = parameters[Label.x]?.bytesValue,
            let y = parameters[Label.y]?.bytesValue, x.count == Self.coordinateByteCount,
            y.count == Self.coordinateByteCount
        else { return nil }
        return [Self.uncompressedForm] + x + y
    }

    /// Makes an EdDSA key on Ed25519.
    ///
    /// - Parameter publicKey: 32 bytes, not checked to be a point.
    /// - Throws: ``CTAPError`` `invalid-length`.
    public init(ed25519 publicKey: [UInt8]) throws(CTAPError) {
        guard publicKey.count == Self.coordinateByteCount else {
            throw CTAPError(.invalidLength, reason: "an Ed25519 key of \(publicKey.count) bytes")
        }
        algorithm = .edDSA
        parameters = [
            Label.keyType: Self.keyTypeOKP, Label.algorithm: CBORValue(COSEAlgorithm.edDSA.rawValue),
            Label.curve: Self.curveEd25519, Label.x: .bytes(publicKey),
        ]
    }

    /// The 32 bytes of an EdDSA key on Ed25519, not checked to be a point; nil if this is not one.
    public var ed25519: [UInt8]? {
        guard
            algorithm == .edDSA, parameters[Label.keyType] == Self.keyTypeOKP,
            parameters[Label.curve] == Self.curveEd25519, let x = parameters[Label.x]?.bytesValue,
            x.count == Self.coordinateByteCount
        else { return nil }
        return x
    }

    /// Makes an RS256 key of its two numbers, both big-endian without zeros in front (RFC 8230 section 4).
    public init(rs256 modulus: [UInt8], exponent: [UInt8]) {
        algorithm = .rs256
        parameters = [
            Label.keyType: Self.keyTypeRSA, Label.algorithm: CBORValue(COSEAlgorithm.rs256.rawValue),
            Label.modulus: .bytes(modulus), Label.exponent: .bytes(exponent),
        ]
    }

    /// The two numbers of an RS256 key, not checked; nil if this is not one.
    public var rs256: (modulus: [UInt8], exponent: [UInt8])? {
        guard
            algorithm == .rs256, parameters[Label.keyType] == Self.keyTypeRSA,
            let modulus = parameters[Label.modulus]?.bytesValue,
            let exponent = parameters[Label.exponent]?.bytesValue
        else { return nil }
        return (modulus, exponent)
    }

    /// The key in canonical CBOR.
    public func encoded() -> [UInt8] { parameters.encoded() }
}
