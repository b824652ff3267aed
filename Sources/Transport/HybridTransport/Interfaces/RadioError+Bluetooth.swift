// What can keep a Bluetooth adapter from being used.

extension RadioErrorCode {
    /// There is no system bus at its address.
    public static let noSystemBus = Self(rawValue: "no-system-bus")
    /// A sandbox or container keeps the system bus from this process.
    public static let sandboxed = Self(rawValue: "sandboxed")
    /// BlueZ is not on the system bus: bluetoothd does not run.
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
    /// The adapter does not support Bluetooth Low Energy.
    public static let noLowEnergy = Self(rawValue: "no-low-energy")
    /// Other programs' adverts have taken all that the adapter can send at a time.
    public static let noInstance = Self(rawValue: "no-advertising-instance")
}
