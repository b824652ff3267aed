package import Encodings

/// Named values in their order: the input of a case's operation, or its outcome.
///
/// Written as a dictionary: `["eid_key": .hex(key), "domain_id": 266, "text": "0a"]`.
package struct CaseFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields, in the order in which they are written.
    package private(set) var members: [JSONValue.Member]

    /// Makes fields of their members.
    package init(_ members: [JSONValue.Member]) { self.members = members }

    /// Makes fields in the order in which they are written.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self.members = members.map { JSONValue.Member($0, $1) }
    }

    /// A field's value; nil without it. A new one stands at its field's place, or at the end; nil takes a field out.
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let place = members.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): members[place] = JSONValue.Member(name, value)
            case (nil, let value?): members.append(JSONValue.Member(name, value))
            case (let place?, nil): members.remove(at: place)
            case (nil, nil): break
            }
        }
    }

    /// The same fields with another value for one of them, or with one more at the end.
    package func with(_ name: String, _ value: JSONValue) -> Self {
        var changed = self
        changed[name] = value
        return changed
    }

    /// The same fields with others' values, and with those behind them that are new.
    package func with(_ others: Self) -> Self {
        others.members.reduce(self) { $0.with($1.name, $1.value) }
    }

    /// Adds those of other fields whose names are not there yet.
    package mutating func add(_ others: Self) { self = with(others).with(self) }

    /// The same fields without one.
    package func without(_ name: String) -> Self {
        var changed = self
        changed[name] = nil
        return changed
    }

    /// The fields of these names, in the order of the names.
    ///
    /// - Throws: `malformedCase` if one is not there.
    package func only(_ names: [String]) throws(VectorError) -> Self {
        var chosen: [JSONValue.Member] = []
        for name in names { chosen.append(JSONValue.Member(name, try value(name))) }
        return Self(chosen)
    }

    /// The fields of those of these names that are there, in the order of the names.
    package func ifThere(_ names: [String]) -> Self {
        Self(names.compactMap { name in self[name].map { JSONValue.Member(name, $0) } })
    }
}

extension CaseFields {
    /// Reads a file that holds an object.
    ///
    /// - Throws: `unreadable`, `malformedFile`.
    package init(file path: String) throws(VectorError) {
        try self.init(parsing: Folder.contents(of: path, limit: VectorFile.maximumByteCount), name: path)
    }

    /// Parses the contents of a file that holds an object.
    ///
    /// - Throws: `malformedFile`, also for two members of one name.
    init(parsing json: [UInt8], name: String) throws(VectorError) {
        let limits = JSONLimits(byteCount: VectorFile.maximumByteCount, depth: JSONLimits.standard.depth)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: json.span, limits: limits)
        } catch {
            throw VectorError(.malformedFile, reason: "\(name): \(error.reason)", place: error.place)
        }
        guard let members = value.objectValue else {
            throw VectorError(.malformedFile, reason: "\(name) is not an object")
        }
        self.init(members)
    }
}

// Fields by their types. A field that is missing or of another type is a fault of the file, never an outcome of the
// case.

extension CaseFields {
    /// A byte string.
    ///
    /// - Throws: `malformedCase` if there is none of this name, as everything here.
    package func bytes(_ name: String) throws(VectorError) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(try text(name), only: .lowerCase) else {
            throw mistyped(name, "lower-case hexadecimal digits")
        }
        return bytes
    }

    /// A byte string that may be null.
    func bytesIfAny(_ name: String) throws(VectorError) -> [UInt8]? {
        try value(name) == .null ? nil : try bytes(name)
    }

    /// A text.
    package func text(_ name: String) throws(VectorError) -> String {
        guard let text = try value(name).stringValue else { throw mistyped(name, "a text") }
        return text
    }

    /// An integer.
    package func integer<Integer: FixedWidthInteger>(_ name: String) throws(VectorError) -> Integer {
        guard let integer: Integer = try value(name).integer() else { throw mistyped(name, "an integer in range") }
        return integer
    }

    /// An integer that may be null.
    func integerIfAny<Integer: FixedWidthInteger>(_ name: String) throws(VectorError) -> Integer? {
        try value(name) == .null ? nil : try integer(name)
    }

    /// A bool that may be null.
    func booleanIfAny(_ name: String) throws(VectorError) -> Bool? {
        switch try value(name) {
        case .null: return nil
        case .bool(let boolean): return boolean
        default: throw mistyped(name, "true, false or null")
        }
    }

    /// A bool that may be missing.
    func booleanIfThere(_ name: String) throws(VectorError) -> Bool? {
        self[name] == nil ? nil : try booleanIfAny(name)
    }

    /// An array.
    func array(_ name: String) throws(VectorError) -> [JSONValue] {
        guard let values = try value(name).arrayValue else { throw mistyped(name, "an array") }
        return values
    }

    /// An array of texts.
    func texts(_ name: String) throws(VectorError) -> [String] {
        try array(name).map { (value) throws(VectorError) in
            guard let text = value.stringValue else { throw mistyped(name, "an array of texts") }
            return text
        }
    }

    /// An array of byte strings.
    package func byteStrings(_ name: String) throws(VectorError) -> [[UInt8]] {
        try texts(name).map { (text) throws(VectorError) in
            guard let bytes = Hexadecimal.decode(text, only: .lowerCase) else { throw mistyped(name, "byte strings") }
            return bytes
        }
    }

    /// An object.
    package func object(_ name: String) throws(VectorError) -> CaseFields {
        guard let members = try value(name).objectValue else { throw mistyped(name, "an object") }
        return CaseFields(members)
    }

    /// An array of objects.
    package func objects(_ name: String) throws(VectorError) -> [CaseFields] {
        try array(name).map { (value) throws(VectorError) in
            guard let members = value.objectValue else { throw mistyped(name, "an array of objects") }
            return CaseFields(members)
        }
    }

    /// Demands that the fields have these names and no others.
    ///
    /// - Parameters:
    ///   - names: the names, and whether they must be there.
    ///   - what: the name of the fields, for the error.
    /// - Throws: `malformedCase` that names a field that is missing, or is not known.
    func check(_ names: [String: Bool], _ what: String) throws(VectorError) {
        for name in names.filter(\.value).keys.sorted() where self[name] == nil {
            throw VectorError(.malformedCase, reason: "\(what) lacks \(name)")
        }
        for member in members where names[member.name] == nil {
            throw VectorError(.malformedCase, reason: "\(what) has \(member.name), which is not known there")
        }
    }

    /// The error for a field of another type.
    func mistyped(_ name: String, _ wanted: String) -> VectorError {
        VectorError(.malformedCase, reason: "\(name) is not \(wanted)")
    }

    /// A field of any type.
    package func value(_ name: String) throws(VectorError) -> JSONValue {
        guard let value = self[name] else { throw VectorError(.malformedCase, reason: "\(name) is missing") }
        return value
    }
}
