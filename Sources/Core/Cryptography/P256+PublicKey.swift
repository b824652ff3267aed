internal import COpenSSL

extension P256 {
    /// A point on the curve: a public key, static or ephemeral.
    ///
    /// There is no value of this type that is off the curve or at infinity.
    public struct PublicKey: Sendable, Equatable {
        /// `04`, X, Y: 65 bytes.
        public let uncompressed: [UInt8]
        let key: KeyReference

        /// Reads a point in either X9.62 form and checks that it is on the curve.
        ///
        /// - Parameter x963: 65 bytes beginning with `04`, or 33 bytes beginning with `02` or `03`. Hybrid forms (`06`,
        ///   `07`) and the point at infinity (`00`) are refused.
        /// - Throws: `invalidPoint`; `libraryFailure`.
        public init(x963: Span<UInt8>) throws(CryptographyError) {
            let form = x963.isEmpty ? nil : x963[0]
            switch (x963.count, form) {
            case (P256.uncompressedByteCount, PointForm.uncompressed),
                (P256.compressedByteCount, PointForm.compressedEvenY),
                (P256.compressedByteCount, PointForm.compressedOddY):
                break
            default:
                throw CryptographyError(.invalidPoint, reason: "not the form of a P-256 point")
            }
            guard let key = KeyReference(publicKey: x963) else {
                ERR_clear_error()
                throw CryptographyError(.invalidPoint, reason: "the point is not on P-256")
            }
            self.key = key
            // Coordinates are read below the prime only, so that a point has one uncompressed form: these bytes.
            uncompressed =
                form == PointForm.uncompressed
                ? x963.withUnsafeBufferPointer { Array($0) } : try key.uncompressedPoint()
        }

        init(key: KeyReference) throws(CryptographyError) {
            self.key = key
            uncompressed = try key.uncompressedPoint()
        }

        /// `02` or `03`, then X: 33 bytes.
        public var compressed: [UInt8] {
            let yIsOdd = (uncompressed.last ?? 0) & 1 == 1
            let form = yIsOdd ? PointForm.compressedOddY : PointForm.compressedEvenY
            return [form] + uncompressed[1..<P256.compressedByteCount]
        }

        /// True if a signature is valid: ECDSA with SHA-256 (FIPS 186-5).
        ///
        /// - Parameters:
        ///   - signature: DER, as WebAuthn and CTAP carry it. Anything else is simply not a good signature.
        ///   - message: any number of bytes.
        /// - Throws: `libraryFailure`.
        public func verify(
            signature: Span<UInt8>,
            of message: Span<UInt8>
        ) throws(CryptographyError) -> Bool {
            try key.verify(signature: signature, of: message, digest: P256.signatureDigest)
        }

        /// True if both are the same point.
        public static func == (left: Self, right: Self) -> Bool { left.uncompressed == right.uncompressed }
    }
}
