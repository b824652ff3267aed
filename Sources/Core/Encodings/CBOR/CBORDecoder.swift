// Reading CBOR in two modes. Source: RFC 8949; CTAP 2.2 section 8 for the canonical form.

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

    /// Reads the head of an item, counts it, and in strict mode refuses one that is not canonical.
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

    /// Reads the rest of an item, behind its head.
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

// Major type 7: simple values and floating-point numbers. Source: RFC 8949 section 3.3.

extension CBORDecoder {
    /// The simple value or number of a head.
    func simpleOrFloat(_ head: CBORHead) throws(CBORError) -> CBORValue {
        switch head.additional {
        case CBORSimpleNumber.false: return .bool(false)
        case CBORSimpleNumber.true: return .bool(true)
        case CBORSimpleNumber.null: return .null
        case CBORAdditional.indefinite: throw malformed("a break outside an item of indefinite length")
        case CBORAdditional.oneByte where head.argument < UInt64(CBORSimpleNumber.smallestExtended):
            throw malformed("a simple value in the wrong form")
        default: break
        }
        let isFloat = (CBORAdditional.twoBytes...CBORAdditional.eightBytes).contains(head.additional)
        guard mode == .lenient || takesFloats && isFloat else {
            throw unsupported("undefined, a float or an unknown simple value")
        }
        switch head.additional {
        case CBORSimpleNumber.undefined:
            return .undefined
        case CBORAdditional.twoBytes:
            return .float(Double(CBORHalf.widened(UInt16(truncatingIfNeeded: head.argument))))
        case CBORAdditional.fourBytes:
            return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument))))
        case CBORAdditional.eightBytes:
            return .float(Double(bitPattern: head.argument))
        default:
            guard let simple = CBORSimple(rawValue: UInt8(truncatingIfNeeded: head.argument)) else {
                throw malformed("a simple value in the wrong form")
            }
            return .simple(simple)
        }
    }
}

// Byte and text strings, whole or in chunks. Source: RFC 8949 sections 3.1 and 3.2.3.

extension CBORDecoder {
    /// The text of a definite length. Lenient mode repairs bytes that are not UTF-8 with U+FFFD: authenticators cut
    /// long names in the middle of a character.
    @_lifetime(self: copy self)
    mutating func text(_ count: UInt64) throws(CBORError) -> String {
        var repairing = reader
        if let text = try reader.text(count) { return text }
        guard mode == .lenient else {
            throw CBORError(.invalidText, reason: "text that is not UTF-8 before byte \(reader.offset)")
        }
        return String(decoding: try repairing.bytes(count), as: UTF8.self)
    }

    /// The text of an indefinite length. Each chunk is text of its own.
    @_lifetime(self: copy self)
    mutating func indefiniteText() throws(CBORError) -> String {
        var whole = ""
        while let chunk = try chunkHead(of: .text) { whole += try text(chunk.argument) }
        return whole
    }

    /// The bytes of a string of indefinite length.
    @_lifetime(self: copy self)
    mutating func chunks(of major: CBORMajorType) throws(CBORError) -> [UInt8] {
        var whole: [UInt8] = []
        while let chunk = try chunkHead(of: major) { whole += try reader.bytes(chunk.argument) }
        return whole
    }

    /// The head of the next chunk; nil after the break.
    @_lifetime(self: copy self)
    private mutating func chunkHead(of major: CBORMajorType) throws(CBORError) -> CBORHead? {
        let head = try head()
        if head.isBreak { return nil }
        guard head.major == major, !head.isIndefinite else {
            throw malformed("a chunk of another kind than its string")
        }
        return head
    }
}

/// A place in the input that only moves forward, and never past the end.
struct CBORReader: ~Escapable {
    private let input: Span<UInt8>
    /// The number of bytes that have been read.
    private(set) var offset = 0

    @_lifetime(copy input)
    init(_ input: Span<UInt8>) { self.input = input }

    /// The number of bytes that are left.
    var remaining: Int { input.count - offset }

    /// The next byte, read.
    @_lifetime(self: copy self)
    mutating func byte() throws(CBORError) -> UInt8 {
        guard offset < input.count else { throw truncated() }
        defer { offset += 1 }
        return input[offset]
    }

    /// The next `count` bytes, copied.
    @_lifetime(self: copy self)
    mutating func bytes(_ count: UInt64) throws(CBORError) -> [UInt8] {
        let range = try take(count)
        return input.extracting(range).withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// The next `count` bytes as text; nil if they are not UTF-8.
    @_lifetime(self: copy self)
    mutating func text(_ count: UInt64) throws(CBORError) -> String? {
        let range = try take(count)
        guard let text = try? UTF8Span(validating: input.extracting(range)) else { return nil }
        return String(copying: text)
    }

    /// The head of the next item.
    @_lifetime(self: copy self)
    mutating func head() throws(CBORError) -> CBORHead {
        let start = offset
        let first = try byte()
        let additional = first & CBORAdditional.mask
        // Three bits always name a major type.
        let major = CBORMajorType(rawValue: first >> CBORMajorType.shift) ?? .simpleOrFloat
        let argumentByteCount: Int
        switch additional {
        case 0...CBORAdditional.largestInline:
            return CBORHead(major: major, additional: additional, argument: UInt64(additional))
        case CBORAdditional.oneByte...CBORAdditional.eightBytes:
            argumentByteCount = 1 << Int(additional - CBORAdditional.oneByte)
        case CBORAdditional.indefinite:
            return CBORHead(major: major, additional: additional, argument: 0)
        default:
            throw CBORError(.malformed, reason: "reserved additional information \(additional) at byte \(start)")
        }
        var argument: UInt64 = 0
        for _ in 0..<argumentByteCount { argument = argument << UInt8.bitWidth | UInt64(try byte()) }
        return CBORHead(major: major, additional: additional, argument: argument)
    }

    /// The order of two pieces that have been read, as CTAP2 orders keys of one major type.
    func order(of left: Range<Int>, to right: Range<Int>) -> CBOROrder {
        CBOROrder(lengthFirst: input.extracting(left), input.extracting(right))
    }

    /// The place of the next `count` bytes, which are passed over.
    @_lifetime(self: copy self)
    mutating func take(_ count: UInt64) throws(CBORError) -> Range<Int> {
        guard count <= UInt64(remaining) else { throw truncated() }
        let start = offset
        offset += Int(count)
        return start..<offset
    }

    private func truncated() -> CBORError {
        CBORError(.truncated, reason: "the input ends after \(input.count) bytes, inside an item")
    }
}
