import Cryptography

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

/// Every copy of some bytes in which exactly one bit is the other way round.
func singleBitFlips(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.flatMap { index in
        (0..<UInt8.bitWidth).map { bit in
            var flipped = bytes
            flipped[index] ^= 1 << bit
            return flipped
        }
    }
}
