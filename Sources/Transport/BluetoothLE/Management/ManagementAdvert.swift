internal import HybridTransport

/// An advert with its parameters for the kernel.
struct ManagementAdvert: Sendable {
    /// The longest advert without a secondary channel, in bytes.
    private static let longestPrimary = 31
    /// The kernel counts intervals in units of 0.625 ms: eight of them are five milliseconds.
    private static let units: (count: UInt32, milliseconds: UInt32) = (8, 5)

    private let data: [UInt8]
    private let flags: AdvertisingFlags
    private let instance: AdvertisingInstance
    private let adapter: String

    /// - Throws: ``RadioError`` with `advert-too-long`.
    init(
        _ data: [UInt8], _ flags: AdvertisingFlags, of instance: AdvertisingInstance, at adapter: String,
        _ features: AdvertisingFeatures
    ) throws(RadioError) {
        let needsMore = data.count > Self.longestPrimary
        guard data.count <= features.longestData, !needsMore || features.supported.contains(.secondaryChannel) else {
            throw Self.tooLong(data, at: adapter, min(features.longestData, Self.longestPrimary))
        }
        self.data = data
        // A legacy packet holds 31 bytes at most, and the kernel does not check that.
        self.flags = needsMore ? flags.union(.secondaryChannel) : flags
        self.instance = instance
        self.adapter = adapter
    }

    /// Starts the advert, or renews its lifetime.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func send(through kernel: ManagementInterface, _ index: UInt16) async throws {
        let lifetime = UInt16(clamping: ManagementAdvertiser.lifetime.components.seconds)
        let parameters = ManagementRequest.addExtendedAdvertisingParameters(
            index, instance: instance.number, flags, lifetime: lifetime,
            intervals: Self.units(
                ManagementAdvertiser.interval.lowerBound)...Self.units(ManagementAdvertiser.interval.upperBound))
        let answer = try await kernel.call(parameters)
        guard answer.status != .unknownCommand else {
            // Before Linux 5.11.
            try await kernel.values(
                of: .addAdvertising(index, instance: instance.number, flags, lifetime: lifetime, data))
            return
        }
        let limits = try ManagementInterface.value(
            ExtendedAdvertisingParameters(try ManagementInterface.values(answer, of: parameters)))
        guard data.count <= limits.longestData else { throw Self.tooLong(data, at: adapter, limits.longestData) }
        try await kernel.values(of: .addExtendedAdvertisingData(index, instance: instance.number, data))
    }

    private static func units(_ milliseconds: UInt32) -> UInt32 { milliseconds * units.count / units.milliseconds }

    private static func tooLong(_ data: [UInt8], at adapter: String, _ limit: Int) -> RadioError {
        let overhead = AdvertisingData.overhead
        return RadioError(
            .advertTooLong,
            reason: "\(data.count - overhead) bytes; \(adapter) can send \(max(0, limit - overhead))")
    }
}
