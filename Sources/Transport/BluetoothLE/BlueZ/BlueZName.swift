/// The names of BlueZ's interfaces on the system bus.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt`, `doc/device-api.txt`, `doc/advertising-api.txt`.
enum BlueZName {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let advertisingAdapter = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let properties = "org.freedesktop.DBus.Properties"
    static let propertiesChanged = "PropertiesChanged"
    static let objects = "org.freedesktop.DBus.ObjectManager"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let root = "/"
    private static let adapters = "/org/bluez/"
    private static let devicePrefix = "dev_"

    /// `/org/bluez/hci0` for `hci0`.
    static func path(ofAdapter name: String) -> String { adapters + name }

    /// `hci0` for `/org/bluez/hci0`; nil for another path.
    static func adapterName(ofPath path: String) -> String? {
        guard path.hasPrefix(adapters) else { return nil }
        let name = path.dropFirst(adapters.count)
        return name.isEmpty || name.contains("/") ? nil : String(name)
    }

    /// `AA:BB:CC:DD:EE:FF` for `/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF`; nil for another path, or another adapter's.
    static func address(ofDevice path: String, at adapterPath: String) -> String? {
        let prefix = adapterPath + "/" + devicePrefix
        guard path.hasPrefix(prefix) else { return nil }
        let address = path.dropFirst(prefix.count)
        guard address.utf8.count == addressByteCount, !address.contains("/") else { return nil }
        return String(address.map { $0 == "_" ? ":" : $0 })
    }

    /// Six bytes in hexadecimal digits, and the separators between them.
    private static let addressByteCount = 17
}
