internal import COpenSSL

/// scrypt (RFC 7914): a key from a passphrase, at a cost in time and memory that an attacker has to pay for each guess.
public enum Scrypt {
    /// The cost of one derivation.
    public struct Cost: Sendable, Hashable {
        /// The binary logarithm of N, the number of blocks.
        public let logN: Int
        /// r, the size of a block, in units of 128 bytes.
        public let blockSize: Int
        /// p, how many independent mixings there are, one after the other.
        public let parallelization: Int

        /// The most memory that a derivation may take: 512 MiB.
        public static let maximumByteCount = 1 << 29
        /// The most work, as N · r · p: that of one mixing that fills ``maximumByteCount``.
        public static let maximumWork = maximumByteCount / bytesPerUnit

        private static let bytesPerUnit = 128
        private static let logNRange = 1...24
        private static let factorRange = 1...64

        /// Takes a cost.
        ///
        /// - Returns: nil for a cost out of all bounds, which a hostile file may name: `logN` beyond 1…24, the others
        ///   beyond 1…64, more memory than ``maximumByteCount`` or more work than ``maximumWork``.
        public init?(logN: Int, blockSize: Int, parallelization: Int) {
            guard Self.logNRange.contains(logN), Self.factorRange.contains(blockSize),
                Self.factorRange.contains(parallelization),
                (blockSize * parallelization) << logN <= Self.maximumWork
            else { return nil }
            self.logN = logN
            self.blockSize = blockSize
            self.parallelization = parallelization
        }

        /// The memory that a derivation takes, in bytes: N blocks, and those that are mixed (RFC 7914 sections 5 and
        /// 6).
        public var byteCount: Int { ((1 << logN) + parallelization + 2) * blockSize * Self.bytesPerUnit }
    }

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - passphrase: any number of bytes.
    ///   - salt: any number of bytes, random and new for each passphrase.
    ///   - cost: the cost. This call takes that time on the calling thread.
    ///   - byteCount: the number of bytes to derive, above 0.
    /// - Throws: `wrongLength`; `libraryFailure`, also if the memory cannot be had.
    public static func derive(
        passphrase: Span<UInt8>, salt: Span<UInt8>, cost: Cost, byteCount: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard byteCount > 0 else { throw .wrongLength("scrypt output", expected: SHA256.byteCount, got: byteCount) }
        guard let algorithm = EVP_KDF_fetch(nil, "SCRYPT", nil) else { throw .library("EVP_KDF_fetch") }
        defer { EVP_KDF_free(algorithm) }
        guard let context = EVP_KDF_CTX_new(algorithm) else { throw .library("EVP_KDF_CTX_new") }
        defer { EVP_KDF_CTX_free(context) }
        return try SecretBytes(count: byteCount) { (output) throws(CryptographyError) in
            let derived = withParameters(passphrase: passphrase, salt: salt, cost: cost) { parameters in
                EVP_KDF_derive(context, output.baseAddress, output.count, parameters)
            }
            guard derived == 1 else { throw .library("EVP_KDF_derive") }
        }
    }

    private static func withParameters(
        passphrase: Span<UInt8>, salt: Span<UInt8>, cost: Cost, _ body: (UnsafePointer<OSSL_PARAM>?) -> Int32
    ) -> Int32 {
        var n = UInt64(1) << cost.logN
        var r = UInt32(cost.blockSize)
        var p = UInt32(cost.parallelization)
        // libcrypto counts its memory in its own way; the cost is bounded already, and this says so to the library.
        var memory = UInt64(cost.byteCount) * 2
        return passphrase.withUnsafeBufferPointer { passphrase in
            salt.withUnsafeBufferPointer { salt in
                withUnsafeMutablePointer(to: &n) { n in
                    withUnsafeMutablePointer(to: &r) { r in
                        withUnsafeMutablePointer(to: &p) { p in
                            withUnsafeMutablePointer(to: &memory) { memory in
                                let parameters: InlineArray<7, OSSL_PARAM> = [
                                    .octets(ParameterName.passphrase, passphrase),
                                    .octets(ParameterName.salt, salt),
                                    OSSL_PARAM_construct_uint64(ParameterName.scryptN.cString, n),
                                    OSSL_PARAM_construct_uint32(ParameterName.scryptR.cString, r),
                                    OSSL_PARAM_construct_uint32(ParameterName.scryptP.cString, p),
                                    OSSL_PARAM_construct_uint64(ParameterName.scryptMemory.cString, memory),
                                    .end,
                                ]
                                return parameters.span.withUnsafeBufferPointer { body($0.baseAddress) }
                            }
                        }
                    }
                }
            }
        }
    }
}

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
    /// - Parameters:
    ///   - time: the longest time of one derivation; at the least cost it may be more.
    ///   - clock: measures it.
    /// - Throws: `libraryFailure`.
    public static func calibrated(
        to time: Duration, on clock: some Clock<Duration>
    ) throws(CryptographyError) -> Self {
        var logN = measuredLogN
        var measured = try duration(logN, on: clock)
        while logN < chosenLogN.upperBound, logN < chosenLogN.lowerBound || measured * 2 <= time {
            logN += 1
            measured = measured * 2
        }
        return try cost(logN)
    }

    /// The time of a derivation: the shortest of some, because the first one also pays for its memory, and the
    /// machine may be busy.
    private static func duration(
        _ logN: Int, on clock: some Clock<Duration>
    ) throws(CryptographyError) -> Duration {
        let cost = try cost(logN)
        let anything: [UInt8] = [0]
        var shortest: Duration?
        for _ in 0..<measurements {
            let start = clock.now
            _ = try Scrypt.derive(
                passphrase: anything.span, salt: anything.span, cost: cost, byteCount: SHA256.byteCount)
            let taken = start.duration(to: clock.now)
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
