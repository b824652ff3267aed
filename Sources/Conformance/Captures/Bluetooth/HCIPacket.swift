/// A packet between a host and its Bluetooth controller (Core Specification volume 4 part E section 5.4).
enum HCIPacket {
    case command(opcode: UInt16, parameters: ArraySlice<UInt8>)
    case event(code: UInt8, parameters: ArraySlice<UInt8>)
    case data(ACLFragment)

    private enum Kind: UInt8 { case command = 1, data = 2, event = 4 }

    /// The opcodes of btmon's records (BlueZ src/shared/btsnoop.h).
    private enum Monitor: UInt16 { case command = 2, event = 3, sentData = 4, receivedData = 5 }

    private static let monitorOpcodeMask: UInt32 = 0xFFFF

    /// Reads a packet.
    ///
    /// - Returns: the packet and its adapter; nil for other packets, or such as are too short.
    static func read(_ packet: CapturedPacket) -> (adapter: Int, HCIPacket)? {
        var reader = ByteReader(packet.bytes)
        switch packet.linkType {
        case .btsnoopMonitor:
            let opcode = UInt16(truncatingIfNeeded: packet.flags & monitorOpcodeMask)
            return monitor(opcode, reader).map { (Int(packet.flags >> 16), $0) }
        case .bluetoothLinuxMonitor:
            guard let adapter = reader.bigEndian(UInt16.self), let opcode = reader.bigEndian(UInt16.self) else {
                return nil
            }
            return monitor(opcode, reader).map { (Int(adapter), $0) }
        case .btsnoopHCI:
            let kind: Kind = packet.flags & 2 == 0 ? .data : packet.flags & 1 == 0 ? .command : .event
            return read(kind, reader, packet.direction).map { (packet.interface, $0) }
        case .btsnoopH4, .bluetoothH4:
            guard let kind = reader.byte().flatMap(Kind.init) else { return nil }
            return read(kind, reader, packet.direction).map { (packet.interface, $0) }
        case .bluetoothH4WithDirection:
            guard let direction = reader.bigEndian(UInt32.self), let kind = reader.byte().flatMap(Kind.init) else {
                return nil
            }
            return read(kind, reader, direction & 1 == 0 ? .sent : .received).map { (packet.interface, $0) }
        default: return nil
        }
    }

    private static func monitor(_ opcode: UInt16, _ reader: ByteReader) -> HCIPacket? {
        switch Monitor(rawValue: opcode) {
        case .command: read(.command, reader, .sent)
        case .event: read(.event, reader, .received)
        case .sentData: read(.data, reader, .sent)
        case .receivedData: read(.data, reader, .received)
        case nil: nil
        }
    }

    private static func read(
        _ kind: Kind, _ packet: ByteReader, _ direction: CapturedPacket.Direction?
    ) -> HCIPacket? {
        var reader = packet
        switch kind {
        case .command:
            guard let opcode = reader.littleEndian(UInt16.self), let length = reader.byte(),
                let parameters = reader.take(Int(length))
            else { return nil }
            return .command(opcode: opcode, parameters: parameters)
        case .event:
            guard let code = reader.byte(), let length = reader.byte(), let parameters = reader.take(Int(length))
            else { return nil }
            return .event(code: code, parameters: parameters)
        case .data:
            guard let word = reader.littleEndian(UInt16.self), let length = reader.littleEndian(UInt16.self),
                let bytes = reader.take(Int(length))
            else { return nil }
            return .data(
                ACLFragment(
                    handle: word & 0x0FFF, boundary: UInt8(truncatingIfNeeded: word >> 12 & 3), bytes: bytes,
                    direction: direction))
        }
    }
}

/// A fragment of an L2CAP packet.
struct ACLFragment {
    let handle: UInt16
    /// The packet boundary flag: 2 bits.
    let boundary: UInt8
    let bytes: ArraySlice<UInt8>
    let direction: CapturedPacket.Direction?

    private static let continuing: UInt8 = 1
    private static let startOfSent: UInt8 = 0

    /// True if it begins a packet.
    var isStart: Bool { boundary != Self.continuing }

    /// The way that a first fragment went, which on a Low Energy link its boundary flag tells too.
    var startDirection: CapturedPacket.Direction {
        direction ?? (boundary == Self.startOfSent ? .sent : .received)
    }
}
