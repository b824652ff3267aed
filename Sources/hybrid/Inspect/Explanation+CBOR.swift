import CBOR

extension Explanation {
    /// Explains bytes as a CBOR item: in diagnostic notation, and whether CTAP2 would take it.
    static func cbor(_ bytes: [UInt8]) -> Self {
        let strict: String
        do {
            _ = try CBORValue.decode(bytes.span)
            strict = "yes"
        } catch {
            strict = "no: \(error.reason) (\(error.code.rawValue))"
        }
        do {
            let value = try CBORValue.decodeLenient(bytes.span)
            return Self(
                .cbor, value.diagnostic(),
                [("length", "\(bytes.count) bytes"), ("canonical", strict)])
        } catch {
            return Self(
                .cbor, "not a CBOR item: \(error.reason)",
                [("length", "\(bytes.count) bytes"), ("canonical", strict)])
        }
    }
}
