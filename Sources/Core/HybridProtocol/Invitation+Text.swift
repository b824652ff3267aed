internal import Cryptography
internal import Encodings

extension Invitation {
    /// The numbers of the fields in the map (the article QR code).
    private enum Key {
        static let publicKey = 0
        static let secret = 1
        static let knownDomainCount = 2
        static let timestamp = 3
        static let supportsLinking = 4
        static let hint = 5
        static let channels = 6
    }

    /// Reads the text of a QR code.
    ///
    /// - Parameter url: `FIDO:/`, in either case, and digits: 174 characters as a rule.
    /// - Throws: `notFIDOURL` (HT-QR-2); what ``QRDigits/decode(_:)`` throws; what ``init(cbor:)`` throws.
    public init(url: String) throws(HybridProtocolError) { try self.init(url: url, of: .fido) }

    init(url: String, of scheme: InvitationScheme) throws(HybridProtocolError) {
        guard scheme.isBeginning(of: url) else {
            // An application's code is none that is known here, so this is of an application's scheme.
            if InvitationScheme.fido.isBeginning(of: url) { throw .otherPurpose(.fido, instead: scheme) }
            throw HybridProtocolError(
                .notFIDOURL, reason: "the text of a \(scheme.codeName) starts with \(scheme.urlPrefix)")
        }
        var contents = try QRDigits.decode(url.utf8.span.extracting(droppingFirst: scheme.urlPrefix.utf8.count))
        defer { wipe(&contents) }
        try self.init(cbor: contents.span, of: scheme)
    }

    /// Reads the map that the digits hold.
    ///
    /// Unknown keys are ignored (HT-QR-17), unknown hints read as `ga` (HT-QR-40, HT-QR-41), unknown channels left out
    /// (HT-QR-49), and a bool in key 6, which once meant something else, as no key 6 (HT-QR-47, HT-QR-48).
    ///
    /// - Parameter cbor: canonical CBOR, 69 bytes as a rule (HT-QR-54); longer ones are read too (HT-QR-19).
    /// - Throws: `invalidCBOR` (HT-QR-12, HT-QR-13, HT-QR-14, HT-QR-15, HT-QR-16), `notAMap` (HT-QR-12), `missingField`
    ///   (HT-QR-23), `wrongType` (HT-QR-24, HT-QR-27, HT-QR-31, HT-QR-38, HT-QR-42, HT-QR-51), `wrongLength` (HT-QR-25,
    ///   HT-QR-26, HT-QR-27), `invalidPoint` (HT-QR-25).
    public init(cbor: Span<UInt8>) throws(HybridProtocolError) { try self.init(cbor: cbor, of: .fido) }

    private init(cbor: Span<UInt8>, of scheme: InvitationScheme) throws(HybridProtocolError) {
        var contents = try SecretMap(decoding: cbor, secretKey: Key.secret, in: "the QR code")
        let map = contents.fields
        let point = try map.required(Key.publicKey, in: "the QR code", \.bytesValue)
        try Self.check(point.count, Key.publicKey, byteCount: P256.compressedByteCount)
        let secret = try contents.takeSecret(Key.secret, in: "the QR code")
        try Self.check(secret.count, Key.secret, byteCount: Self.secretByteCount)
        let publicKey: P256.PublicKey
        do { publicKey = try P256.PublicKey(x963: point.span) } catch { throw HybridProtocolError(error) }
        let hint = try Self.optional(map, Key.hint, \.textValue)
        let details = Details(
            knownDomainCount: try Self.optional(map, Key.knownDomainCount, \.unsignedValue) ?? 0,
            // The time is not checked, so a bad one is no reason to refuse (HT-QR-34).
            timestamp: map[Key.timestamp]?.unsignedValue,
            supportsLinking: try Self.optional(map, Key.supportsLinking, \.boolValue),
            hint: hint.flatMap(RequestHint.init) ?? .getAssertion,
            channels: try Self.channels(map[Key.channels]))
        try self.init(clientPublicKey: publicKey, secret: secret, details: details, of: scheme)
    }

    /// The map as canonical CBOR (HT-QR-11), which holds the secret, for the caller to wipe.
    public func encodedCBOR() -> [UInt8] {
        var map = CBORMap()
        map[Key.publicKey] = .bytes(clientPublicKey.compressed)
        map[Key.secret] = .bytes([UInt8](repeating: 0, count: Self.secretByteCount))
        map[Key.knownDomainCount] = .unsigned(details.knownDomainCount)
        map[Key.timestamp] = details.timestamp.map { .unsigned($0) }
        map[Key.supportsLinking] = details.supportsLinking.map { .bool($0) }
        if scheme == .fido { map[Key.hint] = .text(details.hint.rawValue) }
        // Left out for WebSocket alone: some authenticators from before CTAP 2.3 refuse an array here (HT-QR-45).
        if details.channels != [.webSocket] {
            map[Key.channels] = .array(details.channels.map { .unsigned($0.rawValue) })
        }
        return map.encoded(writing: secret.span, at: [Key.secret])
    }

    /// The text of the QR code. It holds the secret: it is for the user at the screen only.
    public func url() -> String {
        var cbor = encodedCBOR()
        defer { wipe(&cbor) }
        return scheme.urlPrefix + QRDigits.encode(cbor.span)
    }

    private static func check(_ count: Int, _ key: Int, byteCount: Int) throws(HybridProtocolError) {
        guard count == byteCount else {
            throw HybridProtocolError(
                .wrongLength, reason: "key \(key) of the QR code has \(count) bytes, not \(byteCount)")
        }
    }

    private static func optional<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value? {
        guard let value = map[key] else { return nil }
        guard let read = read(value) else {
            throw HybridProtocolError(.wrongType, reason: "key \(key) of the QR code has a wrong type")
        }
        return read
    }

    private static func channels(_ value: CBORValue?) throws(HybridProtocolError) -> [ChannelIdentifier] {
        guard let value, value.boolValue == nil else { return [.webSocket] }
        let numbers = value.arrayValue?.map(\.unsignedValue)
        guard let numbers, !numbers.contains(nil) else {
            throw HybridProtocolError(.wrongType, reason: "key 6 of the QR code is not a list of channel numbers")
        }
        return Set(numbers.compactMap { $0.flatMap(ChannelIdentifier.init) }).sorted()
    }
}
