// The head of a data item: major type, additional information, argument. Source: RFC 8949 section 3.

/// The upper three bits of an item's first byte.
enum CBORMajorType: UInt8, Hashable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simpleOrFloat = 7

    /// The shift of the major type from the lowest bit.
    static let shift: UInt8 = 5
}

/// The lower five bits of an item's first byte.
enum CBORAdditional {
    static let mask: UInt8 = 0x1f
    /// The largest argument that stands in the first byte itself.
    static let largestInline: UInt8 = 23
    static let oneByte: UInt8 = 24
    static let twoBytes: UInt8 = 25
    static let fourBytes: UInt8 = 26
    static let eightBytes: UInt8 = 27
    /// An indefinite length, or the break that ends one.
    static let indefinite: UInt8 = 31
}

/// The simple values with a meaning, as they stand in the additional information.
enum CBORSimpleNumber {
    static let `false`: UInt8 = 20
    static let `true`: UInt8 = 21
    static let null: UInt8 = 22
    static let undefined: UInt8 = 23
    /// The smallest simple value that is written in a byte of its own.
    static let smallestExtended: UInt8 = 32
}

/// The head of a data item, read.
struct CBORHead {
    let major: CBORMajorType
    /// The additional information, 0…27 or 31.
    let additional: UInt8
    /// The argument: 0 where the length is indefinite.
    let argument: UInt64

    var isIndefinite: Bool { additional == CBORAdditional.indefinite }
    /// The byte `FF`, which ends an item of indefinite length.
    var isBreak: Bool { major == .simpleOrFloat && isIndefinite }

    /// True if the argument cannot be written in fewer bytes.
    var isShortest: Bool {
        switch additional {
        case CBORAdditional.oneByte: argument > UInt64(CBORAdditional.largestInline)
        case CBORAdditional.twoBytes: argument > UInt64(UInt8.max)
        case CBORAdditional.fourBytes: argument > UInt64(UInt16.max)
        case CBORAdditional.eightBytes: argument > UInt64(UInt32.max)
        default: true
        }
    }
}
