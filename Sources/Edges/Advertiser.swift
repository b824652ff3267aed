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

    /// Advertises while `body` runs, as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: what `body` returned.
    /// - Throws: as ``advertise(_:while:)``.
    func advertiseConnectably<Result: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result
}

extension Advertiser {
    /// Advertises like ``advertise(_:while:)``: a radio to which nobody connects has no other adverts.
    public func advertiseConnectably<Result: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await advertise(serviceData, while: body)
    }
}
