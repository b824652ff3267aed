package import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// A `AdvertScanner` over BlueZ's D-Bus interface. It needs no root, and other programs may scan at the same time.
///
/// Low Energy is scanned without a filter of service UUIDs: with one, BlueZ hides adverts that name the service only
/// with their data, as most phones' do.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt`; the UUIDs are those of HT-ADV-17 and HT-ADV-18.
package struct BlueZScanner: AdvertScanner {
    /// Number of adverts that wait for a slow reader; the oldest are dropped beyond that.
    package static let bufferedAdverts = 64

    private let selection: AdapterSelection
    private let bus: DBusAddress?
    /// Time between two starts of the scan.
    private let interval: Duration
    private var services = BlueZAdvertReader.hybridServices

    /// Makes a scanner; nothing is asked of the system bus yet.
    ///
    /// - Parameter selection: the adapter that scans.
    package init(_ selection: AdapterSelection = .firstReady) { self.init(selection, on: selection.bus) }

    /// With a bus other than the selection's.
    init(_ selection: AdapterSelection, on bus: DBusAddress?, restartedEvery interval: Duration = ScanUpkeep.interval) {
        self.selection = selection
        self.bus = bus
        self.interval = interval
    }

    /// The same, which hears the adverts of other services instead.
    package func hearing(_ services: [ServiceUUID]) -> Self {
        var scanner = self
        scanner.services = services
        return scanner
    }

    /// Scans while `body` runs, and never longer; see `AdvertScanner/scan(_:)`.
    ///
    /// - Parameter body: gets the adverts, the newest ``bufferedAdverts`` at most if it reads slowly. Their sender is a
    ///   Bluetooth address. Adverts of the last seconds before the scan may be among them.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` if the scan could not start, by one of the codes that
    ///   ``BluetoothAdapter/knownToBlueZ(_:)`` has, `absent`, `powered-off`, `blocked-by-rfkill` or `no-low-energy`;
    ///   otherwise the error of `body`. Adverts end with `bluetooth-service-lost`, `absent`, `powered-off` or
    ///   `blocked-by-rfkill`.
    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        let (adverts, continuation) = ReceivedAdverts.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedAdverts))
        let reader = BlueZAdvertReader(continuation, of: services)
        return try await BlueZService.with(bus, on: reader.take) { service in
            let adapter = try await selection.adapter(of: service, without: \.scanObstacle)
            let path = BlueZName.path(ofAdapter: adapter.name)
            reader.adapter.withLock { $0 = adapter.name }
            try await service.subscribe(to: BlueZName.objects)
            try await service.subscribe(to: BlueZName.properties, under: path)
            let result: Result<Value, any Error>
            do {
                try await Self.start(service, adapter, path)
                try await reader.takeKnown(service.objects())
                result = .success(
                    try await BackgroundWork.run {
                        do {
                            try await AdapterInterruption.upkeep {
                                var namesSignal = false
                                while true {
                                    try await ScanUpkeep.wait(interval)
                                    namesSignal.toggle()
                                    try await Self.setFilter(service, adapter, path, namesSignal: namesSignal)
                                }
                            }
                        } catch {
                            if !Task.isCancelled { continuation.finish(throwing: error) }
                        }
                    } while: {
                        try await body(adverts)
                    })
            } catch {
                result = .failure(error)
            }
            continuation.finish()
            await Self.stop(service, path)
            return try result.get()
        }
    }

    private static func start(_ service: BlueZService, _ adapter: BluetoothAdapter, _ path: String) async throws {
        try await setFilter(service, adapter, path)
        try await service.callWithRetries(
            "StartDiscovery", of: BlueZName.adapter, at: path, adapter: adapter.name)
    }

    /// Sets the filter of our scan, all adverts of Low Energy. If one of the two forms takes the place of the other,
    /// bluetoothd starts the scan anew.
    ///
    /// Stopping and starting it would do the same, but where another program scans with a filter of its own, bluetoothd
    /// would go back to that one alone, and can miss our start.
    private static func setFilter(
        _ service: BlueZService, _ adapter: BluetoothAdapter, _ path: String, namesSignal: Bool = false
    ) async throws {
        var filter: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
        if namesSignal { filter["RSSI"] = .int16(weakestSignal) }
        try await service.call(
            "SetDiscoveryFilter", of: BlueZName.adapter, at: path, [.dictionary(filter)], adapter: adapter.name)
    }

    /// The weakest signal that there can be, in dBm (Bluetooth Core Specification, volume 4, part E, 7.7.65.2).
    private static let weakestSignal: Int16 = -127

    /// Stops the scan, also one whose start was cancelled. In a task of its own: ours may be cancelled.
    private static func stop(_ service: BlueZService, _ path: String) async {
        await Task {
            // Where it fails there is no scan any more; and bluetoothd stops it when our connection ends.
            _ = try? await service.call(
                "StopDiscovery", of: BlueZName.adapter, at: path, within: BlueZService.cleanupLimit)
        }.value
    }
}

