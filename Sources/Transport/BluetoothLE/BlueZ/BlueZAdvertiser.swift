package import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// An `Advertiser` over BlueZ's D-Bus interface. It needs no root, and other programs may advertise at the same time.
///
/// The advert is a broadcast, which takes no connections and whose sender's address is random and new each time; or it
/// takes connections, and then it has the adapter's own address (HT-ADV-24).
///
/// Source: BlueZ 5.66, `doc/advertising-api.txt`; the UUID is that of HT-ADV-16.
package struct BlueZAdvertiser: Advertiser {
    /// Time between two repetitions of the advert, in milliseconds, with adapters that let BlueZ choose.
    package static let interval: ClosedRange<UInt32> = 20...100
    /// The longest service data that any adapter can send, in bytes; most can send less.
    package static let longestServiceData = 251

    private let selection: AdapterSelection
    private let service: ServiceUUID
    private let bus: DBusAddress?

    /// Makes an advertiser; nothing is asked of the system bus yet.
    ///
    /// - Parameters:
    ///   - selection: the adapter that advertises.
    ///   - service: the UUID of the service data.
    package init(_ selection: AdapterSelection = .firstReady, under service: ServiceUUID = .fido) {
        self.init(selection, under: service, on: selection.bus)
    }

    /// With a bus other than the selection's.
    init(_ selection: AdapterSelection, under service: ServiceUUID = .fido, on bus: DBusAddress?) {
        self.selection = selection
        self.service = service
        self.bus = bus
    }

    /// Advertises while `body` runs, and never longer; see `Advertiser/advertise(_:while:)`.
    ///
    /// - Parameters:
    ///   - serviceData: 1 byte or more: the 20 of the sealed advert, and with extended advertising a suffix.
    ///   - body: the work in the meantime. If the advert ends early, it is cancelled and waited for.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` with `advert-too-long`, by one of the codes that ``BluetoothAdapter/knownToBlueZ(_:)``
    ///   has, `absent`, `powered-off`, `blocked-by-rfkill`, `no-low-energy` or `no-advertising-instance`; with
    ///   `bluetooth-service-lost`, `absent`, `powered-off`, `blocked-by-rfkill` or `failed` if the advert ended early;
    ///   otherwise the error of `body`.
    package func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, .broadcast, while: body)
    }

    /// Advertises while `body` runs, and takes connections; see `Advertiser/advertiseConnectably(_:while:)`.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: the value of `body`.
    /// - Throws: as ``advertise(_:while:)``.
    package func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, .peripheral, while: body)
    }

    private func advertise<Value: Sendable>(
        _ serviceData: [UInt8], _ kind: BlueZAdvert.Kind, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try RadioError.check(serviceData, longest: Self.longestServiceData)
        let advert = BlueZAdvert(serviceData, under: service, kind)
        return try await BlueZService.with(bus, answer: advert.answer, on: advert.take) { service in
            let adapter = try await selection.adapter(of: service, without: \.obstacle)
            let path = BlueZName.path(ofAdapter: adapter.name)
            advert.adapter.withLock { $0 = adapter.name }
            try await service.subscribe(to: BlueZName.objects)
            try await service.subscribe(to: BlueZName.properties, under: path)
            let result: Result<Value, any Error>
            do {
                try await service.callWithRetries(
                    "RegisterAdvertisement", of: BlueZName.advertisingAdapter, at: path,
                    [.objectPath(BlueZAdvert.path), .dictionary([:])], adapter: adapter.name)
                result = .success(
                    try await AdapterInterruption.run(body, until: advert.interruptions, of: adapter.name))
            } catch {
                result = .failure(error)
            }
            await Self.unregister(service, path)
            return try result.get()
        }
    }

    /// Removes the advert, also one whose registration was cancelled. In a task of its own: ours may be cancelled.
    private static func unregister(_ service: BlueZService, _ path: String) async {
        await Task {
            // Where it fails there is no advert any more; and bluetoothd removes it when our connection ends.
            _ = try? await service.call(
                "UnregisterAdvertisement", of: BlueZName.advertisingAdapter, at: path, [.objectPath(BlueZAdvert.path)],
                within: BlueZService.cleanupLimit)
        }.value
    }
}

/// One advert as an object on the bus, from which bluetoothd reads the data to send.
///
/// Source: BlueZ 5.66, `doc/advertising-api.txt`, `org.bluez.LEAdvertisement1`.
final class BlueZAdvert: Sendable {
    /// The object's path. A connection sends one advert, so that one path is enough.
    static let path = "/advert"

    /// The adapter that advertises, once it is chosen.
    let adapter = Mutex<String?>(nil)
    /// The first loss of the adapter or of the advert.
    let interruptions: AsyncStream<AdapterInterruption>
    private let interruption: AsyncStream<AdapterInterruption>.Continuation
    private let properties: [String: DBusValue]

    /// The kind of an advert.
    enum Kind: String {
        /// It takes no connections, and its sender's address is random and new each time.
        case broadcast
        /// Its sender can be connected to, and so has the adapter's own address.
        case peripheral
    }

    init(_ serviceData: [UInt8], under service: ServiceUUID, _ kind: Kind) {
        (interruptions, interruption) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        properties = [
            "Type": .string(kind.rawValue),
            "ServiceData": .dictionary([service.longForm: .bytes(serviceData)]),
            "MinInterval": .uint32(BlueZAdvertiser.interval.lowerBound),
            "MaxInterval": .uint32(BlueZAdvertiser.interval.upperBound),
        ]
    }

    /// Takes an event, on the connection's thread.
    func take(_ event: BlueZService.Event) {
        guard let adapter = adapter.withLock({ $0 }), let loss = event.interruption(of: adapter) else { return }
        loss.report { [interruption] in interruption.yield($0) }
    }

    /// Answers a call by bluetoothd, on the connection's thread.
    func answer(_ call: DBusMessage) -> DBusAnswer {
        guard call.path == Self.path else { return .unknownMethod }
        let arguments = call.body.compactMap(\.stringValue)
        switch (call.interface, call.member, arguments.count) {
        case (BlueZName.properties, "GetAll", 1):
            return arguments[0] == BlueZName.advertisement
                ? .reply([.dictionary(properties)]) : .reply([.dictionary([:])])
        case (BlueZName.properties, "Get", 2):
            guard arguments[0] == BlueZName.advertisement, let value = properties[arguments[1]] else {
                return .unknownProperty
            }
            return .reply([.variant(value)])
        case (BlueZName.introspectable, "Introspect", 0): return .reply([.string(Self.description)])
        case (BlueZName.advertisement, "Release", 0):
            AdapterInterruption.released.report { [interruption] in interruption.yield($0) }
            return .reply([])
        default: return .unknownMethod
        }
    }

    private static let description = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <interface name="org.bluez.LEAdvertisement1">
            <method name="Release"/>
            <property name="Type" type="s" access="read"/>
            <property name="ServiceData" type="a{sv}" access="read"/>
            <property name="MinInterval" type="u" access="read"/>
            <property name="MaxInterval" type="u" access="read"/>
          </interface>
        </node>
        """
}
