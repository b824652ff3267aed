internal import Encodings

/// A map that is read by its known keys; the others are ignored.
struct Parameters {
    /// The treatment of an optional parameter of a wrong type.
    enum Reading {
        /// It is refused: an authenticator reading a request (CTAP 2.2 section 6.1.2 step 3 and its like).
        case strict
        /// It is passed over as if absent: a client reading what a phone sent (HT-CTAP-19).
        case generous
    }

    let map: CBORMap
    let reading: Reading

    /// Reads a request's parameters: a map in canonical CBOR that takes up the whole input.
    ///
    /// - Parameters:
    ///   - input: the bytes after the command.
    ///   - keys: the keys that the command knows. What others hold is ignored, and may be a floating-point number
    ///     (HT-CBOR-22).
    ///   - limits: the most CBOR that is decoded.
    init(request input: Span<UInt8>, keys: ClosedRange<UInt64>, limits: CBORLimits) throws(CTAPError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue.decode(input, takingFloatsOutside: keys, limits: limits)
        } catch {
            let isTooLarge = error.code == .tooLarge || error.code == .tooManyItems
            throw CTAPError(isTooLarge ? .tooLarge : .invalidCBOR, reason: error.description, place: error.place)
        }
        try self.init(value, "the message", .strict)
    }

    /// Reads a response: a map in any CBOR that takes up the whole input.
    init(response input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue.decodeLenient(input, limits: limits)
        } catch {
            throw CTAPError(.invalidCBOR, reason: error.description, place: error.place)
        }
        try self.init(value, "the message", .generous)
    }

    /// Takes a value that must be a map.
    init(_ value: CBORValue, _ name: String, _ reading: Reading) throws(CTAPError) {
        guard case .map(let map) = value else { throw Self.unexpectedType(name) }
        self.map = map
        self.reading = reading
    }

    /// A parameter that must be there, of its type.
    func required<Value>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) -> Value?
    ) throws(CTAPError) -> Value {
        guard let value = map[key] else { throw CTAPError(.missingParameter, reason: "\(name) is missing") }
        guard let converted = convert(value) else { throw Self.unexpectedType(name) }
        return converted
    }

    /// A parameter that may be absent.
    func optional<Value>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) -> Value?
    ) throws(CTAPError) -> Value? {
        guard let value = map[key] else { return nil }
        if let converted = convert(value) { return converted }
        guard reading == .generous else { throw Self.unexpectedType(name) }
        return nil
    }

    /// The elements of an array that may be absent; absent and empty are the same.
    func list<Element>(
        _ key: CBORValue, _ name: String, _ convert: (CBORValue) throws(CTAPError) -> Element
    ) throws(CTAPError) -> [Element] {
        var elements: [Element] = []
        for value in try optional(key, name, \.arrayValue) ?? [] {
            do throws(CTAPError) {
                elements.append(try convert(value))
            } catch {
                guard reading == .generous else { throw error }
            }
        }
        return elements
    }

    /// The texts of an array that may be absent.
    func texts(_ key: CBORValue, _ name: String) throws(CTAPError) -> [String] {
        try list(key, name) { value throws(CTAPError) in
            guard let text = value.textValue else { throw Self.unexpectedType(name) }
            return text
        }
    }

    static func unexpectedType(_ name: String) -> CTAPError {
        CTAPError(.unexpectedType, reason: "\(name) has a wrong type")
    }
}

extension CBORMap {
    /// Sets an optional entry: absent values and empty lists and maps are left out.
    mutating func set(_ key: CBORValue, _ value: CBORValue?) {
        switch value {
        case .array(let elements)? where elements.isEmpty: self[key] = nil
        case .map(let map)? where map.isEmpty: self[key] = nil
        default: self[key] = value
        }
    }
}
