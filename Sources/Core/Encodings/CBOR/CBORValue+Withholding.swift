// A secret byte string, read and written without a copy of it in a `CBORValue`, which nothing wipes.

extension CBORValue {
    /// Reads as ``decode(_:limits:)`` does, but leaves the byte string at one place in the input.
    ///
    /// - Parameters:
    ///   - input: one item in CTAP2 canonical CBOR.
    ///   - path: the integer keys that lead to the byte string, the outermost map's first.
    ///   - limits: the bounds of what is read.
    /// - Returns: the item, with an empty byte string at that place; and where in the input the bytes are, nil if there
    ///   is not a byte string at that place.
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>,
        withholding path: [Int],
        limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, withheld: Range<Int>?) {
        var decoder = try CBORDecoder(input, mode: .strict, limits: limits, withholding: path)
        let value = try decoder.item(depth: 0)
        try checkEnd(decoder.reader.offset, of: input)
        return (value, decoder.withheld)
    }
}

extension CBORMap {
    /// Encodes the map with a secret in the place of the byte string of the same length that stands there, a
    /// placeholder.
    ///
    /// - Parameters:
    ///   - secret: any number of bytes.
    ///   - path: the integer keys that lead to the placeholder, this map's first.
    /// - Returns: CTAP2 canonical CBOR, for the caller to wipe; without the secret if there is no such placeholder.
    public func encoded(writing secret: Span<UInt8>, at path: [Int]) -> [UInt8] {
        var encoded = encoded()
        if let place = place(ofBytesAt: path[...]), place.count == secret.count {
            for index in secret.indices { encoded[place.lowerBound + index] = secret[index] }
        }
        return encoded
    }

    /// The place of a byte string's contents in the encoded map.
    private func place(ofBytesAt path: ArraySlice<Int>) -> Range<Int>? {
        var offset = CBORValue.headByteCount(UInt64(count))
        for entry in entries {
            offset += entry.key.encodedByteCount
            if let key = path.first, entry.key == CBORValue(Int64(key)) {
                let inside: Range<Int>?
                switch entry.value {
                case .bytes(let bytes) where path.count == 1:
                    let head = CBORValue.headByteCount(UInt64(bytes.count))
                    inside = head..<head + bytes.count
                case .map(let map): inside = map.place(ofBytesAt: path.dropFirst())
                default: inside = nil
                }
                return inside.map { offset + $0.lowerBound..<offset + $0.upperBound }
            }
            offset += entry.value.encodedByteCount
        }
        return nil
    }
}
