/// The named inputs of a case, read by type.
///
/// A field that is missing or of another type is a fault of the file, never a result of the case.
struct Fields: Sendable {
    let values: [String: JSONValue]
    /// What the fields belong to, for errors.
    let place: String

    func has(_ name: String) -> Bool { values[name] != nil }

    func bytes(_ name: String) throws(ConformanceError) -> [UInt8] {
        guard let bytes = Conformance.bytes(hexDigits: try text(name)) else {
            throw mistyped(name, "lower-case hexadecimal digits")
        }
        return bytes
    }

    /// A byte string that may be null.
    func bytesIfAny(_ name: String) throws(ConformanceError) -> [UInt8]? {
        try value(name) == .null ? nil : try bytes(name)
    }

    func text(_ name: String) throws(ConformanceError) -> String {
        guard case .text(let text) = try value(name) else { throw mistyped(name, "a text") }
        return text
    }

    func integer<Integer: FixedWidthInteger>(_ name: String) throws(ConformanceError) -> Integer {
        guard case .integer(let number) = try value(name), let integer = Integer(exactly: number) else {
            throw mistyped(name, "an integer in range")
        }
        return integer
    }

    /// An integer that may be null.
    func integerIfAny<Integer: FixedWidthInteger>(_ name: String) throws(ConformanceError) -> Integer? {
        try value(name) == .null ? nil : try integer(name)
    }

    /// A bool that may be null.
    func booleanIfAny(_ name: String) throws(ConformanceError) -> Bool? {
        switch try value(name) {
        case .null: return nil
        case .boolean(let boolean): return boolean
        default: throw mistyped(name, "true, false or null")
        }
    }

    /// A bool that may be missing.
    func booleanIfThere(_ name: String) throws(ConformanceError) -> Bool? {
        has(name) ? try booleanIfAny(name) : nil
    }

    func array(_ name: String) throws(ConformanceError) -> [JSONValue] {
        guard case .array(let values) = try value(name) else { throw mistyped(name, "an array") }
        return values
    }

    func texts(_ name: String) throws(ConformanceError) -> [String] {
        var texts: [String] = []
        for value in try array(name) {
            guard case .text(let text) = value else { throw mistyped(name, "an array of texts") }
            texts.append(text)
        }
        return texts
    }

    func byteStrings(_ name: String) throws(ConformanceError) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        for text in try texts(name) {
            guard let string = Conformance.bytes(hexDigits: text) else { throw mistyped(name, "byte strings") }
            strings.append(string)
        }
        return strings
    }

    func mistyped(_ name: String, _ wanted: String) -> ConformanceError {
        ConformanceError(.malformedCase, reason: "\(place): \(name) is not \(wanted)")
    }

    private func value(_ name: String) throws(ConformanceError) -> JSONValue {
        guard let value = values[name] else {
            throw ConformanceError(.malformedCase, reason: "\(place): the input \(name) is missing")
        }
        return value
    }
}
