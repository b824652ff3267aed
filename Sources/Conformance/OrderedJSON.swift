/// JSON whose objects keep the order of their keys, so that a file can be written again as it was.
indirect enum OrderedJSON: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case text(String)
    case array([OrderedJSON])
    case object([Field])

    /// A key of an object and its value.
    struct Field: Sendable, Equatable {
        let key: String
        var value: OrderedJSON
    }

    /// The value of a key; nil if there is none, or if this is no object.
    subscript(_ key: String) -> OrderedJSON? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.key == key }?.value
    }

    /// The text, if this is one.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The elements, if this is an array.
    var elements: [OrderedJSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The same object with other values for some of its keys. Keys that it does not have are added at its end.
    func replacing(_ replacements: [Field]) -> OrderedJSON {
        guard case .object(var fields) = self else { return self }
        for replacement in replacements {
            if let index = fields.firstIndex(where: { $0.key == replacement.key }) {
                fields[index].value = replacement.value
            } else {
                fields.append(replacement)
            }
        }
        return .object(fields)
    }

    /// The same object without some of its keys.
    func removing(_ keys: Set<String>) -> OrderedJSON {
        guard case .object(let fields) = self else { return self }
        return .object(fields.filter { !keys.contains($0.key) })
    }
}

extension OrderedJSON {
    /// A value whose objects have their keys in the order of `model`, and new keys behind them in the order of their names.
    init(_ value: JSONValue, like model: OrderedJSON?) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .text(let value): self = .text(value)
        case .array(let values):
            let models = model?.elements ?? []
            self = .array(
                values.enumerated().map { OrderedJSON($1, like: models.indices.contains($0) ? models[$0] : nil) })
        case .object(let values):
            var keys: [String] = []
            if case .object(let fields)? = model { keys = fields.map(\.key).filter { values[$0] != nil } }
            keys += values.keys.filter { !keys.contains($0) }.sorted()
            self = .object(
                keys.compactMap { key in
                    values[key].map { Field(key: key, value: OrderedJSON($0, like: model?[key])) }
                })
        }
    }
}

extension JSONValue {
    /// The same value without the order.
    init(_ ordered: OrderedJSON) {
        switch ordered {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .text(let value): self = .text(value)
        case .array(let values): self = .array(values.map(JSONValue.init))
        case .object(let fields):
            self = .object(Dictionary(fields.map { ($0.key, JSONValue($0.value)) }) { first, _ in first })
        }
    }
}
