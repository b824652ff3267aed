/// Sender of hybrid adverts: BlueZ, the kernel, or a simulated radio.
///
/// Source: CTAP 2.2 section 11.5.1 (the BLE advertisement); HT-ADV-16, HT-ADV-22.
public protocol Advertiser: Sendable {
    /// Advertises while `body` runs, and never longer.
    ///
    /// The advert is on the air before `body` begins, and off it before this returns or throws, whatever the way out:
    /// a result, an error, or cancellation.
    ///
    /// - Parameters:
    ///   - serviceData: the 20 bytes of the sealed advert, then the suffix if there is one. Sent under
    ///     ``ServiceUUID/fido``.
    ///   - body: runs in the meantime; for an authenticator, it waits for the first handshake message.
    /// - Returns: the value of `body`.
    /// - Throws: ``RadioError`` if the advert could not be sent or died; otherwise what `body` threw.
    func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// Advertises while `body` runs, as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: the value of `body`.
    /// - Throws: as ``advertise(_:while:)``.
    func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value
}

extension Advertiser {
    /// Advertises like ``advertise(_:while:)``, as a radio does that takes no connections.
    public func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, while: body)
    }
}
