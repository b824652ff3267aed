/// The commands of the kernel's management interface that are used here.
///
/// Source: BlueZ 5.66, `doc/mgmt-api.txt`, as for all of this folder.
enum ManagementCommand: UInt16, Sendable {
    case readIndexList = 0x0003
    case readInformation = 0x0004
    case setPowered = 0x0005
    case setLowEnergy = 0x000D
    case startDiscovery = 0x0023
    case stopDiscovery = 0x0024
    case readAdvertisingFeatures = 0x003D
    case addAdvertising = 0x003E
    case removeAdvertising = 0x003F
    case addExtendedAdvertisingParameters = 0x0054
    case addExtendedAdvertisingData = 0x0055
}

/// The kernel's outcome of a command.
struct ManagementStatus: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt8

    static let success = Self(rawValue: 0x00)
    static let unknownCommand = Self(rawValue: 0x01)
    static let noResources = Self(rawValue: 0x07)
    static let timeout = Self(rawValue: 0x08)
    static let busy = Self(rawValue: 0x0A)
    static let rejected = Self(rawValue: 0x0B)
    static let notSupported = Self(rawValue: 0x0C)
    static let invalidParameters = Self(rawValue: 0x0D)
    static let notPowered = Self(rawValue: 0x0F)
    static let invalidIndex = Self(rawValue: 0x11)
    static let blocked = Self(rawValue: 0x12)
    static let permissionDenied = Self(rawValue: 0x14)
}

/// Capabilities of a controller, or those that are switched on.
struct ManagementSettings: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let powered = Self(rawValue: 1 << 0)
    static let classic = Self(rawValue: 1 << 7)
    static let lowEnergy = Self(rawValue: 1 << 9)

    /// The settings that scanning and advertising need.
    static let ready: Self = [.powered, .lowEnergy]
}

/// Options for sending an advert.
struct AdvertisingFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let connectable = Self(rawValue: 1 << 0)
    /// More than 31 bytes, on a secondary channel with the 1M PHY.
    static let secondaryChannel = Self(rawValue: 1 << 7)
    /// The command's time limit counts.
    static let hasTimeLimit = Self(rawValue: 1 << 13)
    /// The command's intervals count.
    static let hasIntervals = Self(rawValue: 1 << 14)
}

/// Kinds of addresses: a set of bits for a discovery, a single number for a found device.
enum ManagementAddressKind {
    static let publicAddress: UInt8 = 1
    static let randomAddress: UInt8 = 2
    /// Low Energy, with both kinds of addresses.
    static let lowEnergy: UInt8 = 1 << publicAddress | 1 << randomAddress
}
