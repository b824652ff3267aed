extension OrderedJSON {
    /// Reads JSON (RFC 8259) of at most 64 levels, whose numbers are integers of 64 bits.
    ///
    /// - Throws: `malformedFile`, also for a key that stands twice in an object.
    init(parsing json: [UInt8]) throws(ConformanceError) {
        var reader = JSONReader(bytes: json)
        self = try reader.document()
    }
}

/// Reads JSON from its first byte to its last.
private struct JSONReader {
    let bytes: [UInt8]
    var position = 0

    private static let deepest = 64
    private static let hexDigitCount = 4
    private static let highSurrogates: ClosedRange<UInt16> = 0xD800...0xDBFF
    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    mutating func document() throws(ConformanceError) -> OrderedJSON {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw malformed("something follows the value") }
        return value
    }

    private mutating func value(depth: Int) throws(ConformanceError) -> OrderedJSON {
        guard depth < Self.deepest else { throw malformed("nested too deeply") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try integer()
        }
    }

    private mutating func object(_ depth: Int) throws(ConformanceError) -> OrderedJSON {
        var fields: [OrderedJSON.Field] = []
        var keys: Set<String> = []
        try elements(until: "}") { (reader) throws(ConformanceError) in
            let key = try reader.text()
            guard keys.insert(key).inserted else { throw reader.malformed("the key \(key) stands twice") }
            try reader.expect(":")
            fields.append(OrderedJSON.Field(key: key, value: try reader.value(depth: depth + 1)))
        }
        return .object(fields)
    }

    private mutating func array(_ depth: Int) throws(ConformanceError) -> OrderedJSON {
        var values: [OrderedJSON] = []
        try elements(until: "]") { (reader) throws(ConformanceError) in
            values.append(try reader.value(depth: depth + 1))
        }
        return .array(values)
    }

    /// The elements between the bracket at the position and the one that closes it, with commas between them.
    private mutating func elements(
        until end: Unicode.Scalar, _ element: (inout JSONReader) throws(ConformanceError) -> Void
    ) throws(ConformanceError) {
        position += 1
        skipSpace()
        guard next != UInt8(ascii: end) else { return position += 1 }
        while true {
            skipSpace()
            try element(&self)
            skipSpace()
            if next == UInt8(ascii: end) { return position += 1 }
            try expect(",")
        }
    }

    private mutating func text() throws(ConformanceError) -> String {
        try expect("\"")
        var units: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= UInt8(ascii: " ") else { throw malformed("a control character in a text") }
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                continue
            }
            units += Array(String(Character(try escaped())).utf8)
        }
        try expect("\"")
        guard let text = String(validating: units, as: UTF8.self) else { throw malformed("a text is not UTF-8") }
        return text
    }

    private mutating func escaped() throws(ConformanceError) -> Unicode.Scalar {
        guard let letter = next else { throw malformed("an escape without an end") }
        position += 1
        if let scalar = Self.escapes[letter] { return scalar }
        guard letter == UInt8(ascii: "u") else { throw malformed("an unknown escape") }
        var units = [try hexUnit()]
        if let first = units.first, Self.highSurrogates.contains(first) {
            try expect("\\")
            try expect("u")
            units.append(try hexUnit())
        }
        guard let scalar = String(validating: units, as: UTF16.self)?.unicodeScalars.first else {
            throw malformed("half a surrogate pair")
        }
        return scalar
    }

    private mutating func hexUnit() throws(ConformanceError) -> UInt16 {
        let digits = bytes[position...].prefix(Self.hexDigitCount)
        guard digits.count == Self.hexDigitCount, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("an escape without its four digits") }
        position += Self.hexDigitCount
        return unit
    }

    private mutating func integer() throws(ConformanceError) -> OrderedJSON {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let digits = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        let hasLeadingZero = position - digits > 1 && bytes[digits] == UInt8(ascii: "0")
        guard !hasLeadingZero, let number = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw malformed("neither a value nor an integer of 64 bits")
        }
        return .integer(number)
    }

    private mutating func literal(_ word: String, _ value: OrderedJSON) throws(ConformanceError) -> OrderedJSON {
        for letter in word.unicodeScalars { try expect(letter, skippingSpace: false) }
        return value
    }

    private mutating func expect(_ scalar: Unicode.Scalar, skippingSpace: Bool = true) throws(ConformanceError) {
        if skippingSpace, scalar == ":" || scalar == "," { skipSpace() }
        guard next == UInt8(ascii: scalar) else { throw malformed("\(scalar) is missing") }
        position += 1
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next,
            [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t")].contains(byte)
        {
            position += 1
        }
    }

    private func malformed(_ reason: String) -> ConformanceError {
        ConformanceError(.malformedFile, reason: "byte \(position): \(reason)")
    }
}
