internal import HybridProtocol

/// The kernel's information about a controller.
struct ControllerInformation: Sendable, Hashable {
    /// `AA:BB:CC:DD:EE:FF`.
    let address: String
    let supported: ManagementSettings
    let current: ManagementSettings
    /// For users.
    let name: String

    /// The version of Bluetooth, of 1 byte, and the manufacturer, of 2.
    private static let unusedBytes = 3
    private static let classByteCount = 3
    private static let nameByteCount = 249
    private static let shortNameByteCount = 11

    /// Reads an answer of 280 bytes; nil if it is malformed.
    init?(_ answer: [UInt8]) {
        var reader = LittleEndianReader(answer)
        guard let address = reader.bytes(BluetoothAddress.byteCount), reader.bytes(Self.unusedBytes) != nil,
            let supported = reader.number(UInt32.self), let current = reader.number(UInt32.self),
            reader.bytes(Self.classByteCount) != nil, let name = reader.bytes(Self.nameByteCount),
            reader.bytes(Self.shortNameByteCount) != nil, reader.isAtEnd,
            let written = BluetoothAddress(address.reversed(), .public)
        else { return nil }
        self.address = written.description
        self.supported = ManagementSettings(rawValue: supported)
        self.current = ManagementSettings(rawValue: current)
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        self.name = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}

/// The adverts that a controller can send, and sends.
struct AdvertisingFeatures: Sendable, Hashable {
    let supported: AdvertisingFlags
    /// In bytes, with all that is around the service data.
    let longestData: Int
    /// Number of adverts that can be sent at a time.
    let mostInstances: UInt8
    /// The instances that are taken, by any program.
    let instances: [UInt8]

    /// Reads an answer; nil if it is malformed.
    init?(_ answer: [UInt8]) {
        var reader = LittleEndianReader(answer)
        guard let supported = reader.number(UInt32.self), let longestData = reader.number(UInt8.self),
            reader.number(UInt8.self) != nil, let mostInstances = reader.number(UInt8.self),
            let count = reader.number(UInt8.self), let instances = reader.bytes(count), reader.isAtEnd
        else { return nil }
        self.supported = AdvertisingFlags(rawValue: supported)
        self.longestData = Int(longestData)
        self.mostInstances = mostInstances
        self.instances = instances
    }
}

/// The longest data of an advert with the parameters that were given.
struct ExtendedAdvertisingParameters: Sendable, Hashable {
    /// In bytes.
    let longestData: Int

    /// Reads an answer of 4 bytes; nil if it is malformed.
    init?(_ answer: [UInt8]) {
        var reader = LittleEndianReader(answer)
        guard reader.number(UInt8.self) != nil, reader.number(UInt8.self) != nil,
            let longestData = reader.number(UInt8.self), reader.number(UInt8.self) != nil, reader.isAtEnd
        else { return nil }
        self.longestData = Int(longestData)
    }
}

/// The controllers that the kernel knows.
struct ControllerIndices: Sendable, Hashable {
    let indices: [UInt16]

    /// Reads an answer; nil if it is malformed.
    init?(_ answer: [UInt8]) {
        var reader = LittleEndianReader(answer)
        guard let count = reader.number(UInt16.self) else { return nil }
        var indices: [UInt16] = []
        for _ in 0..<count {
            guard let index = reader.number(UInt16.self) else { return nil }
            indices.append(index)
        }
        guard reader.isAtEnd else { return nil }
        self.indices = indices
    }
}
