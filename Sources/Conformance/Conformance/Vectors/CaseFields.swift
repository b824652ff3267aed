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
