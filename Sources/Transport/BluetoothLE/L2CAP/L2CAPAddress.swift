internal import Glibc
internal import HybridProtocol

/// The kernel's `sockaddr_l2`, and numbers of its Bluetooth sockets. Libbluetooth's header has them too, but claims the
/// system's own socket names for its module.
///
/// Source: Linux, `include/net/bluetooth/bluetooth.h` and `l2cap.h`.
enum L2CAPAddress {
    /// `BTPROTO_L2CAP`.
    static let bluetoothProtocol: Int32 = 0
    /// `BT_SNDMTU`: the longest SDU that the peer takes, 2 bytes.
    static let sendMTUOption: Int32 = 12
    /// `BT_RCVMTU`: the longest SDU that we take, 2 bytes.
    static let receiveMTUOption: Int32 = 13
    /// `BDADDR_LE_PUBLIC` and `BDADDR_LE_RANDOM`.
    private static let publicKind: UInt8 = 1
    private static let randomKind: UInt8 = 2

    /// An address to be filled in: family, PSM, device, channel, kind of address, and a byte of padding.
    static let empty = [UInt8](repeating: 0, count: 14)
    private static let psmOffset = 2

    /// The address of a service of a device: PSM and device little-endian, the family as this machine has it.
    static func bytes(_ device: BluetoothAddress, _ psm: UInt16) -> [UInt8] {
        let family = withUnsafeBytes(of: sa_family_t(AF_BLUETOOTH)) { Array($0) }
        let number = [UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8)]
        let channel: [UInt8] = [0, 0]
        let kind = device.kind == .public ? publicKind : randomKind
        return family + number + device.bytes.reversed() + channel + [kind, 0]
    }

    /// The PSM in an address.
    static func psm(of address: [UInt8]) -> UInt16 { UInt16(address[psmOffset]) | UInt16(address[psmOffset + 1]) << 8 }
}
