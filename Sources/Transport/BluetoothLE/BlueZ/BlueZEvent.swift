internal import LinuxSupport

/// A signal about BlueZ, read strictly. Signals that are not BlueZ's own are refused.
enum BlueZEvent: Sendable {
    /// Objects have come, or got more interfaces: the path, and the interfaces with their properties.
    case added(path: String, interfaces: [String: DBusValue])
    /// Interfaces of an object are gone.
    case removed(path: String, interfaces: [String])
    /// Properties of an object have other values.
    case changed(path: String, interface: String, properties: [String: DBusValue])
    /// bluetoothd has left the bus.
    case serviceGone

    /// Reads a signal.
    ///
    /// - Parameters:
    ///   - signal: as it came; any program on the bus may send one.
    ///   - owner: bluetoothd's unique name, which the bus authenticates in signals.
    /// - Returns: nil for signals of others, of other kinds, and with other values than theirs.
    init?(_ signal: DBusMessage, from owner: String) {
        if signal.sender == DBusBus.name, signal.member == "NameOwnerChanged" {
            guard signal.body.count == 3, signal.body[0].stringValue == BlueZName.service,
                signal.body[2].stringValue != owner
            else { return nil }
            self = .serviceGone
            return
        }
        guard signal.sender == owner else { return nil }
        switch (signal.interface, signal.member) {
        case (BlueZName.objects, "InterfacesAdded"):
            guard signal.body.count == 2, let path = signal.body[0].pathValue,
                let interfaces = signal.body[1].dictionaryValue
            else { return nil }
            self = .added(path: path, interfaces: interfaces)
        case (BlueZName.objects, "InterfacesRemoved"):
            guard signal.body.count == 2, let path = signal.body[0].pathValue,
                let interfaces = signal.body[1].stringsValue
            else { return nil }
            self = .removed(path: path, interfaces: interfaces)
        case (BlueZName.properties, BlueZName.propertiesChanged):
            guard signal.body.count == 3, let interface = signal.body[0].stringValue,
                let properties = signal.body[1].dictionaryValue
            else { return nil }
            self = .changed(path: signal.path, interface: interface, properties: properties)
        default: return nil
        }
    }

    /// The interruption of the work with an adapter by this event; nil if there is none.
    func interruption(of adapter: String) -> AdapterInterruption? {
        let path = BlueZName.path(ofAdapter: adapter)
        switch self {
        case .serviceGone: return .serviceGone
        case .removed(path, let interfaces) where interfaces.contains(BlueZName.adapter): return .adapterGone
        case .changed(path, BlueZName.adapter, let properties) where properties["Powered"] == .bool(false):
            return .poweredOff
        default: return nil
        }
    }
}
