public import CBOR

/// A credential's public key. Source: RFC 9052 section 7, RFC 9053 section 7.1; WebAuthn Level 3 section 6.5.1.1.
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
    }
    private static let keyTypeEC2: CBORValue = 2
    private static let curveP256: CBORValue = 1
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
    /// - Throws: ``CTAPError`` `invalid-length` if it is no uncompressed point of P-256.
    public init(es256 point: Span<UInt8>) throws(CTAPError) {
        guard point.count == 1 + 2 * Self.coordinateByteCount, point[0] == Self.uncompressedForm else {
            throw CTAPError(.invalidLength, reason: "an uncompressed point of \(point.count) bytes")
        }
        let x = point.extracting(1..<1 + Self.coordinateByteCount).withUnsafeBufferPointer { [UInt8]($0) }
        let y = point.extracting(last: Self.coordinateByteCount).withUnsafeBufferPointer { [UInt8]($0) }
        algorithm = .es256
        parameters = [
            Label.keyType: Self.keyTypeEC2, Label.algorithm: CBORValue(COSEAlgorithm.es256.rawValue),
            Label.curve: Self.curveP256, Label.x: .bytes(x), Label.y: .bytes(y),
        ]
    }

    /// `04`, X, Y, 65 bytes, not checked to be on the curve; nil if this is not an ES256 key on P-256.
    public var es256Point: [UInt8]? {
        guard
            algorithm == .es256, parameters[Label.keyType] == Self.keyTypeEC2,
            parameters[Label.curve] == Self.curveP256, let x = parameters[Label.x]?.bytesValue,
            let y = parameters[Label.y]?.bytesValue, x.count == Self.coordinateByteCount,
            y.count == Self.coordinateByteCount
        else { return nil }
        return [Self.uncompressedForm] + x + y
    }

    /// The key in canonical CBOR.
    public func encoded() -> [UInt8] { parameters.encoded() }
}
