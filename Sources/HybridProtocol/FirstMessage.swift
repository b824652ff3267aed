package import CBOR

/// What the authenticator says first, right after the handshake (PROTOCOL.md 7.1): what it is and what it can do.
public struct FirstMessage: Sendable, Equatable {
    /// What a session can carry.
    public enum Feature: String, Sendable, CaseIterable {
        /// CTAP commands.
        case ctap
        /// Digital credentials, as JSON.
        case digitalCredentials = "dc"
    }

    /// Which edition of the messages the authenticator speaks (PROTOCOL.md 7.5).
    public enum Revision: Int, Sendable {
        /// caBLE v2.0: a padded first message, and afterwards bare CTAP without type bytes.
        case padded = 0
        /// caBLE v2.1, current: a plain first message, and typed messages afterwards.
        case typed = 1
    }

    /// The encoded getInfo response map, without a status byte; nil where the session carries no CTAP.
    public let getInfo: [UInt8]?
    /// What the session can carry, of what is known.
    public let features: Set<Feature>
    /// The linking map at its older place, not yet verified. It may hold a secret, so a ``ClientSession`` has none here.
    package private(set) var linking: CBORMap?
    /// Which edition of the messages follows.
    public let revision: Revision

    private enum Key {
        static let getInfo = 1
        static let linking = 2
        static let features = 3
    }

    /// Makes a first message of the current revision.
    ///
    /// - Parameters:
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - features: what the session can carry.
    /// - Throws: `featureMismatch` unless getInfo is there exactly with the feature `ctap`.
    public init(getInfo: [UInt8]?, features: Set<Feature> = [.ctap]) throws(HybridProtocolError) {
        self.getInfo = getInfo
        self.features = features
        linking = nil
        revision = .typed
        try checkFeatures()
    }

    /// Reads the first message, of either revision: CBOR without a remainder is the current one.
    ///
    /// - Parameter plaintext: what the first frame held.
    /// - Throws: `invalidCBOR`, `notAMap`, `wrongType`, `featureMismatch`.
    public init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        let (value, revision) = try Self.split(plaintext)
        guard let map = value.mapValue else {
            throw HybridProtocolError(.notAMap, reason: "the first message is no map")
        }
        self.revision = revision
        getInfo = try Self.optional(map, Key.getInfo, \.bytesValue)
        linking = try Self.optional(map, Key.linking, \.mapValue)
        // Revision 0 knows no features and no type byte that could tell them apart.
        if revision == .typed, let list = try Self.optional(map, Key.features, \.arrayValue) {
            let names = list.map(\.textValue)
            guard !names.contains(nil) else {
                throw HybridProtocolError(.wrongType, reason: "the first message's features are not all text")
            }
            features = Set(names.compactMap { $0.flatMap(Feature.init) })
        } else {
            features = [.ctap]
        }
        try checkFeatures()
    }

    /// The message as it is sealed into the first frame. CTAP alone is what an absent key 3 means.
    public func encoded() -> [UInt8] {
        var map = CBORMap()
        map[Key.getInfo] = getInfo.map { .bytes($0) }
        if features != [.ctap] {
            map[Key.features] = .array(Feature.allCases.filter(features.contains).map { .text($0.rawValue) })
        }
        return map.encoded()
    }

    var withoutLinking: FirstMessage {
        var message = self
        message.linking = nil
        return message
    }

    private func checkFeatures() throws(HybridProtocolError) {
        guard features.contains(.ctap) == (getInfo != nil) else {
            throw HybridProtocolError(.featureMismatch, reason: "getInfo comes exactly with the feature ctap")
        }
    }

    private static func optional<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value? {
        guard let value = map[key] else { return nil }
        guard let read = read(value) else {
            throw HybridProtocolError(.wrongType, reason: "key \(key) of the first message has a wrong type")
        }
        return read
    }
}

extension FirstMessage {
    private static func split(_ plaintext: Span<UInt8>) throws(HybridProtocolError) -> (CBORValue, Revision) {
        let failure: CBORError
        do { return (try CBORValue.decode(plaintext), .typed) } catch { failure = error }
        // Since Chrome 99 the zeros are counted in two bytes, before in one.
        for countByteCount in [2, 1] {
            let unpadded = Self.unpad(plaintext, countByteCount: countByteCount)
            if let value = try? CBORValue.decode(unpadded) { return (value, .padded) }
        }
        throw HybridProtocolError(failure, in: "the first message")
    }

    /// What remains without the zeros and their count, little-endian, at the end; nothing if the count does not fit.
    @_lifetime(copy plaintext)
    private static func unpad(_ plaintext: Span<UInt8>, countByteCount: Int) -> Span<UInt8> {
        guard plaintext.count >= countByteCount else { return plaintext.extracting(first: 0) }
        let end = plaintext.count - countByteCount
        var zeroCount = 0
        for index in 0..<countByteCount { zeroCount |= Int(plaintext[end + index]) << (8 * index) }
        return plaintext.extracting(first: max(0, end - zeroCount))
    }

    /// Takes the padding of a revision 0 first message off.
    ///
    /// - Parameter plaintext: CBOR, zeros, and their count in two bytes or one.
    /// - Returns: the CBOR.
    /// - Throws: `invalidCBOR` if it is not canonical CBOR under either padding.
    public static func unpadRevision0(_ plaintext: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        let (value, revision) = try split(plaintext)
        guard revision == .padded else {
            throw HybridProtocolError(.invalidCBOR, reason: "the first message is not padded")
        }
        return value.encoded()
    }
}