/// Finds the adverts among the events of the bus.
final class BlueZAdvertReader: Sendable {
    /// The adapter that scans, once it is chosen.
    let adapter = Mutex<String?>(nil)
    /// The senders whose addresses are known to be random.
    private let random = Mutex<Set<String>>([])
    private let continuation: ReceivedAdverts.Continuation
    private let services: [ServiceUUID]

    init(_ continuation: ReceivedAdverts.Continuation, of services: [ServiceUUID] = BlueZAdvertReader.hybridServices) {
        self.continuation = continuation
        self.services = services
    }

    /// Takes an event, on the connection's thread.
    func take(_ event: BlueZService.Event) {
        guard let adapter = adapter.withLock({ $0 }) else { return }
        if let loss = event.interruption(of: adapter) {
            return loss.report { [continuation] in continuation.finish(throwing: $0.error(adapter)) }
        }
        guard case .signal(let signal) = event else { return }
        switch signal {
        case .added(let path, let interfaces):
            yield(interfaces[BlueZName.device]?.dictionaryValue, path, adapter)
        case .changed(let path, BlueZName.device, let properties): yield(properties, path, adapter)
        case .changed, .removed, .serviceGone: break
        }
    }

    /// Takes the devices that were known before the scan.
    func takeKnown(_ objects: [String: DBusValue]) {
        guard let adapter = adapter.withLock({ $0 }) else { return }
        for (path, interfaces) in objects {
            yield(interfaces.dictionaryValue?[BlueZName.device]?.dictionaryValue, path, adapter)
        }
    }

    private func yield(_ properties: [String: DBusValue]?, _ path: String, _ adapter: String) {
        guard let properties,
            let sender = BlueZName.address(ofDevice: path, at: BlueZName.path(ofAdapter: adapter))
        else { return }
        let address = BluetoothAddress(sender, kind(of: sender, properties))
        for advert in Self.adverts(in: properties, of: sender, at: address, services) { continuation.yield(advert) }
    }

    /// Number of random senders that are remembered; when there are more, all are forgotten, and learned anew.
    private static let memory = 4_096

    /// The kind of a sender's address, which comes once, with the sender's first advert. A forgotten one counts as
    /// public.
    private func kind(of sender: String, _ properties: [String: DBusValue]) -> BluetoothAddress.Kind {
        let kind = properties["AddressType"]?.stringValue.flatMap(BluetoothAddress.Kind.init)
        return random.withLock { random in
            switch kind {
            case .random:
                if random.count >= Self.memory { random = [] }
                random.insert(sender)
            case .public: random.remove(sender)
            case nil: break
            }
            return random.contains(sender) ? .random : .public
        }
    }

    /// The longest service data: the length of an advertising data structure is one byte.
    private static let longestServiceData = 255
    static let hybridServices = [ServiceUUID.fido, .google]

    /// The adverts of some services among a device's properties; values of other types and lengths are passed over.
    static func adverts(
        in properties: [String: DBusValue], of sender: String, at address: BluetoothAddress? = nil,
        _ services: [ServiceUUID] = hybridServices
    ) -> [ReceivedAdvert] {
        guard let serviceData = properties["ServiceData"]?.dictionaryValue else { return [] }
        let rssi: Int? = if case .int16(let strength) = properties["RSSI"] { Int(strength) } else { nil }
        return services.compactMap { service in
            guard let bytes = serviceData[service.longForm]?.bytesValue,
                (1...longestServiceData).contains(bytes.count)
            else { return nil }
            return ReceivedAdvert(
                service: service, serviceData: bytes, sender: sender, address: address, rssi: rssi)
        }
    }
}
