internal import LinuxSupport

/// The kernel's information about this machine's Bluetooth adapters, in sysfs.
///
/// Source: the kernel's `Documentation/ABI/stable/sysfs-class-rfkill` and `sysfs-class-bluetooth`.
package enum SystemRadioSwitch {
    /// The kind of a block.
    package enum Block: String, Sendable {
        /// By a program or a key.
        case soft
        /// By a switch of the machine.
        case hard
    }

    /// Number of switches and of adapters that are examined; machines have a handful.
    private static let mostSwitches = 64
    private static let mostAdapters = 16
    private static let blocked = "1"

    /// True if rfkill blocks an adapter.
    static func blocks(_ adapter: String) -> Bool { block(of: adapter) != nil }

    /// The block of an adapter, the hard one if there are both; nil if there is none.
    package static func block(of adapter: String) -> Block? {
        let folders = (0..<mostSwitches).map { "/sys/class/rfkill/rfkill\($0)/" }
        return [Block.hard, .soft].first { block in
            folders.contains {
                SystemFile.firstLine(of: $0 + "name") == adapter
                    && SystemFile.firstLine(of: $0 + block.rawValue) == blocked
            }
        }
    }

    /// True if the kernel knows any adapter.
    static var hasAdapter: Bool {
        (0..<mostAdapters).contains { SystemFile.exists("/sys/class/bluetooth/hci\($0)") }
    }
}
