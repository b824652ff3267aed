internal import Encodings

/// First message of the authenticator, right after the handshake (HT-MSG-2): its properties and features.
public struct FirstMessage: Sendable, Equatable {
    /// Kinds of requests that a session can carry.
    public enum Feature: String, Sendable, CaseIterable {
        /// CTAP commands.
        case ctap
        /// Digital credentials, as JSON.
        case digitalCredentials = "dc"
    }

    /// Revision of the messages that the authenticator speaks (HT-MSG-41).
    public enum Revision: Int, Sendable {
        /// caBLE v2.0: a padded first message, and afterwards bare CTAP without type bytes (HT-MSG-45).
        case padded = 0
        /// caBLE v2.1, current: a plain first message, and typed messages afterwards.
        case typed = 1
    }

    /// The encoded getInfo response map, without a status byte (HT-MSG-3); nil where the session carries no CTAP.
    public let getInfo: [UInt8]?
    /// The features of the session, of those that are known (HT-MSG-6, HT-MSG-9).
    public let features: Set<Feature>
    /// The revision of the messages that follow.
    public let revision: Revision

    fileprivate enum Key {
        static let getInfo = 1
        static let linking = 2
        static let features = 3
    }

    /// Makes a first message of the current revision.
    ///
    /// - Parameters:
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - features: the kinds of requests that the session can carry.
    /// - Throws: `featureMismatch` unless getInfo is there exactly with the feature `ctap` (HT-MSG-4).
    public init(getInfo: [UInt8]?, features: Set<Feature> = [.ctap]) throws(HybridProtocolError) {
        self.getInfo = getInfo
        self.features = features
        revision = .typed
        try checkFeatures()
    }

    /// Reads the first message, of either revision: CBOR without a remainder is the current one (HT-MSG-41). Features
    /// that are unknown, or not text, are skipped (HT-MSG-9, HT-MSG-50).
    ///
    /// - Parameter plaintext: the plaintext of the first frame.
    /// - Throws: `invalidCBOR` (HT-MSG-44), `notAMap` (HT-MSG-5), `wrongType` (HT-MSG-12, HT-MSG-14,
    ///   HT-MSG-15), `featureMismatch` (HT-MSG-7, HT-MSG-8).
    public init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        self = try ReceivedFirstMessage(decoding: plaintext).message
    }

    /// Reads the keys that are known; others, and the filler, are passed over (HT-MSG-10, HT-MSG-11).
    fileprivate init(_ map: CBORMap, _ revision: Revision) throws(HybridProtocolError) {
        self.revision = revision
        getInfo = try Self.optional(map, Key.getInfo, \.bytesValue)
        // Revision 0 knows no features and no type byte that could tell them apart.
        if revision == .typed, let list = try Self.optional(map, Key.features, \.arrayValue) {
            features = Set(list.compactMap { $0.textValue.flatMap(Feature.init) })
        } else {
            features = [.ctap]
        }
        try checkFeatures()
    }

    /// The message as it is sealed into the first frame. An absent key 3 means CTAP alone.
    public func encoded() -> [UInt8] {
        var map = CBORMap()
        map[Key.getInfo] = getInfo.map { .bytes($0) }
        if features != [.ctap] {
            map[Key.features] = .array(Feature.allCases.filter(features.contains).map { .text($0.rawValue) })
        }
        return map.encoded()
    }

    private func checkFeatures() throws(HybridProtocolError) {
        guard features.contains(.ctap) == (getInfo != nil) else {
            throw HybridProtocolError(.featureMismatch, reason: "getInfo comes exactly with the feature ctap")
        }
    }

    fileprivate static func optional<Value>(
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

/// A first message as it was received, and the linking map in it, at its older place (HT-MSG-47).
package struct ReceivedFirstMessage: ~Copyable {
    package let message: FirstMessage
    /// The linking map, not yet verified; nil if there is none.
    package let linking: SecretMap?

    /// True if there is linking data.
    package var hasLinking: Bool { isThere(linking) }

    /// Reads a first message, as ``FirstMessage/init(decoding:)`` does.
    package init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        let contents = try FirstMessage.split(plaintext)
        guard let map = contents.value.mapValue else {
            throw HybridProtocolError(.notAMap, reason: "the first message is not a map")
        }
        let linking = try FirstMessage.optional(map, FirstMessage.Key.linking, \.mapValue)
        message = try FirstMessage(map, contents.revision)
        if let linking {
            self.linking = SecretMap(linking, secretAt: contents.secret, in: plaintext)
        } else {
            self.linking = nil
        }
    }
}

extension FirstMessage {
    /// The contents of a first message.
    fileprivate struct Contents {
        /// The map, without the secret in it.
        let value: CBORValue
        /// The place of the secret in the plaintext.
        let secret: Range<Int>?
        let revision: Revision
        /// The length of the map in the plaintext.
        let byteCount: Int
    }

    fileprivate static func split(_ plaintext: Span<UInt8>) throws(HybridProtocolError) -> Contents {
        let failure: CBORError
        do { return try contents(plaintext, .typed) } catch { failure = error }
        // Since Chrome 99 the zeros are counted in two bytes (HT-MSG-42), before in one (HT-MSG-43).
        for countByteCount in [2, 1] {
            let unpadded = Self.unpad(plaintext, countByteCount: countByteCount)
            if let contents = try? contents(unpadded, .padded) { return contents }
        }
        throw HybridProtocolError(failure, in: "the first message")
    }

    private static func contents(_ cbor: Span<UInt8>, _ revision: Revision) throws(CBORError) -> Contents {
        let (value, secret) = try CBORValue.decode(cbor, withholding: [Key.linking, LinkingMap.secretKey])
        return Contents(value: value, secret: secret, revision: revision, byteCount: cbor.count)
    }

    /// The bytes before the zeros and their count, little-endian, at the end; none if the count does not fit.
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
        let contents = try split(plaintext)
        guard contents.revision == .padded else {
            throw HybridProtocolError(.invalidCBOR, reason: "the first message is not padded")
        }
        return plaintext.extracting(first: contents.byteCount).withUnsafeBufferPointer { Array($0) }
    }
}
