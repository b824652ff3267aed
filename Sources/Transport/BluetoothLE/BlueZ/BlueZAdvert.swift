internal import HybridTransport
internal import LinuxSupport
internal import Synchronization

/// One advert as an object on the bus, from which bluetoothd reads what to send.
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

    init(_ serviceData: [UInt8], _ kind: Kind = .broadcast) {
        (interruptions, interruption) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        properties = [
            "Type": .string(kind.rawValue),
            "ServiceData": .dictionary([ServiceUUID.fido.longForm: .bytes(serviceData)]),
            "MinInterval": .uint32(BlueZAdvertiser.interval.lowerBound),
            "MaxInterval": .uint32(BlueZAdvertiser.interval.upperBound),
        ]
    }

    /// Takes an event, on the connection's thread.
    func take(_ event: BlueZService.Event) {
        guard let adapter = adapter.withLock({ $0 }), let loss = event.interruption(of: adapter) else { return }
        interruption.yield(loss)
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
            interruption.yield(.released)
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
