public import HybridTransport

/// An `Advertiser` over the kernel's management interface: for machines without bluetoothd. It needs CAP_NET_ADMIN.
///
/// The kernel goes on with an advert after the process that asked for it has ended. So an advert has a ``lifetime``,
/// and is renewed while its owner runs.
///
/// Source: BlueZ 5.66, `doc/mgmt-api.txt`; the UUID is that of HT-ADV-16.
public struct ManagementAdvertiser: Advertiser {
    /// Time between two repetitions of the advert, in milliseconds, with adapters and kernels that let it be chosen.
    public static let interval: ClosedRange<UInt32> = 20...100
    /// Time that an advert stays on the air if its process ends without removing it.
    public static let lifetime = Duration.seconds(15)
    /// The longest service data that any adapter can send, in bytes; many can send less.
    public static let longestServiceData = 247
    private static let renewal = Duration.seconds(5)

    private let selection: AdapterSelection
    private let socket: ManagementSocket

    /// Makes an advertiser; nothing is asked of the kernel yet.
    ///
    /// - Parameter selection: the adapter that advertises.
    public init(_ selection: AdapterSelection = .firstReady) { self.init(selection, by: .kernel) }

    /// With a stand-in for the kernel.
    init(_ selection: AdapterSelection, by socket: ManagementSocket) {
        self.selection = selection
        self.socket = socket
    }

    /// Advertises while `body` runs, and never longer; see `Advertiser/advertise(_:while:)`. It takes no connections,
    /// and its sender's address is random and new each time.
    ///
    /// - Parameters:
    ///   - serviceData: 1 byte or more: the 20 of the sealed advert, and a suffix.
    ///   - body: the work in the meantime. If the advert ends early, it is cancelled and waited for.
    /// - Returns: what `body` returned.
    /// - Throws: `RadioError` with `advert-too-long`, by one of the codes that ``BluetoothAdapter/knownToKernel()``
    ///   has, `absent`, `powered-off`, `blocked-by-rfkill`, `no-low-energy` or `no-advertising-instance`; with
    ///   `absent`, `powered-off`, `blocked-by-rfkill` or `failed` if the advert ended early; otherwise what `body`
    ///   threw.
    public func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, [], while: body)
    }

    /// Advertises as ``advertise(_:while:)`` does, but as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: what `body` returned.
    /// - Throws: as ``advertise(_:while:)``.
    public func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, .connectable, while: body)
    }

    private func advertise<Value: Sendable>(
        _ serviceData: [UInt8], _ flags: AdvertisingFlags, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try RadioError.check(serviceData, longest: Self.longestServiceData)
        let filter = ManagementEventFilter()
        return try await ManagementInterface.with(socket, on: filter.take) { kernel in
            let adapter = try await selection.adapter(of: kernel, without: \.obstacle)
            let index = try AdapterName.index(of: adapter.name)
            let features = try await kernel.advertisingFeatures(index)
            let instance = try AdvertisingInstance.reserve(at: adapter.name, features)
            let advert = try ManagementAdvert(
                AdvertisingData.encoded(serviceData, of: .fido), flags, of: instance, at: adapter.name, features)
            filter.select(ManagementEventFilter.Source(index: index, instance: instance.number))
            let result: Result<Value, any Error>
            do {
                try await advert.send(through: kernel, index)
                result = .success(
                    try await AdapterInterruption.run(body, until: filter.interruptions, of: adapter.name) {
                        while true {
                            try await Task.sleep(for: Self.renewal)
                            try await advert.send(through: kernel, index)
                        }
                    })
            } catch {
                result = .failure(error)
            }
            await Self.remove(instance, through: kernel, index)
            return try result.get()
        }
    }

    /// Removes the advert, also one whose sending was cancelled. In a task of its own: ours may be cancelled.
    private static func remove(
        _ instance: AdvertisingInstance, through kernel: ManagementInterface, _ index: UInt16
    ) async {
        await Task {
            // Where it fails there is no advert any more, or its lifetime ends by itself.
            _ = try? await kernel.call(
                .removeAdvertising(index, instance: instance.number), within: ManagementInterface.cleanupLimit)
        }.value
    }
}
