internal import DBus
public import Edges
internal import Synchronization

/// A `Scanner` over BlueZ's D-Bus interface. It needs no root, and other programs may scan at the same time.
///
/// Low Energy is scanned without a filter of service UUIDs: with one, BlueZ hides adverts that name the service only with their
/// data, as most phones' do.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt`; PROTOCOL.md 4.3.
public struct BlueZScanner: Scanner {
    /// How many adverts wait for a slow reader; the oldest are dropped beyond that.
    public static let bufferedAdverts = 64

    private let selection: AdapterSelection
    private let bus: DBusAddress?

    /// Makes a scanner; nothing is asked of the system bus yet.
    ///
    /// - Parameter selection: which adapter scans.
    public init(_ selection: AdapterSelection = .firstReady) { self.init(selection, on: nil) }

    /// With a bus other than the environment's.
    init(_ selection: AdapterSelection, on bus: DBusAddress?) {
        self.selection = selection
        self.bus = bus
    }

    /// Scans while `body` runs, and never longer; see `Scanner/scan(_:)`.
    ///
    /// - Parameter body: gets the adverts, the newest ``bufferedAdverts`` at most if it reads slowly. Their sender is a Bluetooth
    ///   address. Adverts of the last seconds before the scan may be among them.
    /// - Returns: what `body` returned.
    /// - Throws: `RadioError` if the scan could not start, by one of the codes that ``BluetoothAdapter/knownToBlueZ()`` has, `absent`,
    ///   `powered-off`, `blocked-by-rfkill` or `no-low-energy`; otherwise what `body` threw. Adverts end with
    ///   `bluetooth-service-lost`, `absent`, `powered-off` or `blocked-by-rfkill`.
    public func scan<Result: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Result
    ) async throws -> Result {
        let (adverts, continuation) = ReceivedAdverts.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedAdverts))
        let reader = BlueZAdvertReader(continuation)
        return try await BlueZService.with(bus, on: reader.take) { service in
            let adapter = try await selection.adapter(of: service, without: \.scanObstacle)
            let path = BlueZName.path(ofAdapter: adapter.name)
            reader.adapter.withLock { $0 = adapter.name }
            try await service.subscribe(to: BlueZName.objects)
            try await service.subscribe(to: BlueZName.properties, under: path)
            let result: Swift.Result<Result, any Error>
            do {
                try await Self.start(service, adapter, path)
                try await reader.takeKnown(service.objects())
                result = .success(try await body(adverts))
            } catch {
                result = .failure(error)
            }
            continuation.finish()
            await Self.stop(service, path)
            return try result.get()
        }
    }

    private static func start(_ service: BlueZService, _ adapter: BluetoothAdapter, _ path: String) async throws {
        let filter: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
        try await service.call(
            path, BlueZName.adapter, "SetDiscoveryFilter", [.dictionary(filter)], of: adapter.name)
        try await service.callPatiently(path, BlueZName.adapter, "StartDiscovery", of: adapter.name)
    }

    /// Stops the scan, also one whose start nobody waited for. In a task of its own: ours may be cancelled.
    private static func stop(_ service: BlueZService, _ path: String) async {
        await Task {
            // Where it fails there is no scan any more; and bluetoothd stops it when our connection ends.
            _ = try? await service.call(path, BlueZName.adapter, "StopDiscovery", within: BlueZService.partingLimit)
        }.value
    }
}
