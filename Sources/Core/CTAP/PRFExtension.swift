public import Encodings

/// One or two values for a credential's pseudo-random function, or of it: salts on the way in, outputs on the way out.
public struct PRFValues: Sendable, Hashable {
    /// The length of a salt and of an output: 32 bytes.
    public static let byteCount = 32

    /// The first value, 32 bytes.
    public let first: [UInt8]
    /// The second value, 32 bytes, if there is one.
    public let second: [UInt8]?

    private enum Key {
        static let first: CBORValue = "first"
        static let second: CBORValue = "second"
    }

    /// Takes values.
    ///
    /// - Throws: ``CTAPError`` `invalid-length` if one has not 32 bytes.
    public init(first: [UInt8], second: [UInt8]? = nil) throws(CTAPError) {
        guard first.count == Self.byteCount, second.map({ $0.count == Self.byteCount }) ?? true else {
            throw CTAPError(.invalidLength, reason: "a value of prf has not \(Self.byteCount) bytes")
        }
        self.first = first
        self.second = second
    }

    init(_ value: CBORValue) throws(CTAPError) {
        let members = try Parameters(value, "values of prf", .strict)
        try self.init(
            first: members.required(Key.first, "prf's first", \.bytesValue),
            second: members.optional(Key.second, "prf's second", \.bytesValue))
    }

    var value: CBORValue {
        var map: CBORMap = [Key.first: .bytes(first)]
        map.set(Key.second, second.map(CBORValue.bytes))
        return .map(map)
    }
}

/// The input of the extension prf. Its presence asks for the function; the salts in it, for values.
///
/// The salts are those that the client has made of the page's inputs: the SHA-256 of `WebAuthn PRF`, a zero byte and
/// the input (HT-CTAP-29). Source: WebAuthn Level 3 section 10.1.4.
public struct PRFExtensionInput: Sendable, Hashable {
    /// The salts for credentials that ``evalByCredential`` does not name.
    public let eval: PRFValues?
    /// The salts by credential ID; in getAssertion only.
    public let evalByCredential: [[UInt8]: PRFValues]

    private enum Key {
        static let eval: CBORValue = "eval"
        static let evalByCredential: CBORValue = "evalByCredential"
    }

    /// Makes an input.
    public init(eval: PRFValues? = nil, evalByCredential: [[UInt8]: PRFValues] = [:]) {
        self.eval = eval
        self.evalByCredential = evalByCredential
    }

    /// Reads the input among a request's extensions, strictly; nil if it is not there.
    ///
    /// - Throws: ``CTAPError`` `unexpected-type`, `missing-parameter` or `invalid-length`.
    public init?(_ extensions: CBORMap) throws(CTAPError) {
        guard let input = extensions[ExtensionIdentifier.prf] else { return nil }
        let members = try Parameters(input, "extension prf", .strict)
        eval = if let values = members.map[Key.eval] { try PRFValues(values) } else { nil }
        var evalByCredential: [[UInt8]: PRFValues] = [:]
        for entry in try members.optional(Key.evalByCredential, "evalByCredential", \.mapValue)?.entries ?? [] {
            guard let id = entry.key.bytesValue else { throw Parameters.unexpectedType("a key of evalByCredential") }
            evalByCredential[id] = try PRFValues(entry.value)
        }
        self.evalByCredential = evalByCredential
    }

    /// The salts for a credential: its own go before the others (HT-CTAP-32).
    public func salts(for id: [UInt8]) -> PRFValues? { evalByCredential[id] ?? eval }

    /// The input as it is sent.
    public var value: CBORValue {
        var map = CBORMap()
        map.set(Key.eval, eval?.value)
        let entries = evalByCredential.map { CBORMap.Entry(key: .bytes($0.key), value: $0.value.value) }
        map.set(Key.evalByCredential, .map(CBORMap(entries)))
        return .map(map)
    }
}

/// The output of the extension prf, which is not signed (HT-CTAP-31).
public struct PRFExtensionOutput: Sendable, Hashable {
    /// True if the new credential has a function; in makeCredential only.
    public let enabled: Bool?
    /// The function's values, for salts that were sent.
    public let results: PRFValues?

    private enum Key {
        static let enabled: CBORValue = "enabled"
        static let results: CBORValue = "results"
    }

    /// Makes an output.
    public init(enabled: Bool? = nil, results: PRFValues? = nil) {
        self.enabled = enabled
        self.results = results
    }

    /// Reads the output among an answer's unsigned ones; nil if it is not there, or not one.
    public init?(_ outputs: CBORMap) {
        guard let output = outputs[ExtensionIdentifier.prf]?.mapValue else { return nil }
        enabled = output[Key.enabled]?.boolValue
        results = output[Key.results].flatMap { try? PRFValues($0) }
    }

    /// The output as it is sent.
    public var value: CBORValue {
        var map = CBORMap()
        map.set(Key.enabled, enabled.map(CBORValue.bool))
        map.set(Key.results, results?.value)
        return .map(map)
    }
}
