extension JSONValue {
    /// Reads one JSON value, strictly as RFC 8259 has it: no comments, no byte order mark, nothing behind the value.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - limits: the limits beyond which it is refused.
    /// - Throws: ``JSONError``.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: bytes, limits: limits, handingOver: nil) { _ throws(JSONError) in }
    }

    /// Reads one JSON value as ``init(parsing:limits:)-(Span<UInt8>,_)`` does, but for the arrays at one place: their
    /// elements are handed over one by one, and are not in the value. So a long list takes the memory of one element.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - limits: the limits beyond which it is refused.
    ///   - path: the place: the names of members, and nil for any element of an array; nil for no place.
    ///   - receive: gets each element.
    /// - Throws: ``JSONError``, also of `receive`. Elements handed over before may belong to a text that is not JSON.
    package init(
        parsing bytes: Span<UInt8>, limits: JSONLimits, handingOver path: [String?]?,
        to receive: (JSONValue) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard bytes.count <= limits.byteCount else {
            throw JSONError(.tooLong, reason: "\(bytes.count) bytes of JSON, of at most \(limits.byteCount)")
        }
        var reader = JSONReader(bytes, limits)
        let value = try reader.value(levelsLeft: limits.depth, path.map { $0[...] }, receive)
        reader.skipWhiteSpace()
        guard reader.peek() == nil else { throw reader.malformed("something behind the value") }
        self = value
    }

    /// Reads one JSON value from its text, as ``init(parsing:limits:)-(Span<UInt8>,_)`` does.
    ///
    /// - Throws: ``JSONError``.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span, limits: limits)
    }
}

/// A place in JSON text, and the grammar from there on (RFC 8259 sections 2 to 6).
struct JSONReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let takesLastDuplicate: Bool
    private var offset = 0
    private var valuesLeft: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ limits: JSONLimits) {
        self.bytes = bytes
        takesLastDuplicate = limits.takesLastDuplicate
        valuesLeft = limits.valueCount
    }

    /// The byte at this place; nil at the end.
    func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Takes a byte if it is the next one.
    @_lifetime(self: copy self)
    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    @_lifetime(self: copy self)
    mutating func skipWhiteSpace() {
        while take(" ") || take("\n") || take("\r") || take("\t") {}
    }

    func malformed(_ what: String) -> JSONError {
        JSONError(.malformed, reason: "\(peek() == nil ? "the end of the text" : what) at byte \(offset)")
    }

    @_lifetime(self: copy self)
    mutating func value(
        levelsLeft: Int, _ path: ArraySlice<String?>?, _ receive: (JSONValue) throws(JSONError) -> Void
    ) throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        guard valuesLeft > 0 else { throw JSONError(.tooMany, reason: "too many values, at byte \(offset)") }
        valuesLeft -= 1
        switch peek() {
        case UInt8(ascii: "{"): return .object(try members(levelsLeft: try below(levelsLeft), path, receive))
        case UInt8(ascii: "["): return .array(try elements(levelsLeft: try below(levelsLeft), path, receive))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private func below(_ levelsLeft: Int) throws(JSONError) -> Int {
        guard levelsLeft > 0 else { throw JSONError(.tooDeep, reason: "one level too many at byte \(offset)") }
        return levelsLeft - 1
    }

    @_lifetime(self: copy self)
    private mutating func elements(
        levelsLeft: Int, _ path: ArraySlice<String?>?, _ receive: (JSONValue) throws(JSONError) -> Void
    ) throws(JSONError) -> [JSONValue] {
        offset += 1
        let isHandedOver = path?.isEmpty == true
        let inner = path.flatMap { path in path.first.flatMap { $0 == nil ? path.dropFirst() : nil } }
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if take("]") { return elements }
        while true {
            if isHandedOver {
                let left = valuesLeft
                try receive(try value(levelsLeft: levelsLeft, nil, receive))
                valuesLeft = left
            } else {
                elements.append(try value(levelsLeft: levelsLeft, inner, receive))
            }
            skipWhiteSpace()
            if take("]") { return elements }
            guard take(",") else { throw malformed("no comma and no end of the array") }
        }
    }

    @_lifetime(self: copy self)
    private mutating func members(
        levelsLeft: Int, _ path: ArraySlice<String?>?, _ receive: (JSONValue) throws(JSONError) -> Void
    ) throws(JSONError) -> [JSONValue.Member] {
        offset += 1
        var members: [JSONValue.Member] = []
        var places: [[UInt8]: Int] = [:]
        skipWhiteSpace()
        if take("}") { return members }
        while true {
            skipWhiteSpace()
            let start = offset
            let name = try string()
            let former = places.updateValue(members.count, forKey: Array(name.utf8))
            guard former == nil || takesLastDuplicate else {
                throw JSONError(.duplicateName, reason: "a second member of the same name at byte \(start)")
            }
            skipWhiteSpace()
            guard take(":") else { throw malformed("no colon after a name") }
            let inner = path.flatMap { path in
                path.first.flatMap {
                    $0?.utf8.elementsEqual(name.utf8) == true ? path.dropFirst() : nil
                }
            }
            let member = JSONValue.Member(name, try value(levelsLeft: levelsLeft, inner, receive))
            if let former {
                places[Array(name.utf8)] = former
                members[former] = member
            } else {
                members.append(member)
            }
            skipWhiteSpace()
            if take("}") { return members }
            guard take(",") else { throw malformed("no comma and no end of the object") }
        }
    }

    @_lifetime(self: copy self)
    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = word.utf8CodeUnitCount
        let isThere =
            bytes.count - offset >= count && (0..<count).allSatisfy { bytes[offset + $0] == word.utf8Start[$0] }
        guard isThere else { throw malformed("no JSON value") }
        offset += count
        return value
    }

    @_lifetime(self: copy self)
    private mutating func number() throws(JSONError) -> JSONValue.Number {
        let start = offset
        _ = take("-")
        if !take("0") {
            guard digits() else { throw malformed("no JSON value") }
        }
        if take("."), !digits() { throw malformed("no digit after a decimal point") }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { throw malformed("no digit in an exponent") }
        }
        let text = bytes.extracting(start..<offset).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return JSONValue.Number(checked: text)
    }

    /// Takes digits; false if there is none.
    @_lifetime(self: copy self)
    private mutating func digits() -> Bool {
        let start = offset
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        return offset > start
    }
}

