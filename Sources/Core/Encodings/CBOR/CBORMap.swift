/// A CBOR map, its entries always in CTAP2's canonical order and each key there once.
///
/// The order is an invariant: encoding needs no sort, a look-up is a binary search, and two maps with the same entries
/// are equal. Source: CTAP 2.2 section 8.
public struct CBORMap: Sendable, Hashable {
    /// A key and its value.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: CBORValue
        /// The value.
        public var value: CBORValue

        /// Makes an entry.
        public init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// The entries in canonical order.
    public private(set) var entries: [Entry]

    /// Makes an empty map.
    public init() { entries = [] }

    /// Makes a map from entries in any order; of several with the same key, the first counts.
    public init(_ entries: [Entry]) {
        self.entries = Self.isSorted(entries) ? entries : Self.sortedAndUnique(entries)
    }

    /// Makes a map from entries that are known to be in order.
    init(sorted entries: [Entry]) { self.entries = entries }

    /// The number of entries.
    public var count: Int { entries.count }
    /// True if there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a key; setting nil removes the entry.
    public subscript(_ key: CBORValue) -> CBORValue? {
        get {
            let place = place(of: key)
            return place.found ? entries[place.index].value : nil
        }
        set {
            let place = place(of: key)
            switch (newValue, place.found) {
            case (let value?, true): entries[place.index].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: place.index)
            case (nil, true): entries.remove(at: place.index)
            case (nil, false): break
            }
        }
    }

    /// The value of an integer key; setting nil removes the entry.
    public subscript(_ key: Int) -> CBORValue? {
        get { self[CBORValue(Int64(key))] }
        set { self[CBORValue(Int64(key))] = newValue }
    }

    /// The value of a text key; setting nil removes the entry.
    public subscript(_ key: String) -> CBORValue? {
        get { self[CBORValue.text(key)] }
        set { self[CBORValue.text(key)] = newValue }
    }

    /// The place of a key, or the place where it belongs.
    private func place(of key: CBORValue) -> (index: Int, found: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            switch entries[middle].key.order(to: key) {
            case .before: low = middle + 1
            case .same: return (middle, true)
            case .after: high = middle
            }
        }
        return (low, false)
    }
}

extension CBORMap: ExpressibleByDictionaryLiteral {
    /// Makes a map from a literal; of equal keys the first counts.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self.init(elements.map { Entry(key: $0.0, value: $0.1) })
    }
}

extension CBORMap {
    private static func isSorted(_ entries: [Entry]) -> Bool {
        // Keys that compare by their encoding would be encoded for each comparison: those are sorted by other means.
        guard !entries.contains(where: { $0.key.isOrderedByEncoding }) else { return entries.count == 1 }
        return zip(entries, entries.dropFirst()).allSatisfy { $0.key.order(to: $1.key) == .before }
    }

    private static func sortedAndUnique(_ entries: [Entry]) -> [Entry] {
        let sorted =
            entries.contains { $0.key.isOrderedByEncoding }
            ? sortedByEncoding(entries) : entries.sorted { $0.key.order(to: $1.key) == .before }
        var unique: [Entry] = []
        unique.reserveCapacity(sorted.count)
        // The sort is stable, so the first of equal keys stays in front.
        for entry in sorted where unique.last?.key != entry.key { unique.append(entry) }
        return unique
    }

    /// Sorts with one encoding a key, however often it is compared.
    private static func sortedByEncoding(_ entries: [Entry]) -> [Entry] {
        entries.map { (encoding: $0.key.encoded(), entry: $0) }
            .sorted { left, right in
                let leftType = left.entry.key.majorType
                let rightType = right.entry.key.majorType
                guard leftType == rightType else { return leftType.rawValue < rightType.rawValue }
                return CBOROrder(lengthFirst: left.encoding.span, right.encoding.span) == .before
            }
            .map(\.entry)
    }
}
