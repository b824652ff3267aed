// Reading CBOR in two modes. Source: RFC 8949; CTAP 2.2 section 8 for what is canonical.

/// A decoder at work on one input.
struct CBORDecoder: ~Escapable {
    /// The encodings that are accepted.
    enum Mode { case strict, lenient }

    let mode: Mode
    let limits: CBORLimits
    var reader: CBORReader
    private var itemsLeft: Int
    /// The integer keys that lead to a byte string that is not copied.
    private let withheldPath: [Int]
    /// The number of these keys that lead to the item that is being read.
    private var matchedKeyCount = 0
    /// The keys of the outermost map that hold no floating-point numbers; nil if none may.
    private let floatlessKeys: ClosedRange<UInt64>?
    /// True in strict mode while floating-point numbers are taken too.
    private(set) var takesFloats = false
    /// The place in the input of the byte string that was not copied.
    private(set) var withheld: Range<Int>?

    @_lifetime(copy input)
    init(
        _ input: Span<UInt8>,
        mode: Mode,
        limits: CBORLimits,
        withholding withheldPath: [Int] = [],
        takingFloatsOutside floatlessKeys: ClosedRange<UInt64>? = nil
    ) throws(CBORError) {
        self.mode = mode
        self.limits = limits
        self.withheldPath = withheldPath
        self.floatlessKeys = floatlessKeys
        reader = CBORReader(input)
        itemsLeft = limits.maxItems
        guard input.count <= limits.maxBytes else {
            throw CBORError(.tooLarge, reason: "\(input.count) bytes, where \(limits.maxBytes) are the limit")
        }
    }

    /// Reads one item with all that it contains.
    @_lifetime(self: copy self)
    mutating func item(depth: Int) throws(CBORError) -> CBORValue {
        let head = try head()
        return try item(after: head, depth: depth)
    }

    /// Reads the head of an item, counts it, and in strict mode refuses what is not canonical.
    @_lifetime(self: copy self)
    mutating func head() throws(CBORError) -> CBORHead {
        let start = reader.offset
        guard itemsLeft > 0 else {
            throw CBORError(.tooManyItems, reason: "more than \(limits.maxItems) items at byte \(start)")
        }
        itemsLeft -= 1
        let head = try reader.head()
        if mode == .strict { try checkCanonical(head, at: start) }
        return head
    }

    private func checkCanonical(_ head: CBORHead, at start: Int) throws(CBORError) {
        switch head.major {
        case .simpleOrFloat:
            return
        case .bytes, .text, .array, .map:
            guard !head.isIndefinite else {
                throw CBORError(.notCanonical, reason: "an indefinite length at byte \(start)")
            }
        case .unsigned, .negative, .tag:
            break
        }
        guard head.isShortest else {
            throw CBORError(.notCanonical, reason: "a number not in its shortest form at byte \(start)")
        }
    }

    /// Reads what follows a head.
    @_lifetime(self: copy self)
    mutating func item(after head: CBORHead, depth: Int) throws(CBORError) -> CBORValue {
        switch head.major {
        case .unsigned, .negative:
            guard !head.isIndefinite else { throw malformed("an integer of indefinite length") }
            return head.major == .unsigned ? .unsigned(head.argument) : .negative(head.argument)
        case .bytes where !head.isIndefinite && isWithheld(at: depth):
            withheld = try reader.take(head.argument)
            return .bytes([])
        case .bytes:
            return .bytes(head.isIndefinite ? try chunks(of: .bytes) : try reader.bytes(head.argument))
        case .text:
            return .text(head.isIndefinite ? try indefiniteText() : try text(head.argument))
        case .array:
            return .array(try elements(after: head, depth: try deeper(than: depth)))
        case .map:
            let inside = try deeper(than: depth)
            return .map(
                mode == .strict ? try sortedMap(after: head, depth: inside) : try map(after: head, depth: inside))
        case .tag:
            guard mode == .lenient else { throw unsupported("a tag") }
            guard !head.isIndefinite else { throw malformed("a tag of indefinite length") }
            return .tagged(head.argument, try item(depth: try deeper(than: depth)))
        case .simpleOrFloat:
            return try simpleOrFloat(head)
        }
    }

    /// Reads the value of a map's key.
    ///
    /// - Parameter depth: that of the map's entries: 1 for the outermost map.
    @_lifetime(self: copy self)
    mutating func value(of key: CBORValue, depth: Int) throws(CBORError) -> CBORValue {
        if depth == 1, let floatlessKeys {
            takesFloats = key.unsignedValue.map { !floatlessKeys.contains($0) } ?? true
        }
        guard matchedKeyCount == depth - 1, depth <= withheldPath.count,
            key == CBORValue(Int64(withheldPath[depth - 1]))
        else { return try item(depth: depth) }
        matchedKeyCount += 1
        defer { matchedKeyCount -= 1 }
        return try item(depth: depth)
    }

    private func isWithheld(at depth: Int) -> Bool {
        depth > 0 && depth == withheldPath.count && depth == matchedKeyCount
    }

    private func deeper(than depth: Int) throws(CBORError) -> Int {
        guard depth < limits.maxDepth else {
            throw CBORError(.tooDeep, reason: "more than \(limits.maxDepth) levels at byte \(reader.offset)")
        }
        return depth + 1
    }

    func malformed(_ what: String) -> CBORError {
        CBORError(.malformed, reason: "\(what) before byte \(reader.offset)")
    }

    func unsupported(_ what: String) -> CBORError {
        CBORError(.unsupported, reason: "\(what) before byte \(reader.offset)")
    }
}
