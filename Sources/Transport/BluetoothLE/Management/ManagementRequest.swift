/// A command with its parameters, as it is written to the kernel: all numbers little-endian.
struct ManagementRequest: Sendable, Hashable {
    /// The index of a command that concerns no controller.
    static let noController: UInt16 = 0xFFFF
    /// The transmission power of an advert is left to the controller.
    private static let anyPower: UInt8 = 0x7F
    /// The kernel's own choice of how long an advert stays on before the next one's turn.
    private static let anyDuration: UInt16 = 0
    private static let noScanResponse: UInt8 = 0

    let command: ManagementCommand
    let index: UInt16
    let parameters: [UInt8]

    private init(_ command: ManagementCommand, _ index: UInt16, _ parameters: [UInt8] = []) {
        self.command = command
        self.index = index
        self.parameters = parameters
    }

    /// The packet: command, index and length of the parameters, of 2 bytes each, then the parameters.
    var encoded: [UInt8] {
        command.rawValue.littleEndianBytes + index.littleEndianBytes
            + UInt16(clamping: parameters.count).littleEndianBytes + parameters
    }

    static let readIndexList = Self(.readIndexList, noController)
    static func readInformation(_ index: UInt16) -> Self { Self(.readInformation, index) }
    static func powerOn(_ index: UInt16) -> Self { Self(.setPowered, index, [1]) }
    static func switchLowEnergyOn(_ index: UInt16) -> Self { Self(.setLowEnergy, index, [1]) }
    static func startDiscovery(_ index: UInt16) -> Self {
        Self(.startDiscovery, index, [ManagementAddressKind.lowEnergy])
    }
    static func stopDiscovery(_ index: UInt16) -> Self {
        Self(.stopDiscovery, index, [ManagementAddressKind.lowEnergy])
    }
    static func readAdvertisingFeatures(_ index: UInt16) -> Self { Self(.readAdvertisingFeatures, index) }

    /// - Parameters:
    ///   - instance: 1 and up.
    ///   - lifetime: after how many seconds the advert ends by itself.
    ///   - data: the advertising data, at most 255 bytes.
    static func addAdvertising(
        _ index: UInt16, instance: UInt8, _ flags: AdvertisingFlags, lifetime: UInt16, _ data: [UInt8]
    ) -> Self {
        Self(
            .addAdvertising, index,
            [instance] + flags.rawValue.littleEndianBytes + anyDuration.littleEndianBytes
                + lifetime.littleEndianBytes + [UInt8(clamping: data.count), noScanResponse] + data)
    }

    /// - Parameters:
    ///   - instance: 1 and up.
    ///   - lifetime: after how many seconds the advert ends by itself.
    ///   - intervals: between two of its repetitions, in units of 0.625 ms.
    static func addExtendedAdvertisingParameters(
        _ index: UInt16, instance: UInt8, _ flags: AdvertisingFlags, lifetime: UInt16, intervals: ClosedRange<UInt32>
    ) -> Self {
        let flags = flags.union([.hasTimeLimit, .hasIntervals])
        return Self(
            .addExtendedAdvertisingParameters, index,
            [instance] + flags.rawValue.littleEndianBytes + anyDuration.littleEndianBytes
                + lifetime.littleEndianBytes + intervals.lowerBound.littleEndianBytes
                + intervals.upperBound.littleEndianBytes + [anyPower])
    }

    /// - Parameter data: the advertising data, at most 255 bytes.
    static func addExtendedAdvertisingData(_ index: UInt16, instance: UInt8, _ data: [UInt8]) -> Self {
        Self(
            .addExtendedAdvertisingData, index, [instance, UInt8(clamping: data.count), noScanResponse] + data)
    }

    static func removeAdvertising(_ index: UInt16, instance: UInt8) -> Self {
        Self(.removeAdvertising, index, [instance])
    }
}

extension FixedWidthInteger {
    /// The number's bytes, the least significant first.
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
