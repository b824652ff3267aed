internal import DBus

/// What the kernel of this machine says of Bluetooth adapters, in sysfs.
///
/// Source: the kernel's `Documentation/ABI/stable/sysfs-class-rfkill` and `sysfs-class-bluetooth`.
enum SystemRadioSwitch {
    /// How many switches and adapters are looked at; machines have a handful.
    private static let mostSwitches = 64
    private static let mostAdapters = 16
    private static let blocked = "1"

    /// Whether rfkill blocks an adapter, softly (by a program or a key) or hardly (by a switch).
    static func blocks(_ adapter: String) -> Bool {
        (0..<mostSwitches).contains { number in
            let folder = "/sys/class/rfkill/rfkill\(number)/"
            return ProcessEnvironment.firstLine(of: folder + "name") == adapter
                && ["soft", "hard"].contains { ProcessEnvironment.firstLine(of: folder + $0) == blocked }
        }
    }

    /// Whether the kernel knows any adapter.
    static var hasAdapter: Bool {
        (0..<mostAdapters).contains { ProcessEnvironment.exists("/sys/class/bluetooth/hci\($0)") }
    }
}
