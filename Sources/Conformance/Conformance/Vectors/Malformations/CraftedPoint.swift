internal import Cryptography

/// Encoded points of P-256, and malformed ones. Points are 65 bytes, coordinates 32.
package enum CraftedPoint {
    /// The place of the X in an uncompressed point.
    package static let x = 1..<P256.compressedByteCount
    /// The place of the Y in an uncompressed point.
    package static let y = P256.compressedByteCount..<P256.uncompressedByteCount

    private enum Form {
        static let compressedEvenY: UInt8 = 0x02
        static let uncompressed: UInt8 = 0x04
        static let unknown: UInt8 = 0x05
        /// Uncompressed, with the lowest bit of Y in the form byte: X9.62 has it, the protocol does not.
        static let hybrid: UInt8 = 0x06
    }

    /// The prime of the coordinates' field: 2^256 - 2^224 + 2^192 + 2^96 - 1 (SP 800-186 section 3.2.1.3).
    package static let prime: [UInt8] = .ones(4) + [0, 0, 0, 1] + .zeros(12) + .ones(12)

    private static func isOnCurve(_ point: [UInt8]) -> Bool { (try? P256.PublicKey(x963: point.span)) != nil }

    /// The public key of a private scalar, uncompressed.
    package static func publicKey(of scalar: [UInt8]) throws -> [UInt8] {
        try P256.PrivateKey(scalar: scalar.span).publicKey.uncompressed
    }

    /// The Diffie-Hellman secret: 32 bytes.
    package static func sharedSecret(_ scalar: [UInt8], _ point: [UInt8]) throws -> [UInt8] {
        let key = try P256.PrivateKey(scalar: scalar.span)
        let secret = try key.sharedSecret(with: P256.PublicKey(x963: point.span))
        return secret.copiedBytes
    }

    /// The compressed form: 33 bytes.
    package static func compressed(_ point: [UInt8]) throws -> [UInt8] {
        try P256.PublicKey(x963: point.span).compressed
    }

    /// The point with a bit of its Y turned over: bit 0 is the lowest one.
    package static func offCurveByY(_ point: [UInt8], bitOfLastByte bit: Int) -> [UInt8] {
        point.flipping(bit: (P256.uncompressedByteCount - 1) * UInt8.bitWidth + bit)
    }

    /// The point with the next X that no point has.
    package static func offCurveByX(_ point: [UInt8]) -> [UInt8] {
        var coordinate = Array(point[x])
        while isOnCurve([Form.compressedEvenY] + coordinate) { increment(&coordinate) }
        return [Form.uncompressed] + coordinate + point[y]
    }

    /// Adds one to a big-endian number.
    private static func increment(_ number: inout [UInt8]) {
        for index in number.indices.reversed() {
            number[index] &+= 1
            if number[index] != 0 { return }
        }
    }

    /// The form byte of uncompressed points, and zeros.
    package static let uncompressedZeros = [Form.uncompressed] + .zeros(2 * P256.scalarByteCount)
    /// Both coordinates above the prime.
    package static let uncompressedOnes = [Form.uncompressed] + .ones(2 * P256.scalarByteCount)

    /// The point with the field's prime as X.
    package static func primeAsX(_ point: [UInt8]) -> [UInt8] { [Form.uncompressed] + prime + point[y] }
    /// Zero as X, and the field's prime as Y.
    package static let primeAsY = [Form.uncompressed] + .zeros(P256.scalarByteCount) + prime

    /// The form byte of a compressed point in front of both coordinates.
    package static func compressedForm(_ point: [UInt8]) -> [UInt8] { [Form.compressedEvenY] + point.dropFirst() }
    /// A form byte that X9.62 does not have.
    package static func unknownForm(_ point: [UInt8]) -> [UInt8] { [Form.unknown] + point.dropFirst() }
    /// The hybrid form of the point.
    package static func hybridForm(_ point: [UInt8]) -> [UInt8] {
        [Form.hybrid | (point.last ?? 0) & 1] + point.dropFirst()
    }
    /// The compressed form, with zeros up to the length of the uncompressed one.
    package static func compressedAndPadded(_ point: [UInt8]) throws -> [UInt8] {
        try compressed(point) + .zeros(P256.uncompressedByteCount - P256.compressedByteCount)
    }
}
