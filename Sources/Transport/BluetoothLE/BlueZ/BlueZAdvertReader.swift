internal import HybridTransport
internal import LinuxSupport
internal import Synchronization

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
        if let loss = event.interruption(of: adapter) { return continuation.finish(throwing: loss.error(adapter)) }
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
