internal import DBus
internal import Edges
internal import Synchronization

/// Finds the adverts among what happens on the bus.
final class BlueZAdvertReader: Sendable {
    /// The adapter that scans, once it is chosen.
    let adapter = Mutex<String?>(nil)
    private let continuation: ReceivedAdverts.Continuation

    init(_ continuation: ReceivedAdverts.Continuation) { self.continuation = continuation }

    /// Takes what happens, on the connection's thread.
    func take(_ happening: BlueZService.Happening) {
        guard let adapter = adapter.withLock({ $0 }) else { return }
        if let end = happening.end(ofWorkWith: adapter) { return continuation.finish(throwing: end.error(adapter)) }
        guard case .event(let event) = happening else { return }
        switch event {
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
        for advert in Self.adverts(in: properties, of: sender) { continuation.yield(advert) }
    }

    /// The longest service data: the length of an advertising data structure is one byte.
    private static let longestServiceData = 255
    private static let services = [ServiceUUID.fido, .google]

    /// The hybrid adverts among a device's properties; values of other types and lengths are none.
    static func adverts(in properties: [String: DBusValue], of sender: String) -> [ReceivedAdvert] {
        guard let serviceData = properties["ServiceData"]?.dictionaryValue else { return [] }
        return services.compactMap { service in
            guard let bytes = serviceData[service.longForm]?.bytesValue,
                (1...longestServiceData).contains(bytes.count)
            else { return nil }
            return ReceivedAdvert(service: service, serviceData: bytes, sender: sender)
        }
    }
}
