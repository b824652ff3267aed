internal import Cryptography
package import Encodings

/// A map one of whose byte strings is a secret: it goes from the encoded map into a `SecretBytes` and nowhere else.
package struct SecretMap: ~Copyable {
    /// The entries, with an empty byte string in the place of the secret.
    let fields: CBORMap
    private var secret: SecretBytes?

    /// Takes a map that was read from `input`, and the secret from its place there.
    package init(_ fields: CBORMap, secretAt place: Range<Int>?, in input: Span<UInt8>) {
        self.fields = fields
        if let place { secret = SecretBytes(copying: input.extracting(place)) }
    }

    /// Reads a map of canonical CBOR with a secret under an integer key.
    ///
    /// - Throws: `invalidCBOR`, `notAMap`.
    init(decoding input: Span<UInt8>, secretKey: Int, in what: StaticString) throws(HybridProtocolError) {
        let value: CBORValue
        let place: Range<Int>?
        do { (value, place) = try CBORValue.decode(input, withholding: [secretKey]) } catch {
            throw HybridProtocolError(error, in: what)
        }
        guard let map = value.mapValue else { throw HybridProtocolError(.notAMap, reason: "\(what) is not a map") }
        self.init(map, secretAt: place, in: input)
    }

    /// Hands over the secret, once.
    ///
    /// - Throws: `missingField`, `wrongType`.
    mutating func takeSecret(_ key: Int, in what: StaticString) throws(HybridProtocolError) -> SecretBytes {
        _ = try fields.required(key, in: what, \.bytesValue)
        guard let secret = secret.take() else {
            throw HybridProtocolError(.missingField, reason: "\(what) lacks key \(key)")
        }
        return secret
    }
}

func isThere(_ map: borrowing SecretMap?) -> Bool {
    switch map {
    case .some: true
    case .none: false
    }
}

extension CBORMap {
    /// The value of a key that has to be there.
    ///
    /// - Throws: `missingField`, `wrongType`.
    package func required<Value>(
        _ key: Int,
        in what: StaticString,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        guard let value = self[key] else {
            throw HybridProtocolError(.missingField, reason: "\(what) lacks key \(key)")
        }
        guard let read = read(value) else {
            throw HybridProtocolError(.wrongType, reason: "key \(key) of \(what) has a wrong type")
        }
        return read
    }
}
