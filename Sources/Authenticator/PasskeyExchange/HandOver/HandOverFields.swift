internal import Encodings
internal import HybridProtocol

/// The fields of a hand-over's message, which are all known: nothing is passed over (PX-HOV-8).
struct HandOverFields {
    private let map: CBORMap

    /// More than the longest offer has.
    private static let maxByteCount = 1 << 18
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 1 << 12, maxBytes: maxByteCount)

    init(_ map: CBORMap) { self.map = map }

    init(_ contents: Span<UInt8>) throws(HybridProtocolError) {
        guard contents.count <= Self.maxByteCount else {
            throw HybridProtocolError(.tooLong, reason: "a hand-over's message of \(contents.count) bytes")
        }
        let value: CBORValue
        do throws(CBORError) {
            value = try .decode(contents, limits: Self.limits)
        } catch { throw HybridProtocolError(error, in: "a hand-over's message") }
        guard let map = value.mapValue else {
            throw HybridProtocolError(.notAMap, reason: "a hand-over's message is not a map")
        }
        self.map = map
    }

    /// Refuses a field that has no meaning.
    func hasOnly(_ keys: some Collection<Int>) throws(HybridProtocolError) {
        let known = keys.map { CBORValue.unsigned(UInt64($0)) }
        guard map.entries.allSatisfy({ known.contains($0.key) }) else {
            throw HybridProtocolError(.unknownField, reason: "a hand-over's message has a field that is unknown")
        }
    }

    func number(_ key: Int) throws(HybridProtocolError) -> UInt64 {
        try map.required(key, in: "a hand-over's message", \.unsignedValue)
    }

    func bytes(_ key: Int, count: Int) throws(HybridProtocolError) -> [UInt8] {
        let bytes = try map.required(key, in: "a hand-over's message", \.bytesValue)
        guard bytes.count == count else {
            throw HybridProtocolError(
                .wrongLength, reason: "field \(key) of a hand-over's message has \(bytes.count) bytes, not \(count)")
        }
        return bytes
    }

    func optionalBytes(_ key: Int, count: Int) throws(HybridProtocolError) -> [UInt8]? {
        map[key] == nil ? nil : try bytes(key, count: count)
    }

    func text(_ key: Int, max: Int) throws(HybridProtocolError) -> String {
        let text = try map.required(key, in: "a hand-over's message", \.textValue)
        guard text.utf8.count <= max else {
            throw HybridProtocolError(
                .wrongLength, reason: "a text of a hand-over's message has more than \(max) bytes")
        }
        return text
    }

    func optionalText(_ key: Int, max: Int) throws(HybridProtocolError) -> String? {
        map[key] == nil ? nil : try text(key, max: max)
    }

    func list<Value>(
        _ key: Int, max: Int, _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> [Value] {
        let values = try map.required(key, in: "a hand-over's message", \.arrayValue)
        guard values.count <= max else {
            throw HybridProtocolError(.tooLong, reason: "a list of a hand-over's message has more than \(max) members")
        }
        var list: [Value] = []
        for value in values {
            guard let member = read(value) else {
                throw HybridProtocolError(.wrongType, reason: "a list of a hand-over's message has a wrong member")
            }
            list.append(member)
        }
        return list
    }
}
