internal import Cryptography

/// Encoded points of P-256, and what somebody could send instead of one. Points are 65 bytes, coordinates 32.
enum CraftedPoint {
    /// Where the X of an uncompressed point is.
    static let x = 1..<P256.compressedByteCount
    /// Where the Y of an uncompressed point is.
    static let y = P256.compressedByteCount..<P256.uncompressedByteCount

    private enum Form {
        static let compressedEvenY: UInt8 = 0x02
        static let uncompressed: UInt8 = 0x04
        static let unknown: UInt8 = 0x05
        /// Uncompressed, with the lowest bit of Y in the form byte: X9.62 has it, the protocol does not.
        static let hybrid: UInt8 = 0x06
    }

    /// The prime of the field that the coordinates are in: 2^256 - 2^224 + 2^192 + 2^96 - 1 (SP 800-186 section 3.2.1.3).
    private static let prime =
        Magnitude.powerOfTwo(256) - .powerOfTwo(224) + .powerOfTwo(192) + .powerOfTwo(96) - .powerOfTwo(0)

    private static func coordinate(_ number: Magnitude) -> [UInt8] { number.bigEndianBytes(P256.scalarByteCount) }

    private static func isOnCurve(_ point: [UInt8]) -> Bool { (try? P256.PublicKey(x963: point.span)) != nil }

    /// The public key of a private scalar, uncompressed.
    static func publicKey(of scalar: [UInt8]) throws -> [UInt8] {
        try P256.PrivateKey(scalar: scalar.span).publicKey.uncompressed
    }

    /// The Diffie-Hellman secret: 32 bytes.
    static func sharedSecret(_ scalar: [UInt8], _ point: [UInt8]) throws -> [UInt8] {
        let key = try P256.PrivateKey(scalar: scalar.span)
        let secret = try key.sharedSecret(with: P256.PublicKey(x963: point.span))
        return secret.copiedBytes
    }

    /// The compressed form: 33 bytes.
    static func compressed(_ point: [UInt8]) throws -> [UInt8] { try P256.PublicKey(x963: point.span).compressed }

    /// The point with the other Y.
    static func negated(_ point: [UInt8]) -> [UInt8] {
        point[..<y.lowerBound] + coordinate(prime - Magnitude(point[y]))
    }

    /// The point with a bit of its Y turned over: bit 0 is the lowest one.
    static func offCurveByY(_ point: [UInt8], bitOfLastByte bit: Int) -> [UInt8] {
        point.flipping(bit: (P256.uncompressedByteCount - 1) * UInt8.bitWidth + bit)
    }

    /// The point with the next X that no point has.
    static func offCurveByX(_ point: [UInt8]) -> [UInt8] {
        var number = Magnitude(point[x])
        while isOnCurve([Form.compressedEvenY] + coordinate(number)) { number = number + 1 }
        return [Form.uncompressed] + coordinate(number) + point[y]
    }

    /// The form byte of uncompressed points, and zeros.
    static let uncompressedZeros = [Form.uncompressed] + .zeros(2 * P256.scalarByteCount)
    /// Both coordinates above the prime.
    static let uncompressedOnes = [Form.uncompressed] + .ones(2 * P256.scalarByteCount)

    /// The point with the field's prime as X.
    static func primeAsX(_ point: [UInt8]) -> [UInt8] { [Form.uncompressed] + coordinate(prime) + point[y] }
    /// Zero as X, and the field's prime as Y.
    static let primeAsY = [Form.uncompressed] + .zeros(P256.scalarByteCount) + coordinate(prime)

    /// The form byte of a compressed point in front of both coordinates.
    static func compressedForm(_ point: [UInt8]) -> [UInt8] { [Form.compressedEvenY] + point.dropFirst() }
    /// A form byte that X9.62 does not have.
    static func unknownForm(_ point: [UInt8]) -> [UInt8] { [Form.unknown] + point.dropFirst() }
    /// The hybrid form of the point.
    static func hybridForm(_ point: [UInt8]) -> [UInt8] {
        [Form.hybrid | (point.last ?? 0) & 1] + point.dropFirst()
    }
    /// The compressed form, with zeros up to the length of the uncompressed one.
    static func compressedAndPadded(_ point: [UInt8]) throws -> [UInt8] {
        try compressed(point) + .zeros(P256.uncompressedByteCount - P256.compressedByteCount)
    }
}
