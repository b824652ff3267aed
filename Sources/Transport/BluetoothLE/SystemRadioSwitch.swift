internal import LinuxSupport

/// The kernel's information about this machine's Bluetooth adapters, in sysfs.
///
/// Source: the kernel's `Documentation/ABI/stable/sysfs-class-rfkill` and `sysfs-class-bluetooth`.
enum SystemRadioSwitch {
    /// Number of switches and of adapters that are examined; machines have a handful.
    private static let mostSwitches = 64
    private static let mostAdapters = 16
    private static let blocked = "1"

    /// True if rfkill blocks an adapter, softly (by a program or a key) or hardly (by a switch).
    static func blocks(_ adapter: String) -> Bool {
        (0..<mostSwitches).contains { number in
            let folder = "/sys/class/rfkill/rfkill\(number)/"
            return SystemFile.firstLine(of: folder + "name") == adapter
                && ["soft", "hard"].contains { SystemFile.firstLine(of: folder + $0) == blocked }
        }
    }

    /// True if the kernel knows any adapter.
    static var hasAdapter: Bool {
        (0..<mostAdapters).contains { SystemFile.exists("/sys/class/bluetooth/hci\($0)") }
    }
}
