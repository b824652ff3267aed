extension Scrypt.Cost {
    /// The block size that everybody uses (RFC 7914 section 2).
    private static let standardBlockSize = 8
    /// The cost of the measurement: 16 MiB.
    private static let measuredLogN = 14
    /// The least and the most that is chosen: 128 MiB, on however slow or busy a machine, and 256 MiB, on
    /// however fast a one.
    private static let chosenLogN = 17...18
    private static let measurements = 4

    /// The greatest cost that this machine pays within a time, measured here and now.
    ///
    /// - Parameter time: the longest time of one derivation; at the least cost it may be more.
    /// - Throws: `libraryFailure`.
    public static func calibrated(to time: Duration) throws(CryptographyError) -> Self {
        var logN = measuredLogN
        var measured = try duration(logN)
        while logN < chosenLogN.upperBound, logN < chosenLogN.lowerBound || measured * 2 <= time {
            logN += 1
            measured = measured * 2
        }
        return try cost(logN)
    }

    /// The time of a derivation: the shortest of some, because the first one also pays for its memory, and the
    /// machine may be busy.
    private static func duration(_ logN: Int) throws(CryptographyError) -> Duration {
        let cost = try cost(logN)
        let anything: [UInt8] = [0]
        var shortest: Duration?
        for _ in 0..<measurements {
            let start = ContinuousClock.now
            _ = try Scrypt.derive(
                passphrase: anything.span, salt: anything.span, cost: cost, byteCount: SHA256.byteCount)
            let taken = ContinuousClock.now - start
            shortest = min(shortest ?? taken, taken)
        }
        return shortest ?? .zero
    }

    private static func cost(_ logN: Int) throws(CryptographyError) -> Self {
        guard let cost = Self(logN: logN, blockSize: standardBlockSize, parallelization: 1) else {
            throw .library("scrypt's cost")
        }
        return cost
    }
}
