internal import Encodings

extension JSONValue {
    /// Reads a file whose items are handed over one by one.
    ///
    /// - Parameters:
    ///   - path: as in `JSONValue.init(parsing:limits:handingOver:to:)`.
    ///   - take: gets each item.
    /// - Throws: ``PasskeyFormatError``, also of `take`.
    static func reading(
        _ bytes: Span<UInt8>, _ limits: JSONLimits, itemsAt path: [String?],
        _ take: (JSONValue) throws(PasskeyFormatError) -> Void
    ) throws(PasskeyFormatError) -> JSONValue {
        var refusal: PasskeyFormatError?
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: limits, handingOver: path) { (item) throws(JSONError) in
                do throws(PasskeyFormatError) {
                    try take(item)
                } catch {
                    refusal = error
                    throw JSONError(.malformed, from: error)
                }
            }
        } catch {
            throw refusal ?? PasskeyFormatError(error)
        }
    }

    /// The bytes of a string in base64url; nil for anything else.
    var base64URL: [UInt8]? { stringValue.flatMap { Base64URL.decode($0) } }

    /// An integer without fraction and exponent; nil for anything else, and for one of more than 63 bits.
    var integer: Int64? {
        guard case .number(let number) = self else { return nil }
        return Int64(number.text)
    }
}

extension PasskeyFileCounts {
    /// Counts an item.
    ///
    /// - Throws: ``PasskeyFormatError`` `too-large`.
    mutating func count() throws(PasskeyFormatError) {
        guard items < Self.maxItems else {
            throw PasskeyFormatError(.tooLarge, reason: "the file has more than \(Self.maxItems) items")
        }
        items += 1
    }
}
