internal import HybridProtocol

/// A packet from the kernel, read strictly: one whose lengths do not agree is refused.
struct ManagementPacket: Sendable, Hashable {
    /// The longest packet that is read, in bytes. The kernel's longest is the report of a device: 20 bytes and at most
    /// 1,650 of advertising data (Core Specification, volume 4, part E, 7.8.57) with the answer to a scan.
    static let longest = 4_096

    /// The controller that it is about.
    let index: UInt16
    let event: Event

    enum Event: Sendable, Hashable {
        /// The answer to a command.
        case answer(command: UInt16, ManagementAnswer)
        case indexRemoved
        case newSettings(ManagementSettings)
        case deviceFound(FoundDevice)
        case discovering(Bool)
        case advertisingRemoved(instance: UInt8)
        /// An event that is not used here, or of a later kernel.
        case other(UInt16)
    }

    /// The numbers of the events.
    private enum Code {
        static let commandComplete: UInt16 = 0x0001
        static let commandStatus: UInt16 = 0x0002
        static let indexRemoved: UInt16 = 0x0005
        static let newSettings: UInt16 = 0x0006
        static let deviceFound: UInt16 = 0x0012
        static let discovering: UInt16 = 0x0013
        static let advertisingRemoved: UInt16 = 0x0024
    }

    /// Reads a packet; nil if it is malformed.
    init?(_ bytes: some Sequence<UInt8>) {
        var reader = LittleEndianReader(bytes)
        guard let code = reader.number(UInt16.self), let index = reader.number(UInt16.self),
            let length = reader.number(UInt16.self), let parameters = reader.bytes(length), reader.isAtEnd,
            let event = Self.event(code, parameters)
        else { return nil }
        self.index = index
        self.event = event
    }

    private static func event(_ code: UInt16, _ parameters: [UInt8]) -> Event? {
        var reader = LittleEndianReader(parameters)
        let event: Event?
        switch code {
        case Code.commandComplete, Code.commandStatus:
            guard let command = reader.number(UInt16.self), let status = reader.number(UInt8.self) else { return nil }
            let values = code == Code.commandComplete ? reader.remainder() : []
            event = .answer(
                command: command, ManagementAnswer(status: ManagementStatus(rawValue: status), values: values))
        case Code.indexRemoved: event = .indexRemoved
        case Code.newSettings:
            event = reader.number().map { .newSettings(ManagementSettings(rawValue: $0)) }
        case Code.deviceFound: event = FoundDevice(&reader).map { .deviceFound($0) }
        case Code.discovering:
            guard reader.number(UInt8.self) != nil, let isOn = reader.number(UInt8.self) else { return nil }
            event = .discovering(isOn != 0)
        case Code.advertisingRemoved: event = reader.number().map { .advertisingRemoved(instance: $0) }
        default: return .other(code)
        }
        return reader.isAtEnd ? event : nil
    }
}

/// The kernel's answer to a command.
struct ManagementAnswer: Sendable, Hashable {
    let status: ManagementStatus
    /// The values that were asked for; empty for a failure.
    let values: [UInt8]
}

/// The report of a device whose advert was received.
struct FoundDevice: Sendable, Hashable {
    /// The sender; nil for a device that is not of Low Energy.
    let address: BluetoothAddress?
    /// The advertising data, and behind it the answer to a scan if there was one.
    let data: [UInt8]
    /// Strength of the signal in dBm; nil if the controller does not tell.
    let rssi: Int?

    private static let unknownRSSI: Int8 = 127
    private static let flagsByteCount = 4

    init?(_ reader: inout LittleEndianReader) {
        guard let address = reader.bytes(BluetoothAddress.byteCount), let kind = reader.number(UInt8.self),
            let strength = reader.number(UInt8.self), reader.bytes(Self.flagsByteCount) != nil,
            let length = reader.number(UInt16.self), let data = reader.bytes(length)
        else { return nil }
        switch kind {
        case ManagementAddressKind.publicAddress: self.address = BluetoothAddress(address.reversed(), .public)
        case ManagementAddressKind.randomAddress: self.address = BluetoothAddress(address.reversed(), .random)
        default: self.address = nil
        }
        self.data = data
        let rssi = Int8(bitPattern: strength)
        self.rssi = rssi == Self.unknownRSSI ? nil : Int(rssi)
    }
}
