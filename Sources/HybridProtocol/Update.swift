public import CBOR

/// What an authenticator says beside its answers (PROTOCOL.md 7.4): that it can be linked, or only filler.
public struct Update: Sendable, Equatable {
    /// The linking map, not yet verified; nil where the update is only filler.
    public let linking: CBORMap?

    private static let linkingKey = 1

    /// Reads an update's payload.
    ///
    /// - Parameter payload: canonical CBOR: a map.
    /// - Throws: `invalidCBOR`, `notAMap`; `wrongType` for linking data that is no map.
    public init(decoding payload: Span<UInt8>) throws(HybridProtocolError) {
        let value: CBORValue
        do { value = try .decode(payload) } catch { throw HybridProtocolError(error, in: "the update") }
        guard let map = value.mapValue else { throw HybridProtocolError(.notAMap, reason: "the update is no map") }
        linking = try map[Self.linkingKey].map { (value) throws(HybridProtocolError) in
            guard let linking = value.mapValue else {
                throw HybridProtocolError(.wrongType, reason: "the update's linking data is no map")
            }
            return linking
        }
    }
}
