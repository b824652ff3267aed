// CTAP2's order of map keys, and equality that agrees with it. Source: CTAP 2.2 section 8, "CTAP2 canonical CBOR
// encoding form": the lower major type first, then the shorter encoding, then the bytes in lexical order.

/// Order of two keys by CTAP2's rule (HT-CBOR-3).
enum CBOROrder {
    case before, same, after

    init<Number: Comparable>(_ left: Number, _ right: Number) {
        self = left < right ? .before : left == right ? .same : .after
    }

    /// The shorter first, then the bytes.
    init(lengthFirst left: Span<UInt8>, _ right: Span<UInt8>) {
        guard left.count == right.count else {
            self.init(left.count, right.count)
            return
        }
        for index in left.indices where left[index] != right[index] {
            self.init(left[index], right[index])
            return
        }
        self = .same
    }
}

extension CBORValue {
    /// The major type, 0…7.
    var majorType: CBORMajorType {
        switch self {
        case .unsigned: .unsigned
        case .negative: .negative
        case .bytes: .bytes
        case .text: .text
        case .array: .array
        case .map: .map
        case .tagged: .tag
        case .bool, .null, .undefined, .simple, .float: .simpleOrFloat
        }
    }

    /// True if comparing this as a key takes its whole encoding.
    var isOrderedByEncoding: Bool {
        switch self {
        case .unsigned, .negative, .bytes, .text: false
        case .array, .map, .tagged, .bool, .null, .undefined, .simple, .float: true
        }
    }

    /// The order of this key and another one by CTAP2's rule.
    func order(to other: CBORValue) -> CBOROrder {
        switch (self, other) {
        case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)):
            return CBOROrder(left, right)
        case (.bytes(let left), .bytes(let right)):
            return CBOROrder(lengthFirst: left.span, right.span)
        case (.text(let left), .text(let right)):
            return CBOROrder(lengthFirst: left.utf8.span, right.utf8.span)
        default:
            guard majorType == other.majorType else {
                return CBOROrder(majorType.rawValue, other.majorType.rawValue)
            }
            return CBOROrder(lengthFirst: encoded().span, other.encoded().span)
        }
    }
}

extension CBORValue: Hashable {
    /// True if both encode to the same bytes.
    public static func == (left: CBORValue, right: CBORValue) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.tagged(let left, let leftItem), .tagged(let right, let rightItem)):
            left == right && leftItem == rightItem
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null), (.undefined, .undefined): true
        case (.simple(let left), .simple(let right)): left == right
        case (.float(let left), .float(let right)): (left.isNaN && right.isNaN) || left.bitPattern == right.bitPattern
        default: false
        }
    }

    /// Feeds the kind and the contents to the hasher, texts as UTF-8.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(majorType)
        switch self {
        case .unsigned(let value), .negative(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .text(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        case .array(let value): hasher.combine(value)
        case .map(let value): hasher.combine(value)
        case .tagged(let number, let item):
            hasher.combine(number)
            hasher.combine(item)
        case .bool(let value): hasher.combine(value)
        case .null, .undefined: break
        case .simple(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
        }
    }
}
