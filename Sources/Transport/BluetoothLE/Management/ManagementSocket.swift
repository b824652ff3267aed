internal import CBlueZ
internal import Glibc
internal import HybridProtocol
internal import SystemPackage

/// A way to the kernel's management interface: a socket on which every packet is one command or one event.
struct ManagementSocket: Sendable {
    /// Opens a socket that does not block and that no program started from this process inherits. The caller closes it.
    ///
    /// - Throws: ``RadioError`` with `no-kernel-support`, `no-capability` or `failed`.
    let open: @Sendable () throws(RadioError) -> Int32

    /// The kernel's own.
    static let kernel = Self(open: openKernel)

    private static func openKernel() throws(RadioError) -> Int32 {
        let kind = Int32(bitPattern: SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_BLUETOOTH, kind, Int32(BTPROTO_HCI))
        guard descriptor >= 0 else { throw error(errno) }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = UInt16(HCI_DEV_NONE)
        address.hci_channel = UInt16(HCI_CHANNEL_CONTROL)
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else {
            let number = errno
            close(descriptor)
            throw error(number)
        }
        return descriptor
    }

    private static func error(_ number: Int32) -> RadioError {
        let text = Errno(rawValue: number)
        return switch number {
        case EAFNOSUPPORT, EPROTONOSUPPORT, EINVAL:
            RadioError(.noKernelSupport, reason: "the kernel has no Bluetooth for this process: \(text)")
        case EPERM, EACCES:
            RadioError(.noCapability, reason: "the kernel denies its Bluetooth to this process: \(text)")
        default: RadioError(.failed, reason: "the kernel's Bluetooth cannot be used: \(text)")
        }
    }
}
