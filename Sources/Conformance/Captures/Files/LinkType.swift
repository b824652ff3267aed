/// The kind of packets of a capture: a number of the registry of tcpdump, or one of btsnoop's, which begin at 1001.
///
/// Source: https://www.tcpdump.org/linktypes.html; BlueZ src/shared/btsnoop.h.
package struct LinkType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let ethernet = Self(rawValue: 1)
    package static let raw = Self(rawValue: 101)
    package static let linuxCooked = Self(rawValue: 113)
    package static let bluetoothH4 = Self(rawValue: 187)
    package static let bluetoothH4WithDirection = Self(rawValue: 201)
    package static let bluetoothLowEnergy = Self(rawValue: 251)
    package static let upperPDU = Self(rawValue: 252)
    package static let bluetoothLinuxMonitor = Self(rawValue: 254)
    package static let bluetoothLowEnergyWithHeader = Self(rawValue: 256)
    package static let linuxCooked2 = Self(rawValue: 276)
    /// HCI packets without a type; btsnoop's flags say what they are.
    package static let btsnoopHCI = Self(rawValue: 1001)
    /// HCI packets with the type byte of a UART.
    package static let btsnoopH4 = Self(rawValue: 1002)
    /// The format of btmon: btsnoop's flags are the adapter's number and an opcode.
    package static let btsnoopMonitor = Self(rawValue: 2001)

    private static let names: [UInt32: String] = [
        0: "BSD loopback", 1: "Ethernet", 9: "PPP", 101: "raw IP", 105: "IEEE 802.11", 108: "OpenBSD loopback",
        113: "Linux cooked", 127: "IEEE 802.11 with radiotap", 187: "Bluetooth HCI H4", 189: "Linux USB", 192: "PPI",
        195: "IEEE 802.15.4", 201: "Bluetooth HCI H4 with direction", 220: "Linux USB", 227: "CAN",
        228: "raw IPv4", 229: "raw IPv6", 230: "IEEE 802.15.4 without FCS", 249: "USBPcap", 251: "Bluetooth LE air",
        252: "Wireshark upper PDU", 253: "netlink", 254: "Bluetooth Linux monitor", 255: "Bluetooth BR/EDR air",
        256: "Bluetooth LE air with header", 272: "Nordic BLE sniffer", 276: "Linux cooked v2",
        1001: "btsnoop HCI", 1002: "btsnoop HCI UART", 1003: "btsnoop HCI BSCP", 1004: "btsnoop HCI serial",
        2001: "btsnoop Linux monitor", 2002: "btsnoop Linux simulator",
    ]

    /// The number, and the name if it is a known one.
    package var text: String { Self.names[rawValue].map { "\(rawValue), \($0)" } ?? "\(rawValue)" }
}
