// What can keep a Bluetooth adapter from being used, and what a person can do about it.

extension RadioError.Code {
    /// There is no system bus at its address.
    public static let noSystemBus = Self(rawValue: "no-system-bus")
    /// A sandbox or container keeps the system bus from this process.
    public static let sandboxed = Self(rawValue: "sandboxed")
    /// Nobody on the system bus is BlueZ: bluetoothd does not run.
    public static let noService = Self(rawValue: "no-bluetooth-service")
    /// bluetoothd, or the connection to it, ended while it was in use.
    public static let serviceLost = Self(rawValue: "bluetooth-service-lost")
    /// bluetoothd did not answer in time.
    public static let unresponsive = Self(rawValue: "unresponsive")
    /// bluetoothd answered with something that its interface does not allow.
    public static let invalidReply = Self(rawValue: "invalid-reply")
    /// bluetoothd or the kernel is busy with the adapter, and stayed so.
    public static let busy = Self(rawValue: "busy")
    /// This process may not command the kernel's Bluetooth: it lacks the capability CAP_NET_ADMIN.
    public static let noCapability = Self(rawValue: "no-capability")
    /// The kernel has no Bluetooth, or none for this container.
    public static let noKernelSupport = Self(rawValue: "no-kernel-support")
    /// The kernel, or the adapter's controller, did not answer in time.
    public static let controllerUnresponsive = Self(rawValue: "controller-unresponsive")
    /// The kernel answered with something that its interface does not allow.
    public static let invalidKernelReply = Self(rawValue: "invalid-kernel-reply")
    /// The adapter is powered off.
    public static let poweredOff = Self(rawValue: "powered-off")
    /// The kernel's rfkill switch, or a key or switch of the machine, blocks the adapter.
    public static let blocked = Self(rawValue: "blocked-by-rfkill")
    /// The adapter knows no Bluetooth Low Energy.
    public static let noLowEnergy = Self(rawValue: "no-low-energy")
    /// Other programs' adverts have taken all that the adapter can send at a time.
    public static let noInstance = Self(rawValue: "no-advertising-instance")
}

extension RadioError {
    /// What a person can do about a failure of a Bluetooth adapter: one sentence, lower case, without a full stop. Nil for codes
    /// that are not of Bluetooth.
    public var bluetoothHint: String? {
        switch code {
        case .absent: "plug in a Bluetooth adapter, or choose another one: hybrid radio adapters"
        case .noSystemBus: "start D-Bus, or set DBUS_SYSTEM_BUS_ADDRESS to the system bus's address"
        case .sandboxed: "let the sandbox or container use the system bus: for Flatpak, --system-talk-name=org.bluez"
        case .noService: "start BlueZ: systemctl start bluetooth"
        case .serviceLost: "start again when BlueZ is back: systemctl status bluetooth"
        case .unresponsive: "restart BlueZ: systemctl restart bluetooth"
        case .busy: "wait for other Bluetooth programs to finish, then start again"
        case .invalidReply: "check what owns org.bluez on the system bus: busctl status org.bluez"
        case .notPermitted: "run this in the desktop's session, or as a member of the group bluetooth"
        case .noCapability: "run this as root, or give the program the capability: setcap cap_net_admin+ep"
        case .noKernelSupport: "load the kernel's Bluetooth: modprobe bluetooth; or leave the container"
        case .controllerUnresponsive: "plug the adapter out and in again"
        case .invalidKernelReply: "this kernel's interface is not understood: give --radio bluez"
        case .poweredOff: "switch Bluetooth on, or give --power-on"
        case .blocked: "end the aeroplane mode, or unblock the adapter: rfkill unblock bluetooth"
        case .noLowEnergy: "use an adapter with Bluetooth 4.0 or newer"
        case .noInstance: "end other programs that advertise, or choose another adapter with --adapter"
        case .advertTooLong: "use an adapter with extended advertising, or the WebSocket channel alone"
        case .failed: "switch Bluetooth off and on, then start again"
        default: nil
        }
    }
}
