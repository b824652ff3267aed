// The four ways in: strict or lenient, whole input or a prefix of it.

extension CBORValue {
    /// Reads one item in CTAP2 canonical CBOR that takes up the whole input.
    ///
    /// Strict: shortest integers and lengths, definite lengths, maps with keys that are integers or strings in
    /// canonical order and each once, text that is UTF-8, no tags, floats, `undefined` or unassigned simple values.
    /// Accepted input encodes to the same bytes again (HT-CBOR-21). Source: CTAP 2.2 section 8; the article
    /// CanonicalCBOR of HybridProtocol.
    ///
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        try whole(input, mode: .strict, limits: limits)
    }

    /// Reads as ``decode(_:limits:)`` does, but takes floating-point numbers where their reader ignores them.
    ///
    /// CTAP's canonical form leaves them as they are, and a receiver ignores parameters that it does not know
    /// (HT-CBOR-22).
    ///
    /// - Parameters:
    ///   - input: a map in CTAP2 canonical CBOR.
    ///   - keys: the keys of the map that the reader knows: inside their values, floating-point numbers are refused.
    ///   - limits: the bounds of what is read.
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>, takingFloatsOutside keys: ClosedRange<UInt64>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        var decoder = try CBORDecoder(input, mode: .strict, limits: limits, takingFloatsOutside: keys)
        let value = try decoder.item(depth: 0)
        try checkEnd(decoder.reader.offset, of: input)
        return value
    }

    /// Reads one item in CTAP2 canonical CBOR from the front of the input, and says how many bytes it took.
    ///
    /// - Throws: ``CBORError``; any of its codes but `trailing-bytes`.
    public static func decodePrefix(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        try prefix(input, mode: .strict, limits: limits)
    }

    /// Reads one item of any well-formed CBOR that takes up the whole input.
    ///
    /// This is the reading that a phone's getInfo needs (HT-CTAP-19): also indefinite lengths, tags, floats,
    /// `undefined`, simple values, numbers not in their shortest form, and keys of any kind in any order. Of equal keys
    /// the first counts, which is what a reader that stops at the first match sees. Text that is not UTF-8 is repaired
    /// with U+FFFD. Sizes are bounded as in strict mode.
    ///
    /// - Throws: ``CBORError``: `truncated`, `trailing-bytes`, `malformed`, `too-deep`, `too-large` or
    ///   `too-many-items`.
    public static func decodeLenient(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        try whole(input, mode: .lenient, limits: limits)
    }

    /// Reads one item of any well-formed CBOR from the front of the input, and says how many bytes it took.
    ///
    /// - Throws: ``CBORError``, as ``decodeLenient(_:limits:)`` but for `trailing-bytes`.
    public static func decodeLenientPrefix(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        try prefix(input, mode: .lenient, limits: limits)
    }

    private static func whole(
        _ input: Span<UInt8>, mode: CBORDecoder.Mode, limits: CBORLimits
    ) throws(CBORError) -> CBORValue {
        let (value, byteCount) = try prefix(input, mode: mode, limits: limits)
        try checkEnd(byteCount, of: input)
        return value
    }

    static func checkEnd(_ byteCount: Int, of input: Span<UInt8>) throws(CBORError) {
        guard byteCount == input.count else {
            throw CBORError(.trailingBytes, reason: "\(input.count - byteCount) bytes after the item")
        }
    }

    private static func prefix(
        _ input: Span<UInt8>, mode: CBORDecoder.Mode, limits: CBORLimits
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        var decoder = try CBORDecoder(input, mode: mode, limits: limits)
        let value = try decoder.item(depth: 0)
        return (value, decoder.reader.offset)
    }
}