// Strings (RFC 8259 section 7).
extension JSONReader {
    @_lifetime(self: copy self)
    private mutating func string() throws(JSONError) -> String {
        let start = offset
        guard take("\"") else { throw malformed("no string") }
        var content: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw JSONError(.invalidText, reason: "a string that is not UTF-8 at byte \(start)")
                }
                return text
            case UInt8(ascii: "\\"):
                offset += 1
                content += String(try escapedScalar()).utf8
            case 0..<0x20: throw malformed("a control character in a string")
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw malformed("no end of a string")
    }

    @_lifetime(self: copy self)
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        guard let byte = peek() else { throw malformed("") }
        if let scalar = Self.escapes[byte] {
            offset += 1
            return scalar
        }
        guard take("u") else { throw malformed("an unknown escape") }
        let start = offset
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if UTF16.isLeadSurrogate(first), take("\\"), take("u") {
            let second = try codeUnit()
            if UTF16.isTrailSurrogate(second) { return UTF16.decode(UTF16.EncodedScalar([first, second])) }
        }
        throw JSONError(.invalidText, reason: "half of a surrogate pair at byte \(start)")
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{c}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// Four hexadecimal digits.
    @_lifetime(self: copy self)
    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<Self.digitsOfCodeUnit {
            let digit: UInt8
            switch peek() {
            case .some(let byte) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
                digit = byte - UInt8(ascii: "0")
            case .some(let byte) where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | Self.lowerCase):
                digit = (byte | Self.lowerCase) - UInt8(ascii: "a") + 10
            default: throw malformed("no hexadecimal digit in an escape")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    private static let digitsOfCodeUnit = 4
    /// The bit that makes an upper-case ASCII letter a lower-case one.
    private static let lowerCase: UInt8 = 0x20
}
