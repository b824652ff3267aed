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
    /// - Throws: `notFIDOURL` (HT-QR-2); the errors of ``QRDigits/decode(_:)`` and ``init(cbor:)``.
    public init(url: String) throws(HybridProtocolError) { try self.init(url: url, of: .fido) }

    init(url: String, of scheme: InvitationScheme) throws(HybridProtocolError) {
        guard scheme.isBeginning(of: url) else {
            // An application's code is none that is known here, so this is of an application's scheme.
            if InvitationScheme.fido.isBeginning(of: url) { throw .otherPurpose(.fido, instead: scheme) }
            throw HybridProtocolError(
                .notFIDOURL, reason: "the text of a \(scheme.codeName) starts with \(scheme.urlPrefix)")
        }
        let digits = url.utf8.span.extracting(droppingFirst: scheme.urlPrefix.utf8.count)
        let contents = SecretArray(try QRDigits.decode(digits))
        try self.init(cbor: contents.span, of: scheme)
    }

    /// Reads the map that the digits hold.
    ///
    /// Unknown keys are ignored (HT-QR-17), unknown hints read as `ga` (HT-QR-40, HT-QR-41), and unknown channels left
    /// out (HT-QR-49). As no key 6 (HT-QR-47) reads a bool, which once meant something else (HT-QR-48), a list without
    /// a known channel (HT-QR-50), and a value that is no list of channels (HT-QR-51).
    ///
    /// - Parameter cbor: canonical CBOR, 69 bytes as a rule (HT-QR-54); longer ones are read too (HT-QR-19).
    /// - Throws: `invalidCBOR` (HT-QR-12, HT-QR-13, HT-QR-14, HT-QR-15, HT-QR-16), `notAMap` (HT-QR-12), `missingField`
    ///   (HT-QR-23), `wrongType` (HT-QR-24, HT-QR-27, HT-QR-31, HT-QR-38, HT-QR-42), `wrongLength` (HT-QR-25, HT-QR-26,
    ///   HT-QR-27), `invalidPoint` (HT-QR-25).
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
            knownDomainCount: try Self.optional(map, Key.knownDomainCount, \.unsignedValue),
            // The time is not checked, so a bad one is no reason to refuse (HT-QR-34).
            timestamp: map[Key.timestamp]?.unsignedValue,
            supportsLinking: try Self.optional(map, Key.supportsLinking, \.boolValue),
            hint: hint.flatMap(RequestHint.init) ?? .getAssertion,
            channels: Self.channels(map[Key.channels]))
        try self.init(clientPublicKey: publicKey, secret: secret, details: details, of: scheme)
    }

    /// The map as canonical CBOR (HT-QR-11), which holds the secret, for the caller to wipe.
    public func encodedCBOR() -> [UInt8] {
        var map = CBORMap()
        map[Key.publicKey] = .bytes(clientPublicKey.compressed)
        map[Key.secret] = .bytes([UInt8](repeating: 0, count: Self.secretByteCount))
        map[Key.knownDomainCount] = details.knownDomainCount.map { .unsigned($0) }
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
        let cbor = SecretArray(encodedCBOR())
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

    private static func channels(_ value: CBORValue?) -> [ChannelIdentifier] {
        let numbers = value?.arrayValue?.map(\.unsignedValue) ?? []
        let known = Set(numbers.compactMap { $0.flatMap(ChannelIdentifier.init) }).sorted()
        return known.isEmpty || numbers.contains(nil) ? [.webSocket] : known
    }
}

/// The decimal digits in which a QR code carries bytes (CTAP 2.2 section 11.5.1).
///
/// Seven bytes at a time are read as a little-endian integer and written as 17 digits (HT-QR-5); a shorter last group
/// takes just as many digits as its largest value needs (HT-QR-6).
public enum QRDigits {
    /// The length of a whole group: 7 bytes.
    static let groupByteCount = 7
    /// The number of digits of a group, by its number of bytes.
    static let digitCounts = [0, 3, 5, 8, 10, 13, 15, 17]
    /// The most digits that one QR code can hold (ISO/IEC 18004, version 40-L, numeric): 7089. More are refused unread
    /// (HT-QR-10).
    public static let maximumDigitCount = 7089

    /// Writes bytes as digits.
    ///
    /// - Parameter bytes: any number of bytes.
    /// - Returns: ASCII digits; none for no bytes.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 17 / groupByteCount + 17)
        var start = 0
        while start < bytes.count {
            let end = min(start + groupByteCount, bytes.count)
            append(number(bytes.extracting(start..<end)), digitCount: digitCounts[end - start], to: &digits)
            start = end
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Reads digits back into bytes (HT-QR-7).
    ///
    /// - Parameter digits: ASCII digits only: signs, spaces and the digits of other scripts are refused.
    /// - Throws: `tooLong` above 7089 digits (HT-QR-10); `nonDigit` (HT-QR-4); `digitCount` (HT-QR-8); `digitRange`
    ///   (HT-QR-9).
    public static func decode(_ digits: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        guard digits.count <= maximumDigitCount else {
            throw HybridProtocolError(.tooLong, reason: "no QR code holds more than \(maximumDigitCount) digits")
        }
        for index in digits.indices where !ASCII.digits.contains(digits[index]) {
            throw HybridProtocolError(.nonDigit, reason: "character \(index) after the prefix is not a digit 0-9")
        }
        let wholeGroup = digitCounts[groupByteCount]
        guard digitCounts.contains(digits.count % wholeGroup) else {
            throw HybridProtocolError(.digitCount, reason: "\(digits.count) digits are not a whole number of bytes")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var start = 0
        while start < digits.count {
            let end = min(start + wholeGroup, digits.count)
            try appendGroup(digits.extracting(start..<end), at: start, to: &bytes)
            start = end
        }
        return bytes
    }

    private static func number(_ bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for index in bytes.indices { value |= UInt64(bytes[index]) << UInt64(8 * index) }
        return value
    }

    private static func append(_ value: UInt64, digitCount: Int, to digits: inout [UInt8]) {
        var rest = value
        let start = digits.count
        digits.append(contentsOf: repeatElement(ASCII.zero, count: digitCount))
        for index in stride(from: start + digitCount - 1, through: start, by: -1) {
            digits[index] = ASCII.zero + UInt8(rest % 10)
            rest /= 10
        }
    }

    private static func appendGroup(
        _ digits: Span<UInt8>,
        at position: Int,
        to bytes: inout [UInt8]
    ) throws(HybridProtocolError) {
        let byteCount = digitCounts.firstIndex(of: digits.count) ?? 0
        // 17 digits at most, so that the value stays below 10^17 < 2^64.
        var value: UInt64 = 0
        for index in digits.indices { value = value * 10 + UInt64(digits[index] - ASCII.zero) }
        guard value >> UInt64(8 * byteCount) == 0 else {
            throw HybridProtocolError(
                .digitRange, reason: "the group at digit \(position) is too large for \(byteCount) bytes")
        }
        for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}

/// The few characters that the protocol's texts are made of.
enum ASCII {
    static let zero = UInt8(ascii: "0")
    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// The bit by which a lower-case letter differs from its upper-case form.
    static let caseBit: UInt8 = 0x20
}
