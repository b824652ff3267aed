package import Conformance
package import JSON

/// Values with their members in order, as files have them; not those that Conformance compares.
package typealias JSONValue = JSON.JSONValue

/// Named values in their order: what a case's operation is given, or what comes out of it.
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

    /// The same fields without one.
    package func without(_ name: String) -> Self {
        var changed = self
        changed[name] = nil
        return changed
    }

    /// The fields of these names, in the order of the names.
    ///
    /// - Throws: `malformedCase` if one is not there.
    package func only(_ names: [String]) throws(ConformanceError) -> Self {
        var chosen: [JSONValue.Member] = []
        for name in names { chosen.append(JSONValue.Member(name, try value(name))) }
        return Self(chosen)
    }

    /// A byte string.
    ///
    /// - Throws: `malformedCase` if there is none of this name.
    package func bytes(_ name: String) throws(ConformanceError) -> [UInt8] { try bytes(of: value(name), name) }

    /// Byte strings.
    ///
    /// - Throws: `malformedCase` if there are none of this name.
    package func byteStrings(_ name: String) throws(ConformanceError) -> [[UInt8]] {
        guard let values = try value(name).arrayValue else { throw Self.missing(name) }
        var strings: [[UInt8]] = []
        for value in values { strings.append(try bytes(of: value, name)) }
        return strings
    }

    /// A text.
    ///
    /// - Throws: `malformedCase` if there is none of this name.
    package func text(_ name: String) throws(ConformanceError) -> String {
        guard let text = try value(name).stringValue else { throw Self.missing(name) }
        return text
    }

    private func value(_ name: String) throws(ConformanceError) -> JSONValue {
        guard let value = self[name] else { throw Self.missing(name) }
        return value
    }

    private func bytes(of value: JSONValue, _ name: String) throws(ConformanceError) -> [UInt8] {
        guard let bytes = value.stringValue.flatMap({ Conformance.bytes(hexDigits: $0) }) else {
            throw Self.missing(name)
        }
        return bytes
    }

    private static func missing(_ name: String) -> ConformanceError {
        ConformanceError(.malformedCase, reason: "no \(name) of the type wanted")
    }
}

extension JSONValue {
    /// A byte string: vectors state them as lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8]) -> Self { .string(hexDigits(bytes)) }

    /// Byte strings.
    package static func hexes(_ strings: [[UInt8]]) -> Self { .array(strings.map { .hex($0) }) }
}
