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
