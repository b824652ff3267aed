internal import CFloor
internal import Cryptography
internal import Measuring

/// The libcrypto calls that a sign-in cannot do without, of both sides: the key of the QR code drawn and imported, the
/// two sides of the handshake, the signature and its verification.
///
/// `@unchecked Sendable`: its members are only read once it is made, which libcrypto allows from several threads.
final class SignInCalls: @unchecked Sendable {
    private let key: UnsafeMutableRawPointer
    private let point: [UInt8]
    private let compressedPoint: [UInt8]
    /// The authenticator data and the hash of the client data.
    private let message = [UInt8](repeating: 0x5A, count: 37 + 32)
    private var signature: [UInt8] = []

    init() throws {
        try check(floor_prepare(), "floor_prepare")
        var point = [UInt8](repeating: 0, count: P256.uncompressedByteCount)
        guard let key = floor_key_new(&point) else { throw BenchError("no key") }
        self.key = key
        self.point = point
        compressedPoint = [point[64] & 1 == 0 ? 2 : 3] + point[1...32]
        signature = try signed()
    }

    deinit { floor_key_free(key) }

    func drawKey() throws {
        var point = [UInt8](repeating: 0, count: P256.uncompressedByteCount)
        guard let key = floor_key_new(&point) else { throw BenchError("no key") }
        floor_key_free(key)
    }

    func importKey() throws { try check(floor_import(compressedPoint), "floor_import") }

    func initiator() throws { try check(floor_initiator(key, point), "floor_initiator") }

    func responder() throws { try check(floor_responder(key, point), "floor_responder") }

    func sign() throws { _ = try signed() }

    /// Verifies a signature that was made before.
    func verify() throws {
        try check(floor_verify(key, message, message.count, signature, signature.count), "floor_verify")
    }

    private func signed() throws -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 72)
        var byteCount = 0
        try check(floor_sign(key, message, message.count, &signature, &byteCount), "floor_sign")
        return Array(signature.prefix(byteCount))
    }
}
