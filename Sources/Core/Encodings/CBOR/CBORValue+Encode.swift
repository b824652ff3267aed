// CTAP2 canonical encoding in one allocation. Source: CTAP 2.2 section 8; RFC 8949 sections 3 and 4.2.1.

extension CBORValue {
    /// The item in CTAP2 canonical CBOR: shortest integers and lengths, definite lengths, keys in order (HT-CBOR-1,
    /// HT-CBOR-2, HT-CBOR-3).
    ///
    /// Takes time linear in the output. Floats, which CTAP2 does not use, are written in the shortest form that keeps
    /// their value.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(encodedByteCount)
        append(to: &output)
        return output
    }

    /// The length of ``encoded()``.
    public var encodedByteCount: Int {
        switch self {
        case .unsigned(let value), .negative(let value): Self.headByteCount(value)
        case .bytes(let bytes): Self.headByteCount(UInt64(bytes.count)) + bytes.count
        case .text(let text): Self.headByteCount(UInt64(text.utf8.count)) + text.utf8.count
        case .array(let elements):
            elements.reduce(Self.headByteCount(UInt64(elements.count))) { $0 + $1.encodedByteCount }
        case .map(let map): map.encodedByteCount
        case .tagged(let number, let item): Self.headByteCount(number) + item.encodedByteCount
        case .bool, .null, .undefined: 1
        case .simple(let simple): Self.headByteCount(UInt64(simple.rawValue))
        case .float(let value):
            switch FloatForm(value) {
            case .half: 1 + MemoryLayout<UInt16>.size
            case .single: 1 + MemoryLayout<UInt32>.size
            case .double: 1 + MemoryLayout<UInt64>.size
            }
        }
    }

    /// Writes the item at the end of `output`.
    func append(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.appendHead(.unsigned, value, to: &output)
        case .negative(let value): Self.appendHead(.negative, value, to: &output)
        case .bytes(let bytes):
            Self.appendHead(.bytes, UInt64(bytes.count), to: &output)
            output.append(contentsOf: bytes)
        case .text(let text):
            Self.appendHead(.text, UInt64(text.utf8.count), to: &output)
            text.utf8.span.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        case .array(let elements):
            Self.appendHead(.array, UInt64(elements.count), to: &output)
            for element in elements { element.append(to: &output) }
        case .map(let map): map.append(to: &output)
        case .tagged(let number, let item):
            Self.appendHead(.tag, number, to: &output)
            item.append(to: &output)
        case .bool(let value): Self.appendSimple(value ? CBORSimpleNumber.true : CBORSimpleNumber.false, to: &output)
        case .null: Self.appendSimple(CBORSimpleNumber.null, to: &output)
        case .undefined: Self.appendSimple(CBORSimpleNumber.undefined, to: &output)
        case .simple(let simple): Self.appendSimple(simple.rawValue, to: &output)
        case .float(let value): FloatForm(value).append(to: &output)
        }
    }

    /// The length of a head with this argument: 1, 2, 3, 5 or 9 bytes.
    static func headByteCount(_ argument: UInt64) -> Int {
        switch argument {
        case 0...UInt64(CBORAdditional.largestInline): 1
        case 0...UInt64(UInt8.max): 1 + MemoryLayout<UInt8>.size
        case 0...UInt64(UInt16.max): 1 + MemoryLayout<UInt16>.size
        case 0...UInt64(UInt32.max): 1 + MemoryLayout<UInt32>.size
        default: 1 + MemoryLayout<UInt64>.size
        }
    }

    /// Writes a head with its argument in the shortest form (HT-CBOR-1).
    static func appendHead(_ major: CBORMajorType, _ argument: UInt64, to output: inout [UInt8]) {
        switch argument {
        case 0...UInt64(CBORAdditional.largestInline):
            output.append(major.rawValue << CBORMajorType.shift | UInt8(argument))
        case 0...UInt64(UInt8.max):
            appendHead(major, CBORAdditional.oneByte, UInt8(argument), to: &output)
        case 0...UInt64(UInt16.max):
            appendHead(major, CBORAdditional.twoBytes, UInt16(argument), to: &output)
        case 0...UInt64(UInt32.max):
            appendHead(major, CBORAdditional.fourBytes, UInt32(argument), to: &output)
        default:
            appendHead(major, CBORAdditional.eightBytes, argument, to: &output)
        }
    }

    fileprivate static func appendHead<Argument: FixedWidthInteger & UnsignedInteger>(
        _ major: CBORMajorType, _ additional: UInt8, _ argument: Argument, to output: inout [UInt8]
    ) {
        output.append(major.rawValue << CBORMajorType.shift | additional)
        var shift = Argument.bitWidth
        while shift > 0 {
            shift -= UInt8.bitWidth
            output.append(UInt8(truncatingIfNeeded: argument >> shift))
        }
    }

    private static func appendSimple(_ number: UInt8, to output: inout [UInt8]) {
        appendHead(.simpleOrFloat, UInt64(number), to: &output)
    }
}

extension CBORMap {
    /// The length of the encoded map.
    var encodedByteCount: Int {
        entries.reduce(CBORValue.headByteCount(UInt64(entries.count))) {
            $0 + $1.key.encodedByteCount + $1.value.encodedByteCount
        }
    }

    /// The map in CTAP2 canonical CBOR.
    public func encoded() -> [UInt8] { CBORValue.map(self).encoded() }

    /// Writes the map at the end of `output`.
    func append(to output: inout [UInt8]) {
        CBORValue.appendHead(.map, UInt64(entries.count), to: &output)
        for entry in entries {
            entry.key.append(to: &output)
            entry.value.append(to: &output)
        }
    }
}

/// The shortest floating-point form that keeps a number's value.
private enum FloatForm {
    case half(UInt16)
    case single(UInt32)
    case double(UInt64)

    init(_ value: Double) {
        let single = Float(value)
        if let half = value.isNaN ? CBORHalf.canonicalNaN : Double(single) == value ? CBORHalf.exactly(single) : nil {
            self = .half(half)
        } else if Double(single) == value {
            self = .single(single.bitPattern)
        } else {
            self = .double(value.bitPattern)
        }
    }

    func append(to output: inout [UInt8]) {
        switch self {
        case .half(let bits): CBORValue.appendHead(.simpleOrFloat, CBORAdditional.twoBytes, bits, to: &output)
        case .single(let bits): CBORValue.appendHead(.simpleOrFloat, CBORAdditional.fourBytes, bits, to: &output)
        case .double(let bits): CBORValue.appendHead(.simpleOrFloat, CBORAdditional.eightBytes, bits, to: &output)
        }
    }
}
