public import Edges

/// An `Advertiser` over the kernel's management interface: for machines without bluetoothd. It needs CAP_NET_ADMIN.
///
/// The kernel goes on with an advert after the death of the process that asked for it. So an advert is given a life of
/// ``lifetime``, and is renewed while its owner lives.
///
/// Source: BlueZ 5.66, `doc/mgmt-api.txt`; PROTOCOL.md 4.3.
public struct ManagementAdvertiser: Advertiser {
    /// How often the advert is repeated, in milliseconds, by adapters and kernels that let it be chosen.
    public static let interval: ClosedRange<UInt32> = 20...100
    /// How long an advert stays on the air if its process dies without a chance to take it off.
    public static let lifetime = Duration.seconds(15)
    /// The longest service data that any adapter can send, in bytes; many can send less.
    public static let longestServiceData = 247
    private static let renewal = Duration.seconds(5)

    private let selection: AdapterSelection
    private let socket: ManagementSocket

    /// Makes an advertiser; nothing is asked of the kernel yet.
    ///
    /// - Parameter selection: which adapter advertises.
    public init(_ selection: AdapterSelection = .firstReady) { self.init(selection, by: .kernel) }

    /// With a stand-in for the kernel.
    init(_ selection: AdapterSelection, by socket: ManagementSocket) {
        self.selection = selection
        self.socket = socket
    }

    /// Advertises while `body` runs, and never longer; see `Advertiser/advertise(_:while:)`. Nobody can connect to its sender, whose
    /// address is random and new each time.
    ///
    /// - Parameters:
    ///   - serviceData: 1 byte or more: the 20 of the sealed advert, and a suffix.
    ///   - body: what to do in the meantime. If the advert dies, it is cancelled and waited for.
    /// - Returns: what `body` returned.
    /// - Throws: `RadioError` with `advert-too-long`, by one of the codes that ``BluetoothAdapter/knownToKernel()`` has, `absent`,
    ///   `powered-off`, `blocked-by-rfkill`, `no-low-energy` or `no-advertising-instance`; with `absent`, `powered-off`,
    ///   `blocked-by-rfkill` or `failed` if the advert died; otherwise what `body` threw.
    public func advertise<Result: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await advertise(serviceData, [], while: body)
    }

    /// Advertises as ``advertise(_:while:)`` does, but as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: what `body` returned.
    /// - Throws: as ``advertise(_:while:)``.
    public func advertiseConnectably<Result: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await advertise(serviceData, .connectable, while: body)
    }

    private func advertise<Result: Sendable>(
        _ serviceData: [UInt8], _ flags: AdvertisingFlags, while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try RadioError.check(serviceData, longest: Self.longestServiceData)
        let watch = ManagementWatch()
        return try await ManagementInterface.with(socket, on: watch.take) { kernel in
            let adapter = try await selection.adapter(of: kernel, without: \.obstacle)
            let index = try AdapterName.index(of: adapter.name)
            let features = try await kernel.advertisingFeatures(index)
            let instance = try AdvertisingInstance.reserve(at: adapter.name, features)
            let advert = try ManagementAdvert(
                AdvertisingData.encoded(serviceData, of: .fido), flags, of: instance, at: adapter.name, features)
            watch.watch(ManagementWatch.Place(index: index, instance: instance.number))
            let result: Swift.Result<Result, any Error>
            do {
                try await advert.send(through: kernel, index)
                result = .success(
                    try await AdapterEnd.run(body, until: watch.ends, of: adapter.name) {
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

    /// Takes the advert off the air, also one whose sending nobody waited for. In a task of its own: ours may be cancelled.
    private static func remove(
        _ instance: AdvertisingInstance, through kernel: ManagementInterface, _ index: UInt16
    ) async {
        await Task {
            // Where it fails there is no advert any more, or its life ends by itself.
            _ = try? await kernel.call(
                .removeAdvertising(index, instance: instance.number), within: ManagementInterface.partingLimit)
        }.value
    }
}
