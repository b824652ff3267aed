/// Something that can put a hybrid advert on the air: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); PROTOCOL.md 4.3.
public protocol Advertiser: Sendable {
    /// Advertises while `body` runs, and never longer.
    ///
    /// The advert is on the air before `body` begins, and off it before this returns or throws, whatever the way out:
    /// a result, an error, or cancellation.
    ///
    /// - Parameters:
    ///   - serviceData: the 20 bytes of the sealed advert, then the suffix if there is one. Sent under
    ///     ``ServiceUUID/fido``.
    ///   - body: what to do in the meantime; for an authenticator, to wait for the first handshake message.
    /// - Returns: what `body` returned.
    /// - Throws: ``RadioError`` if the advert could not be sent or died; otherwise what `body` threw.
    func advertise<Result: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result
}
