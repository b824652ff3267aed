internal import Glibc

/// Argon2d and Argon2id (RFC 9106), by the library libargon2 if this machine has it: libcrypto has them only from
/// version 3.2 on.
package enum Argon2 {
    /// The variant, by its number in the library.
    package enum Variant: Int32, Sendable {
        case d = 0
        case id = 2
    }

    /// The cost of a derivation.
    package struct Cost: Sendable, Hashable {
        /// Memory in KiB, from 8 KiB a lane on.
        package let memory: UInt32
        /// The number of passes, from 1 on.
        package let passes: UInt32
        /// The number of lanes, from 1 on.
        package let lanes: UInt32

        /// Makes a cost.
        package init(memory: UInt32, passes: UInt32, lanes: UInt32) {
            self.memory = memory
            self.passes = passes
            self.lanes = lanes
        }
    }

    /// The library's versions of the algorithm.
    package static let versions: [UInt32] = [0x10, 0x13]

    private typealias Hash =
        @convention(c) (
            UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int,
            UnsafeMutablePointer<CChar>?, Int, Int32, UInt32
        ) -> Int32

    /// The library's `argon2_hash`; nil if there is no library. It is never unloaded.
    private static let hash: Hash? = {
        guard let library = dlopen("libargon2.so.1", RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(library, "argon2_hash")
        else { return nil }
        return unsafeBitCast(symbol, to: Hash.self)
    }()

    /// True if the library is there.
    package static var isAvailable: Bool { hash != nil }

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - variant: the variant.
    ///   - secret: any number of bytes.
    ///   - salt: 8 bytes or more.
    ///   - cost: the cost, which the caller bounds.
    ///   - version: one of ``versions``.
    ///   - byteCount: the number of bytes to derive.
    /// - Throws: `unsupportedAlgorithm` if there is no library; `libraryFailure` for arguments that it refuses, and
    ///   without memory.
    package static func derive(
        _ variant: Variant, secret: Span<UInt8>, salt: Span<UInt8>, cost: Cost, version: UInt32 = 0x13, byteCount: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard let hash else { throw CryptographyError(.unsupportedAlgorithm, reason: "there is no libargon2.so.1") }
        return try SecretBytes(count: byteCount) { (buffer) throws(CryptographyError) in
            let status = secret.withUnsafeBufferPointer { secret in
                salt.withUnsafeBufferPointer { salt in
                    hash(
                        cost.passes, cost.memory, cost.lanes, secret.baseAddress, secret.count, salt.baseAddress,
                        salt.count, buffer.baseAddress, buffer.count, nil, 0, variant.rawValue, version)
                }
            }
            guard status == 0 else {
                throw CryptographyError(.libraryFailure, reason: "libargon2 refused, with \(status)")
            }
        }
    }
}
